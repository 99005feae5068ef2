// Decides which code may run. A workflow's module must be trusted before it runs: this exact version, or everything in a folder.
// At a terminal the person is asked.

import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { EngineError } from '../../base/error.ts';
import { isWithin } from '../../base/inside-folder.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Project } from '../project.ts';
import { tryRight } from '../right.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { changedSince, foreignPath, readGraph, readTrust, recordTrust, trustedFolder, trustFolder } from './trust-list.ts';

const DIGEST_SHOWN = 16;

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

/** Why trust in a folder does not cover a file: it loads code from outside, or another user can change its code. */
function uncoveredBecause(folder: string, { files }: ModuleGraph): string | undefined {
  const paths = [...files.keys()];
  const outside = paths.find((path) => !isWithin(folder, path) && !/[\\/]node_modules[\\/]/.test(path));
  if (outside !== undefined) return `it loads ${outside}, which is outside the trusted folder`;
  const foreign = foreignPath(folder, paths);
  return foreign === undefined ? undefined : `another user wrote ${foreign} or can change it, so trusting the folder does not cover it`;
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

interface MissingTrust {
  readonly changed: readonly string[];
  readonly use: TrustPurpose;
  readonly uncovered?: string | undefined;
}

function notTrusted({ file, digest }: ModuleGraph, { changed, use, uncovered }: MissingTrust): EngineError {
  const why =
    uncovered !== undefined
      ? `${uncovered}, and ${use.why}`
      : changed.length === 0
        ? `${file} is not trusted yet, and ${use.why}`
        : `${file} has changed since it was trusted: ${changed.map(oneLine).join(', ')}`;
  return new EngineError('NOT_TRUSTED', `${why}; review it, then run "pawl trust ${shellWord(file)}" to trust this version`, {
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
  const lines = createInterface({ input: shell.context.stdin, output: shell.context.stdout });
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
