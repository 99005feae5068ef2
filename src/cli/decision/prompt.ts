// Owns the prompt where a person types. Input typed before the question was shown is discarded. Ctrl-C and Ctrl-D leave
// the question open.

import { createInterface, type Interface } from 'node:readline/promises';
import type { Shell } from '../shell.ts';

const DISCARD_MS = 30;

/** A prompt for one or more questions. */
export interface Prompt extends Disposable {
  /** The typed line; undefined if the person pressed Ctrl-C or Ctrl-D, or the question was withdrawn. */
  ask(question: string): Promise<string | undefined>;
}

/** Opens a prompt; `withdrawn` ends the current question. */
export function openPrompt(shell: Shell, withdrawn?: AbortSignal): Prompt {
  const { stdin, stdout } = shell.context;
  const quitting = new AbortController();
  const signal = withdrawn === undefined ? quitting.signal : AbortSignal.any([withdrawn, quitting.signal]);
  let lines: Interface | undefined;
  const open = (): Interface => {
    const opened = createInterface({ input: stdin, output: stdout, terminal: true, historySize: 0 });
    opened.on('SIGINT', () => quitting.abort());
    opened.on('close', () => quitting.abort());
    return opened;
  };
  return {
    ask: async (question) => {
      if (lines === undefined) {
        await discardInput(stdin);
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

async function discardInput(stdin: NodeJS.ReadStream): Promise<void> {
  const discard = (): void => undefined;
  stdin.setRawMode(true);
  stdin.on('data', discard);
  // A terminal does not report that its buffer is empty, but buffered input arrives at once. On a busy machine the timer may
  // fire before the input was read; an immediate runs after reading.
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
