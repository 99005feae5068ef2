// Owns how a failure is reported: one line with what happened, what to do and the error code, after the position in the
// source if there is one; JSON for programs; and the exit code from the catalogue.

import { type EngineError, ERROR_CODES, isEngineError, messageOf } from '../base/error.ts';
import { SCHEMA_VERSION, type World } from './shell.ts';
import { lookOf, plain, styled } from './terminal.ts';

/** The exit code of a bug in Pawl. */
const EXIT_BUG = 70;

/** Reports a failure and returns its exit code. */
export function reportFailure(world: World, error: unknown, flags: { readonly json: boolean; readonly noColor: boolean }): number {
  const look = lookOf(world.stderr, world.env, { noColor: flags.noColor });
  if (!isEngineError(error)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
    world.stderr.write(`pawl: this is a bug in Pawl; everything recorded so far is safe on disk:\n${plain(stack)}\n`);
    return EXIT_BUG;
  }
  if (flags.json) world.stdout.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, error: failureOf(error) }, null, 2)}\n`);
  const { position } = error;
  const where =
    position === undefined ? '' : `${position.file === undefined ? '' : `${position.file}:`}${position.line}:${position.column}: `;
  world.stderr.write(`${styled(look, 'red', 'pawl:')} ${plain(where + error.message)} ${styled(look, 'dim', `[${error.code}]`)}\n`);
  return ERROR_CODES[error.code].exit;
}

/** A failure as JSON. */
function failureOf(error: EngineError): object {
  const { code, message, position, details } = error;
  return { code, message, retry: ERROR_CODES[code].retry, ...(position ?? {}), details };
}
