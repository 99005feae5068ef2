// Owns what an agent hands over on its command line: the token of its attempt, and JSON as it stands, from a file or
// from standard input.

import { text } from 'node:stream/consumers';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { pasteable } from '../caller.ts';
import type { ParsedArgs } from '../command.ts';
import { readJson } from '../params.ts';
import type { Shell } from '../shell.ts';
import { tokenOption } from './attended.ts';

/** The token that a report has to name. */
export function tokenGiven(given: ParsedArgs): string {
  return needed(given, 'token', 'it names the attempt that is reported, and "pawl next RUN" prints it');
}

/** The value of an option that cannot be left out. */
export function needed(given: ParsedArgs, option: string, why: string): string {
  const value = given.option(option);
  if (value === undefined || value.trim() === '') throw new EngineError('USAGE', `--${option} is missing: ${why}`);
  return value;
}

/** JSON as it stands, from `@file`, or from standard input with `-`. */
export async function readHandedOver(shell: Shell, value: string, what: string): Promise<Json> {
  // An @ that was read is an @ of the text, not another file.
  if (value === '-') return readJson(shell, (await text(shell.world.stdin)).replace(/^@/, '@@'), what);
  return readJson(shell, value, what);
}

/** Says of a report that could not be taken that the token still holds, and how to repeat it. */
export function repeatable(shell: Shell, error: unknown, again: { readonly command: string; readonly token: string }): unknown {
  if (!isEngineError(error) || error.code !== 'REPORT_INVALID') return error;
  const line = pasteable(shell, `${again.command} ${tokenOption(again.token)}`);
  return new EngineError(error.code, `${error.message}; nothing is recorded and the token is still good, so repeat it: ${line}`, {
    cause: error,
    details: error.details,
  });
}
