// Owns how a failure is told: one line that says what happened and what to do, its code, the place in the source when
// there is one; as JSON for programs; and the exit code of the catalogue.

import { type EngineError, ERROR_CODES, isEngineError, messageOf } from '../base/error.ts';
import { SCHEMA_VERSION, type World } from './shell.ts';
import { lookOf, plain, styled } from './terminal.ts';

/** The exit code of a bug of ours. */
const EXIT_BUG = 70;

/** Tells a failure and gives its exit code. */
export function reportFailure(world: World, error: unknown, wants: { readonly json: boolean; readonly noColor: boolean }): number {
  const look = lookOf(world.stderr, world.env, { noColor: wants.noColor });
  if (!isEngineError(error)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
    world.stderr.write(`pawl: this is a bug in Pawl, and your runs are as they were on disk before it:\n${plain(stack)}\n`);
    return EXIT_BUG;
  }
  if (wants.json) world.stdout.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, error: failureOf(error) }, null, 2)}\n`);
  const { position } = error;
  const where =
    position === undefined ? '' : `${position.file === undefined ? '' : `${position.file}:`}${position.line}:${position.column}: `;
  world.stderr.write(`${styled(look, 'red', 'pawl:')} ${plain(where + error.message)} ${styled(look, 'dim', `[${error.code}]`)}\n`);
  return ERROR_CODES[error.code].exit;
}

/** A failure as programs read it. */
function failureOf(error: EngineError): object {
  const { code, message, position, details } = error;
  return { code, message, retry: ERROR_CODES[code].retry, ...(position ?? {}), details };
}
