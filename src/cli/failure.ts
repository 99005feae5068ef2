// Owns how a failure is reported: one line with the position in the source, if there is one, the message and the error code;
// JSON for programs; and the exit code from the catalogue.

import { type EngineError, ERROR_CODES, isEngineError, messageOf } from '../base/error.ts';
import { pasteableIn } from './caller.ts';
import { SCHEMA_VERSION, type Shell, type World } from './shell.ts';
import { logText, lookOf, styled } from './terminal.ts';

const EXIT_BUG = 70;

interface FailureFlags {
  readonly json: boolean;
  readonly noColor: boolean;
  readonly named: Shell['named'];
}

/** Reports a failure and returns its exit code. */
export function reportFailure(world: World, error: unknown, flags: FailureFlags): number {
  const look = lookOf(world.stderr, world.env, { noColor: flags.noColor });
  if (!isEngineError(error)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
    world.stderr.write(`pawl: this is a bug in Pawl; everything recorded so far is safe on disk:\n${logText(stack, world.env)}\n`);
    return EXIT_BUG;
  }
  const message = pasteableIn({ env: world.env, named: flags.named }, error.message);
  if (flags.json) world.stdout.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, error: failureOf(error, message) }, null, 2)}\n`);
  const { position } = error;
  const where =
    position === undefined ? '' : `${position.file === undefined ? '' : `${position.file}:`}${position.line}:${position.column}: `;
  world.stderr.write(`${styled(look, 'red', 'pawl:')} ${logText(where + message, world.env)} ${styled(look, 'dim', `[${error.code}]`)}\n`);
  return ERROR_CODES[error.code].exit;
}

function failureOf({ code, position, details }: EngineError, message: string): object {
  return { code, message, retry: ERROR_CODES[code].retry, ...(position ?? {}), details };
}
