// Owns how a passphrase is read: typed at the terminal without being shown, or from an open file that the caller names by
// its number. Never from words or variables: other processes can read those.

import { closeSync, readSync } from 'node:fs';
import { EngineError, messageOf } from '../../base/error.ts';
import type { Given } from '../command.ts';
import type { Shell } from '../shell.ts';

const BYTES_MAX = 4096;
const LOOK_MS = 10;

/** Where passphrases come from; closed when the last one was used. */
export interface Passphrases {
  /** True where somebody types, and may type again. */
  readonly isTyped: boolean;
  read(question: string): Promise<string>;
  close(): void;
}

/** What was read from an open file, for the command that it was given to. */
const read = new WeakMap<Given, string>();

/**
 * Reads the passphrase of a command line that names an open file, and closes the file, before the command does anything:
 * whatever a run starts would inherit it, and read it again.
 */
export function takePassphrase(given: Given): void {
  const number = given.option('passphrase-fd');
  if (number !== undefined) read.set(given, fromFile(number));
}

/** Opens the source of passphrases. At a terminal nothing is shown of what is typed until it is closed. */
export function openPassphrases(shell: Shell, given: Given | undefined): Passphrases {
  const taken = given === undefined ? undefined : read.get(given);
  if (taken !== undefined) return { isTyped: false, read: async () => taken, close: () => undefined };
  const { stdin } = shell.world;
  if (stdin.isTTY !== true || !shell.look.isTerminal)
    throw new EngineError(
      'NOT_ALLOWED',
      'signing takes a passphrase, and this is not an interactive terminal; sign at one, or give the passphrase with --passphrase-fd N',
    );
  // Before the question is on the screen: whoever is quick must not see it there.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  return { isTyped: true, read: (question) => typed(shell, question), close: () => stdin.setRawMode(false) };
}

/** Reads the first line of an open file. */
function fromFile(number: string): string {
  const fd = Number(number);
  if (!Number.isInteger(fd) || fd < 0 || fd === 1 || fd === 2)
    throw new EngineError('USAGE', `--passphrase-fd takes the number of a file that is open for reading, such as 3; not "${number}"`);
  const bytes = Buffer.alloc(BYTES_MAX);
  let length = 0;
  try {
    for (;;) {
      const read = readSome(fd, bytes, length);
      length += read;
      if (read === 0 || length === BYTES_MAX || bytes.subarray(0, length).includes(10)) break;
    }
    if (fd > 2) closeSync(fd);
  } catch (cause) {
    throw new EngineError('USAGE', `the passphrase cannot be read from file ${fd}: ${messageOf(cause)}; open it with "${fd}< FILE"`, {
      cause,
    });
  }
  return bytes.subarray(0, length).toString('utf8').split('\n')[0]?.replace(/\r$/, '') ?? '';
}

/** A pipe may have nothing to give yet: it is looked at again. */
function readSome(fd: number, bytes: Buffer, from: number): number {
  for (;;) {
    try {
      return readSync(fd, bytes, from, BYTES_MAX - from, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    }
  }
}

/** Asks at a terminal that shows nothing of what is typed. */
function typed(shell: Shell, question: string): Promise<string> {
  const { stdin, stdout } = shell.world;
  stdout.write(`${shell.style('yellow', shell.symbol('point'))} ${question}: `);
  return new Promise((resolve, reject) => {
    let text: string[] = [];
    const end = (settle: () => void): void => {
      stdin.off('data', take);
      stdin.pause();
      stdout.write('\n');
      settle();
    };
    const take = (chunk: string): void => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n') return end(() => resolve(text.join('')));
        if (character === '\u0003' || (character === '\u0004' && text.length === 0)) return end(() => reject(left()));
        if (character === '\u007f' || character === '\b') text.pop();
        else if (character === '\u0015') text = [];
        else if (character >= ' ') text.push(character);
      }
    };
    stdin.on('data', take);
    stdin.resume();
  });
}

function left(): EngineError {
  return new EngineError('NOT_ALLOWED', 'no passphrase was given, so nothing was signed and nothing has changed');
}
