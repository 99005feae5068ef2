// Owns which code may run. A workflow's module must be trusted before it runs: this exact version, or everything in a folder.
// Trust is recorded in the user's state directory, outside all projects.

import { realpathSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { changeStateFile, readStateFile } from '../../authority/state-file.ts';
import { EngineError } from '../../base/error.ts';
import { parseJsonObject } from '../../base/json.ts';
import { type Project, stateHome } from '../project.ts';
import { tryRight } from '../right.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** A trusted version of a file: the digest of the file and its imports. */
export interface TrustedFile {
  readonly digest: string;
  /** The digest of each file by its path relative to the trusted one. */
  readonly parts: Readonly<Record<string, string>>;
  /** When it was trusted, as an ISO time. */
  readonly since: string;
}

/** Everything a user trusts. */
export interface Trust {
  /** Folders that are trusted as a whole, with the time. */
  readonly folders: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, TrustedFile>>;
}

const WHAT = 'the list of trusted files';
const EMPTY: Trust = { folders: {}, files: {} };
const DIGEST_SHOWN = 16;
const WRITABLE_BY_ALL = 0o002;

function trustFile(shell: Shell): string {
  return join(stateHome(shell), 'trust.json');
}

/** Reads what this user trusts. */
export function readTrust(shell: Shell): Trust {
  const file = trustFile(shell);
  const text = readStateFile({ file, what: WHAT });
  if (text === undefined) return EMPTY;
  const { folders, files } = (parseJsonObject(text) ?? {}) as Partial<Trust>;
  if (typeof folders === 'object' && typeof files === 'object') return { folders, files };
  throw new EngineError('CONFIG_INVALID', `${file} is damaged, so nothing is trusted; remove it, then trust your workflows again`);
}

/** Changes what this user trusts, under a lock; returns the previous state. */
export function changeTrust(shell: Shell, change: (trust: Trust) => Trust): Trust {
  return changeStateFile({ file: trustFile(shell), what: WHAT }, () => {
    const before = readTrust(shell);
    return { text: `${JSON.stringify({ version: 1, ...change(before) }, null, 2)}\n`, result: before };
  });
}

/** Trusts the current version of a file and of the files it imports. */
export async function trustContent(shell: Shell, file: string): Promise<ModuleGraph> {
  const graph = await readGraph(file);
  recordTrust(shell, graph);
  return graph;
}

/** Trusts a version that was already read. */
export function recordTrust(shell: Shell, { file, digest, parts }: ModuleGraph): void {
  const entry: TrustedFile = { digest, parts: Object.fromEntries(parts), since: new Date().toISOString() };
  changeTrust(shell, (trust) => ({ ...trust, files: { ...trust.files, [file]: entry } }));
}

/** Trusts everything in a folder, now and in the future. */
export function trustFolder(shell: Shell, folder: string): string {
  const root = realpathSync(folder);
  if (root === dirname(root) || root === home(shell))
    throw new EngineError('USAGE', `${root} contains more than one project; trust the folder of a project, or single files`);
  changeTrust(shell, (trust) => ({ ...trust, folders: { ...trust.folders, [root]: new Date().toISOString() } }));
  return root;
}

function home(shell: Shell): string | undefined {
  try {
    return realpathSync(shell.env.HOME ?? homedir());
  } catch {
    return undefined;
  }
}

/** The trusted folder that contains a file. */
export function trustedFolder(trust: Trust, file: string): string | undefined {
  return Object.keys(trust.folders).find((folder) => isInside(folder, file));
}

/** Whether a path is inside a folder. */
export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '' && !below.startsWith('..') && !isAbsolute(below);
}

/** The files that changed since a file was trusted, relative to it. */
export function changedSince(trusted: TrustedFile, { parts }: ModuleGraph): string[] {
  const names = new Set([...Object.keys(trusted.parts), ...parts.keys()]);
  return [...names].filter((name) => trusted.parts[name] !== parts.get(name)).sort();
}

/** The trusted code of a file, and the trusted folder that covers it, if any. */
export interface TrustedContent extends ModuleGraph {
  readonly folder?: string;
}

/** Throws if a file is not trusted; at a terminal it asks the person first. Returns the code that may be loaded. */
export async function assertTrusted(
  shell: Shell,
  project: Project,
  { file, use = WORKFLOW_USE }: { readonly file: string; readonly use?: TrustPurpose },
): Promise<TrustedContent> {
  const trust = readTrust(shell);
  const path = realpathSync(file);
  const graph = await readGraph(path);
  const folder = trustedFolder(trust, path);
  const uncovered = folder === undefined ? undefined : uncoveredBecause(folder, graph);
  if (folder !== undefined && uncovered === undefined) return { ...graph, folder };
  assertImportsKnown(graph);
  const trusted = trust.files[path];
  if (trusted?.digest === graph.digest) return graph;
  const { signerOf } = await import('./signature.ts');
  if (signerOf(shell, project, graph) !== undefined) return graph;
  const changed = trusted === undefined ? [] : changedSince(trusted, graph);
  if (!shell.isInteractive || (await tryRight(shell, { demand: 'trust', on: 'pawl trust' })) === undefined)
    throw notTrusted(graph, { changed, use, uncovered });
  for (const line of describeContent(shell, graph, changed)) shell.print(line);
  const answer = await ask(shell, `${use.question} y = yes, this version · a = always trust this folder · N = no: `);
  if (answer === 'y' || answer === 'yes') recordTrust(shell, graph);
  else if (answer === 'a' || answer === 'always') trustFolder(shell, project.root);
  else throw notTrusted(graph, { changed, use });
  return graph;
}

