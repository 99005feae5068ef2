// Owns the line where a person types. Nothing typed before the question was on the screen counts, and leaving it
// (Ctrl-C, Ctrl-D) is an answer too: not now.

import { createInterface, type Interface } from 'node:readline/promises';
import type { Shell } from '../shell.ts';

const FORGET_MS = 30;

/** A line to type in. */
export interface Prompt {
  /** What was typed; nothing when the person left or the question went away. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** Opens the line; `gone` ends a question that is asked. */
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
        await forgetTyped(stdin);
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
    close: () => lines?.close(),
  };
}

/** Throws away what was typed before: it cannot be an answer to what was not on the screen yet. */
async function forgetTyped(stdin: NodeJS.ReadStream): Promise<void> {
  const forget = (): void => undefined;
  stdin.setRawMode(true);
  stdin.on('data', forget);
  // Nothing tells that a terminal has no more to give; what lies there comes at once.
  await new Promise((resolve) => setTimeout(resolve, FORGET_MS));
  stdin.off('data', forget);
  stdin.pause();
}

/** Asks for a yes; anything else is a no. */
export async function confirm(shell: Shell, question: string): Promise<boolean> {
  const prompt = openPrompt(shell);
  try {
    return /^y(es)?$/i.test((await prompt.ask(`${question} [y/N]`))?.trim() ?? '');
  } finally {
    prompt.close();
  }
}
