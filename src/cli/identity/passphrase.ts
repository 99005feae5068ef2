// Reads a passphrase: typed at the terminal without echo, or from a file descriptor. Never from arguments or
// variables, which other processes can read.

import { closeSync, readSync } from 'node:fs';
import { EngineError, messageOf, systemCodeOf } from '../../base/error.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import type { Shell } from '../shell.ts';

const BYTES_MAX = 4096;
const RETRY_MS = 10;

interface Passphrases extends Disposable {
  /** True if a person types the passphrase and can try again. */
  readonly isTyped: boolean;
  read(question: string): Promise<string>;
}

const optionPassphrases = new WeakMap<ParsedArgs, string>();

/**
 * Reads the passphrase from --passphrase-fd and closes the descriptor before the command starts: programs that a run
 * starts would inherit the descriptor and could read it again.
 */
export function readPassphraseOption(args: ParsedArgs): void {
  const number = args.option('passphrase-fd');
  if (number !== undefined) optionPassphrases.set(args, readDescriptor(number));
}

/** Opens the source of passphrases. Until it is closed, the terminal does not echo input. */
export function openPassphrases(shell: Shell, args: ParsedArgs | undefined): Passphrases {
  const known = args === undefined ? undefined : optionPassphrases.get(args);
  if (known !== undefined) return { isTyped: false, read: async () => known, [Symbol.dispose]: () => undefined };
  const { stdin } = shell.context;
  if (stdin.isTTY !== true || !shell.display.isTerminal)
    throw new EngineError(
      'NOT_ALLOWED',
      'signing needs a passphrase, and this is not an interactive terminal; sign at a terminal, or use --passphrase-fd N',
    );
  // Set before the question is shown, so that fast typing is not echoed.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  return { isTyped: true, read: (question) => promptHidden(shell, question), [Symbol.dispose]: () => stdin.setRawMode(false) };
}

function readDescriptor(number: string): string {
  const fd = Number(number);
  if (!Number.isInteger(fd) || fd < 0 || fd === 1 || fd === 2)
    throw usageError(`--passphrase-fd must be a file descriptor that is open for reading, such as 3, not "${number}"`);
  const bytes = Buffer.alloc(BYTES_MAX);
  let length = 0;
  try {
    for (;;) {
      const count = readSome(fd, bytes, length);
      length += count;
      if (count === 0 || length === BYTES_MAX || bytes.subarray(0, length).includes(10)) break;
    }
    if (fd > 2) closeSync(fd);
  } catch (cause) {
    const why = `cannot read the passphrase from file descriptor ${fd}: ${messageOf(cause)}; open it with "${fd}< FILE"`;
    throw usageError(why, { cause });
  }
  return bytes.subarray(0, length).toString('utf8').split('\n')[0]?.replace(/\r$/, '') ?? '';
}

/** Reads from a descriptor; waits while a pipe is empty. */
function readSome(fd: number, bytes: Buffer, from: number): number {
  for (;;) {
    try {
      return readSync(fd, bytes, from, BYTES_MAX - from, null);
    } catch (error) {
      if (systemCodeOf(error) !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function promptHidden(shell: Shell, question: string): Promise<string> {
  const { stdin, stdout } = shell.context;
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
        if (character === '\u0003' || (character === '\u0004' && text.length === 0))
          return end(() => reject(new EngineError('NOT_ALLOWED', 'no passphrase was given; nothing was signed or changed')));
        if (character === '\u007f' || character === '\b') text.pop();
        else if (character === '\u0015') text = [];
        else if (character >= ' ') text.push(character);
      }
    };
    stdin.on('data', take);
    stdin.resume();
  });
}
