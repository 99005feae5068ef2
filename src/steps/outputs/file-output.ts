// Owns outputs that are files of the workspace: the step must have changed them, not only found them.

import { extname, join } from 'node:path';
import { digestBytes } from '../../base/digest.ts';
import type { Json } from '../../base/json.ts';
import { shortList } from '../../base/short-text.ts';
import type { FileOutputModel } from '../../definition/model.ts';
import { openFile } from '../workspace/workspace-file.ts';
import { invalidFinding, missingFinding, type OutputFinding, producedFinding } from './finding.ts';
import type { FileDigests } from './workspace-digest.ts';

/** The matching files before the step and after its work. */
export interface FileChange {
  readonly cwd: string;
  readonly before: FileDigests;
  readonly after: FileDigests;
  /** Whether `before` is from before the step or before the run. */
  readonly since: 'the step' | 'the run';
}

const TEXT_BYTES_MAX = 1 << 20;
const SHOWN_MAX = 20;

/** Checks an output of type `file`; its value is the list of paths that were added or changed. */
export async function findFiles(output: FileOutputModel, change: FileChange): Promise<OutputFinding> {
  const changed = changedPaths(change);
  if (changed.length === 0) return missingFinding(output, unchanged(output, change), adviceOn(output, change));
  const publicPaths = await findPublic(change.cwd, changed);
  return { ...producedFinding(output, changed, `${counted(changed.length)} changed or added: ${shown(changed)}`), publicPaths };
}

/** Checks an output of type `artifact`; its value is the content of the one file that was added or changed. */
export async function findArtifact(output: FileOutputModel, change: FileChange): Promise<OutputFinding> {
  const [path, ...others] = changedPaths(change);
  const advice = `write one file that matches "${output.pattern}"`;
  if (path === undefined) return missingFinding(output, unchanged(output, change), adviceOn(output, change));
  if (others.length > 0)
    return invalidFinding(
      output,
      `exactly one file must change, but ${counted(others.length + 1)} did: ${shown([path, ...others])}`,
      advice,
    );
  const value = await contentOf(change.cwd, path);
  return value === undefined
    ? invalidFinding(output, `${path} was deleted again`, advice)
    : producedFinding(output, value, `${path} changed or added`);
}

function changedPaths({ before, after }: FileChange): string[] {
  return [...after].flatMap(([path, digest]) => (before.get(path) === digest ? [] : [path])).sort();
}

function unchanged({ pattern }: FileOutputModel, { after, since }: FileChange): string {
  const match = after.size === 0 ? 'no file matches' : after.size === 1 ? '1 file matches' : `${after.size} files match`;
  return after.size === 0 ? `${match} "${pattern}"` : `${match} "${pattern}", and none changed since before ${since}`;
}

/** Returns advice about files that do not count because they were written before the step. */
function adviceOn({ pattern }: FileOutputModel, { after, since }: FileChange): string {
  if (after.size === 0) return `add a file that matches "${pattern}"`;
  const author =
    since === 'the run' ? '' : '; the author of the workflow can write "fresh: run" at the step, so that work of earlier steps counts';
  return `add or change a file that matches "${pattern}" in this step; if it was written before the step and needs no change, report the step as failed and say so: a person can accept it with "pawl resume RUN --accept"${author}`;
}

async function contentOf(cwd: string, path: string): Promise<Json | undefined> {
  await using handle = await openFile(join(cwd, path));
  if (handle === undefined) return undefined;
  const content = await handle.readFile();
  const facts = { path, bytes: content.length, sha256: digestBytes(content) };
  const text = content.length > TEXT_BYTES_MAX ? undefined : textOf(content);
  return text === undefined ? facts : { ...facts, text };
}

function textOf(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

function counted(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function shown(paths: readonly string[]): string {
  return shortList(paths, SHOWN_MAX);
}

const BYTES_MAX = 4 << 20;

/** A name at the margin that is not marked as private. */
const PYTHON = /^(?:async[ \t]+)?(?:def|class)[ \t]+(?!_)\p{L}/mu;
const SCRIPT = /^[ \t]*export(?![\w$])/m;

const DECLARATIONS: Readonly<Record<string, RegExp>> = {
  '.py': PYTHON,
  '.pyi': PYTHON,
  ...Object.fromEntries(['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'].map((extension) => [extension, SCRIPT])),
};

/**
 * Returns the files with public declarations, when the output is recorded, because a file may change later. The text is not
 * parsed: a declaration inside a multi-line string or comment counts, so there can be false positives, but no false negatives.
 */
export async function findPublic(cwd: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const declaration = DECLARATIONS[extname(path).toLowerCase()];
    if (declaration === undefined) continue;
    if (declaration.test(await beginningOf(join(cwd, path)))) found.push(path);
  }
  return found;
}

async function beginningOf(path: string): Promise<string> {
  await using handle = await openFile(path);
  const chunks: Buffer[] = [];
  if (handle === undefined) return '';
  for await (const chunk of handle.createReadStream({ autoClose: false, end: BYTES_MAX - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').replaceAll('\r\n', '\n');
}
