// Owns running a command inside the process of the test: the bundled command line with streams of its own, and with the
// environment, folder and words that a process of its own would have. Starting a process takes ten times as long.

import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import type { runCommandLine } from '../../src/cli/main.ts';
import type { Ended } from './rig.ts';

/** A command with what a process would have been started with. */
export interface InProcess {
  readonly argv: readonly [node: string, script: string, ...words: string[]];
  readonly cwd: string;
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

let isUnderWay = false;
let commands = 0;

/** Whether a command is running in this process; there is one environment, so a second one needs a process of its own. */
export function hasCommandUnderWay(): boolean {
  return isUnderWay;
}

/** Runs a command to its end. */
export async function runInProcess(command: InProcess): Promise<Ended> {
  isUnderWay = true;
  commands += 1;
  const restore = takePlace(command);
  try {
    const main = createRequire(import.meta.url)(join(inject('bundle'), 'cli', 'main.cjs')) as { runCommandLine: typeof runCommandLine };
    const [stdout, stderr] = [openOutput(), openOutput()];
    const stdin = new PassThrough().end(command.input) as unknown as NodeJS.ReadStream;
    const context = { stdin, stdout: stdout.stream, stderr: stderr.stream, env: process.env, cwd: command.cwd, startedAt: Date.now() };
    const code = await apart(() => main.runCommandLine(context, command.argv.slice(2)));
    return { code, stdout: await stdout.text(), stderr: await stderr.text() };
  } finally {
    restore();
    isUnderWay = false;
  }
}

/** Calls a function as a process of its own does: without this file in the stack of what goes wrong in it. */
function apart<T>(call: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const begin = (): void => {
    // The engine follows a chain of promises by their own functions, and these are others.
    call().then(
      (value) => resolve(value),
      (error) => reject(error),
    );
  };
  setImmediate(begin);
  return promise;
}

/** Gives this process the environment, folder and words of the command, and returns what takes them back. */
function takePlace({ argv, cwd, env }: InProcess): () => void {
  const ours = { argv: process.argv, cwd: process.cwd(), env: { ...process.env } };
  const take = (to: { readonly argv: readonly string[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv }): void => {
    for (const name of Object.keys(process.env)) if (!(name in to.env)) delete process.env[name];
    Object.assign(process.env, to.env);
    process.argv = [...to.argv];
    process.chdir(to.cwd);
  };
  take({ argv, cwd, env });
  return () => take(ours);
}

function openOutput(): { readonly stream: NodeJS.WriteStream; text(): Promise<string> } {
  let printed = '';
  const stream = new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => {
    printed += text;
  });
  const text = async (): Promise<string> => {
    await new Promise<void>((resolve) => stream.once('end', resolve).end());
    return printed;
  };
  return { stream: stream as unknown as NodeJS.WriteStream, text };
}

/** An error as a process of its own throws it: without this file in its stack. */
function withoutThisFile(error: unknown): unknown {
  const isOurs = (line: string): boolean => line.includes(import.meta.url);
  if (error instanceof Error)
    error.stack =
      error.stack
        ?.split('\n')
        .filter((line) => !isOurs(line))
        .join('\n') ?? '';
  return error;
}

// A new process has loaded none of the user's modules, so each command loads them anew.
const temporary = pathToFileURL(join(tmpdir(), '/')).href;
// This checkout may lie among the temporary files itself.
const checkout = new URL('../../', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => {
    try {
      const resolved = next(specifier, context);
      const isOfUser =
        resolved.url.startsWith(temporary) && !resolved.url.startsWith(checkout) && !/\?|\/node_modules\//.test(resolved.url);
      return isOfUser ? { ...resolved, url: `${resolved.url}?command=${commands}` } : resolved;
    } catch (error) {
      throw withoutThisFile(error);
    }
  },
});
