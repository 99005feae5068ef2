// Owns loading the module of a workflow in a process of its own, bounded in time and memory, to learn what it defines.
// Whatever the module prints, changes in its process or throws stays there.

import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { messageOf } from '../../base/error.ts';
import type { Definition } from '../../definition/model.ts';
import type { CheckedContent, LoadFailure } from './import.ts';
import { loaderProgram } from './library.ts';

/** What the process is asked: a file, and the content it may be loaded with. */
export interface LoadRequest {
  readonly file: string;
  readonly parts?: readonly (readonly [path: string, digest: string])[] | undefined;
}

/** What a module defines, or why it could not be loaded. */
export type LoadResult =
  /** `children` are the workflows that its steps start and that it holds as values. */
  { readonly definition: Definition; readonly children: readonly string[] } | { readonly failure: LoadFailure };

/** How long loading may take, and how much memory. */
export interface LoadLimits {
  readonly timeoutMs?: number;
  readonly megabytes?: number;
}

/** Loads a file in a process of its own. This runs its code: callers check that it is trusted first. */
export async function loadApart(
  file: string,
  checked?: CheckedContent,
  { timeoutMs = 20_000, megabytes = 512 }: LoadLimits = {},
): Promise<LoadResult> {
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
    const request: LoadRequest = { file: checked?.file ?? file, parts: checked === undefined ? undefined : [...checked.parts] };
    // A process that ends before it was asked is noticed by its end.
    child.send(request, () => undefined);
    const answered = once(child, 'message').then(([result]) => result as LoadResult);
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

function failed(message: string): LoadResult {
  return { failure: { code: 'MODULE_FAILED', message } };
}

const EXIT_ABORTED = 134;

function whyEnded(code: number | null, signal: NodeJS.Signals | null, { timeoutMs, megabytes }: Required<LoadLimits>): string {
  if (signal === 'SIGKILL') return `it was not loaded within ${timeoutMs / 1000} seconds`;
  if (signal === 'SIGABRT' || code === EXIT_ABORTED) return `it needed more than ${megabytes} MB of memory while it was loaded`;
  if (code === 0) return 'it was not loaded to its end: it calls process.exit, or it awaits something that never happens';
  return signal === null ? `it ended the process with exit code ${code} while it was loaded` : `its process was ended by ${signal}`;
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