/** Throws if parsing does not show all code that a file loads, because trusting its content would not cover the rest. */
export function assertImportsKnown({ problems }: ModuleGraph): void {
  const [first] = problems;
  if (first === undefined) return;
  const { file, line, column, message, hint } = first;
  throw new EngineError(
    'NOT_TRUSTED',
    `${message}, and it cannot be trusted by its content; ${hint}, or trust the whole folder with "pawl trust --folder"`,
    { position: { file, line, column }, details: { problems } },
  );
}

/** Whether a file without imports is trusted, by the digest of its text. */
export function isTrustedText(shell: Shell, file: string, digest: string): boolean {
  const trust = readTrust(shell);
  const path = realpathSync(file);
  const folder = trustedFolder(trust, path);
  return (folder !== undefined && foreignPath(folder, [path]) === undefined) || trust.files[path]?.parts[basename(path)] === digest;
}

/**
 * Whether only this user or the administrator can have written a file or folder. Trust in a folder covers only such files:
 * one that another account wrote or can change must be trusted by its content.
 */
export function isOwnFile({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, me: number | undefined): boolean {
  // A system without user ids has no file modes either.
  return me === undefined || ((uid === me || uid === 0) && (mode & WRITABLE_BY_ALL) === 0);
}

/** Why trust in a folder does not cover a file: it loads code from outside, or another user can change its code. */
function uncoveredBecause(folder: string, { files }: ModuleGraph): string | undefined {
  const paths = [...files.keys()];
  const outside = paths.find((path) => !isInside(folder, path) && !/[\\/]node_modules[\\/]/.test(path));
  if (outside !== undefined) return `it loads ${outside}, which is outside the trusted folder`;
  const foreign = foreignPath(folder, paths);
  return foreign === undefined ? undefined : `another user wrote ${foreign} or can change it, so trusting the folder does not cover it`;
}

/** The first of the files, and the folders around them up to the trusted one, that another user can change. */
function foreignPath(folder: string, paths: readonly string[]): string | undefined {
  const around = new Set(paths);
  for (const path of around) if (isInside(folder, path)) around.add(dirname(path));
  return [...around].find((path) => {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts !== undefined && !isOwnFile(facts, process.getuid?.());
  });
}

/** Why a file must be trusted, and the question to the person. */
interface TrustPurpose {
  readonly why: string;
  readonly question: string;
}

const WORKFLOW_USE: TrustPurpose = { why: 'running it runs its code', question: 'Run it?' };
/** For a module that is checked. */
export const CHECK_USE: TrustPurpose = { why: 'checking more than its syntax runs its code', question: 'Load it to check it?' };
/** For a settings file. */
export const SETTINGS_USE: TrustPurpose = {
  why: 'it sets programs to run, people who may approve, a forge to use, or more permissions than your own settings',
  question: 'Use it?',
};

interface Refusal {
  readonly changed: readonly string[];
  readonly use: TrustPurpose;
  readonly uncovered?: string | undefined;
}

function notTrusted({ file, digest }: ModuleGraph, { changed, use, uncovered }: Refusal): EngineError {
  const why =
    uncovered !== undefined
      ? `${uncovered}, and ${use.why}`
      : changed.length === 0
        ? `${file} is not trusted yet, and ${use.why}`
        : `${file} has changed since it was trusted: ${changed.map(oneLine).join(', ')}`;
  return new EngineError('NOT_TRUSTED', `${why}; review it, then run "pawl trust ${file}" to trust this version`, {
    details: { file, digest, changed },
  });
}

/** The imports of a file: relative paths, and packages. */
export function importedFiles({ file, parts }: ModuleGraph): string[] {
  return [...parts.keys()].filter((name) => name !== basename(file));
}

/** The facts for a person who is asked to trust a file. */
export function describeContent(shell: Shell, graph: ModuleGraph, changed: readonly string[]): string[] {
  const modules = importedFiles(graph);
  return [
    shell.style('bold', oneLine(graph.file)),
    `  digest   ${graph.digest.slice(0, DIGEST_SHOWN)}`,
    `  imports  ${modules.length === 0 ? 'no local files' : modules.map(oneLine).join(', ')}`,
    ...graph.openFolders.map((folder) => `  imports  any code in ${oneLine(folder)}: an import there is only known by running it`),
    ...(changed.length === 0 ? [] : [`  changed  ${changed.map(oneLine).join(', ')} (since it was trusted)`]),
  ];
}

/** Asks the person at the terminal; returns an empty string without an answer. */
async function ask(shell: Shell, question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: shell.world.stdin, output: shell.world.stdout });
  const closed = new AbortController();
  lines.once('close', () => closed.abort());
  lines.once('SIGINT', () => lines.close());
  try {
    return (await lines.question(question, { signal: closed.signal })).trim().toLowerCase();
  } catch {
    shell.print();
    return '';
  } finally {
    lines.close();
  }
}

/** Reads a file and all code that it loads. */
export async function readGraph(file: string): Promise<ModuleGraph> {
  const { readModuleGraph } = await import('../../authoring/discover/imports.ts');
  return readModuleGraph(file);
}
