// Loads modules of users in a separate process, with limits on time and memory, to learn what they define. Whatever a
// module prints, changes in its process or throws stays there.

import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { CheckedModule } from '../../authoring/discover/discover.ts';
import { messageOf } from '../../base/error.ts';
import type { DescribedWorkflow } from '../../definition/plain-workflow.ts';
import type { LoadFailure } from './import.ts';
import { loaderProgram } from './library.ts';
import type { CheckedContent } from './restrict-loads.ts';

/** What may be loaded, as it is sent. */
interface WireContent {
  readonly file: string;
  readonly files: readonly (readonly [path: string, digest: string])[];
  readonly folder?: string | undefined;
}

type LoadQuestion =
  | { readonly ask: 'workflow'; readonly file: string; readonly content?: WireContent | undefined }
  | { readonly ask: 'yaml'; readonly file: string; readonly text: string; readonly parts: readonly WireContent[] }
  | { readonly ask: 'parts'; readonly parts: readonly WireContent[] };

/** A request to the loading process. If the process that sent it, `parent`, ends, so does the loading process. */
export type LoadRequest = LoadQuestion & { readonly parent: number };

interface FailedLoad {
  readonly failure: LoadFailure;
}

/** A workflow that was loaded, or why it could not be. */
export type LoadResult = { readonly workflow: DescribedWorkflow } | FailedLoad;

/** The problems of a workflow file that names parts of the user, and the workflow if there are none. */
export type YamlResult = { readonly checked: CheckedModule; readonly workflow?: DescribedWorkflow } | FailedLoad;

/** The names of the step kinds and checks that files define. */
export type PartsResult = { readonly kinds: readonly string[]; readonly checks: readonly string[] } | FailedLoad;

/** What the process answers. */
export type LoadAnswer = LoadResult | YamlResult | PartsResult;

/** How long loading may take, and how much memory. */
export interface LoadLimits {
  readonly timeoutMs?: number;
  readonly megabytes?: number;
}

/** Loads a workflow in a separate process. This runs its code: callers check that it is trusted first. */
export function loadInSubprocess(file: string, checked?: CheckedContent, limits?: LoadLimits): Promise<LoadResult> {
  const content = checked === undefined ? undefined : toWire(checked);
  return ask<LoadResult>({ ask: 'workflow', file: checked?.file ?? file, content }, limits);
}

/** Checks a workflow file with the step kinds and checks of some files, which runs their code. */
export function checkYamlInSubprocess(file: string, text: string, parts: readonly CheckedContent[]): Promise<YamlResult> {
  return ask<YamlResult>({ ask: 'yaml', file, text, parts: parts.map(toWire) });
}

/** Loads files with step kinds and checks. */
export function loadPartsInSubprocess(parts: readonly CheckedContent[]): Promise<PartsResult> {
  return ask<PartsResult>({ ask: 'parts', parts: parts.map(toWire) });
}

function toWire({ file, files, folder }: CheckedContent): WireContent {
  return { file, files: [...files], folder };
}

/** What may be loaded, as the loading process uses it. */
export function fromWire({ file, files, folder }: WireContent): CheckedContent {
  return { file, files: new Map(files), folder };
}

async function ask<Answer extends LoadAnswer>(
  question: LoadQuestion,
  { timeoutMs = 20_000, megabytes = 512 }: LoadLimits = {},
): Promise<Answer | FailedLoad> {
  const { spawn } = await import('node:child_process');
  await takeSlot();
  const cache = getCompileCacheDir();
  const child = spawn(process.execPath, [`--max-old-space-size=${megabytes}`, loaderProgram()], {
    env: { ...process.env, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  try {
    const request: LoadRequest = { ...question, parent: process.pid };
    // A process that ends before it was asked is noticed by its end.
    child.send(request, () => undefined);
    const answered = once(child, 'message').then(([answer]) => answer as Answer);
    // What was sent before the end arrives before the channel closes.
    const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(([[code, signal]]) =>
      failed(whyEnded(code, signal, { timeoutMs, megabytes })),
    );
    return await Promise.race([answered, ended]);
  } catch (error) {
    return failed(`the process that loads it could not be started: ${messageOf(error)}`);
  } finally {
    child.kill('SIGKILL');
    freeSlot();
  }
}

function failed(message: string): FailedLoad {
  return { failure: { code: 'MODULE_FAILED', message } };
}

const EXIT_ABORTED = 134;

function whyEnded(code: number | null, signal: NodeJS.Signals | null, { timeoutMs, megabytes }: Required<LoadLimits>): string {
  if (signal === 'SIGKILL') return `it was not loaded within ${timeoutMs / 1000} seconds`;
  if (signal === 'SIGABRT' || code === EXIT_ABORTED) return `it needed more than ${megabytes} MB of memory while it was loaded`;
  if (code === 0) return 'it was not loaded to its end: it calls process.exit, or it awaits something that never happens';
  return signal === null ? `it ended the process with exit code ${code} while it was loaded` : `its process was killed by ${signal}`;
}

let running = 0;
const waiting: (() => void)[] = [];

/** A project may have many modules; no more of them are loaded at a time than there are processors. */
async function takeSlot(): Promise<void> {
  if (running < availableParallelism()) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

function freeSlot(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
