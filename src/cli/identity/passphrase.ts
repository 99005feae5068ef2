// Owns how a passphrase is read: typed at the terminal without echo, or from a file descriptor. Never from arguments or
// variables: other processes can read those.

import { closeSync, readSync } from 'node:fs';
import { EngineError, messageOf } from '../../base/error.ts';
import type { ParsedArgs } from '../command.ts';
import type { Shell } from '../shell.ts';

const BYTES_MAX = 4096;
const RETRY_MS = 10;

/** A source of passphrases. */
interface Passphrases extends Disposable {
  /** True if a person types it, and can try again. */
  readonly isTyped: boolean;
  read(question: string): Promise<string>;
}

/** The passphrase that was read from a file descriptor, per command line. */
const read = new WeakMap<ParsedArgs, string>();

/**
 * Reads the passphrase from --passphrase-fd and closes the descriptor before the command starts: programs that a run
 * starts would inherit the descriptor and could read it again.
 */
export function takePassphrase(given: ParsedArgs): void {
  const number = given.option('passphrase-fd');
  if (number !== undefined) read.set(given, fromFile(number));
}

/** Opens the source of passphrases. A terminal does not echo input until it is closed. */
export function openPassphrases(shell: Shell, given: ParsedArgs | undefined): Passphrases {
  const taken = given === undefined ? undefined : read.get(given);
  if (taken !== undefined) return { isTyped: false, read: async () => taken, [Symbol.dispose]: () => undefined };
  const { stdin } = shell.world;
  if (stdin.isTTY !== true || !shell.look.isTerminal)
    throw new EngineError(
      'NOT_ALLOWED',
      'signing needs a passphrase, and this is not an interactive terminal; sign at a terminal, or use --passphrase-fd N',
    );
  // Set before the question is shown, so that fast typing is not echoed.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  return { isTyped: true, read: (question) => typed(shell, question), [Symbol.dispose]: () => stdin.setRawMode(false) };
}

/** Reads the first line of a file descriptor. */
function fromFile(number: string): string {
  const fd = Number(number);
  if (!Number.isInteger(fd) || fd < 0 || fd === 1 || fd === 2)
    throw new EngineError('USAGE', `--passphrase-fd must be a file descriptor that is open for reading, such as 3, not "${number}"`);
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
    const why = `cannot read the passphrase from file descriptor ${fd}: ${messageOf(cause)}; open it with "${fd}< FILE"`;
    throw new EngineError('USAGE', why, { cause });
  }
  return bytes.subarray(0, length).toString('utf8').split('\n')[0]?.replace(/\r$/, '') ?? '';
}

/** Reads from a descriptor, and retries while a pipe is empty. */
function readSome(fd: number, bytes: Buffer, from: number): number {
  for (;;) {
    try {
      return readSync(fd, bytes, from, BYTES_MAX - from, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Asks at a terminal without echo. */
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
  return new EngineError('NOT_ALLOWED', 'no passphrase was given; nothing was signed or changed');
}
