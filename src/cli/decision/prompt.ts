// Owns the prompt where a person types. Input typed before the question was shown is discarded. Ctrl-C and Ctrl-D mean
// "not now".

import { createInterface, type Interface } from 'node:readline/promises';
import type { Shell } from '../shell.ts';

const DISCARD_MS = 30;

/** A prompt for one or more questions. */
export interface Prompt extends Disposable {
  /** The typed line; undefined if the person left or the question was withdrawn. */
  ask(question: string): Promise<string | undefined>;
}

/** Opens a prompt; `gone` withdraws the current question. */
export function openPrompt(shell: Shell, gone?: AbortSignal): Prompt {
  const { stdin, stdout } = shell.world;
  const leaving = new AbortController();
  const signal = gone === undefined ? leaving.signal : AbortSignal.any([gone, leaving.signal]);
  let lines: Interface | undefined;
  const open = (): Interface => {
    const opened = createInterface({ input: stdin, output: stdout, terminal: true, historySize: 0 });
    opened.on('SIGINT', () => leaving.abort());
    opened.on('close', () => leaving.abort());
    return opened;
  };
  return {
    ask: async (question) => {
      if (lines === undefined) {
        await discardTyped(stdin);
        lines = open();
      }
      try {
        return await lines.question(`${shell.style('yellow', shell.symbol('point'))} ${question}: `, { signal });
      } catch (error) {
        if (!signal.aborted) throw error;
        shell.print();
        return undefined;
      }
    },
    [Symbol.dispose]: () => lines?.close(),
  };
}

/** Discards earlier input: it cannot be an answer to a question that was not shown yet. */
async function discardTyped(stdin: NodeJS.ReadStream): Promise<void> {
  const discard = (): void => undefined;
  stdin.setRawMode(true);
  stdin.on('data', discard);
  // A terminal does not signal that its buffer is empty, but buffered input arrives at once. On a busy machine the time
  // may pass before the input was looked at: an immediate comes after such a look.
  await new Promise((resolve) => setTimeout(resolve, DISCARD_MS));
  await new Promise((resolve) => setImmediate(resolve));
  stdin.off('data', discard);
  stdin.pause();
}

/** Asks a yes/no question; anything but yes is no. */
export async function confirm(shell: Shell, question: string): Promise<boolean> {
  using prompt = openPrompt(shell);
  return /^y(es)?$/i.test((await prompt.ask(`${question} [y/N]`))?.trim() ?? '');
}
