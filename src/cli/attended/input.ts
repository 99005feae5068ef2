// Owns the arguments of the commands for agents: the token of the attempt, and JSON as it is, from a file or from
// standard input.

import { text } from 'node:stream/consumers';
import { EngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { ParsedArgs } from '../command.ts';
import { readJson } from '../params.ts';
import type { Shell } from '../shell.ts';

/** The token that a submission has to name. */
export function tokenGiven(given: ParsedArgs): string {
  return required(given, 'token', 'it names the attempt that is reported, and "pawl next RUN" prints it');
}

/** The value of an option that cannot be left out. */
export function required(given: ParsedArgs, option: string, why: string): string {
  const value = given.option(option);
  if (value === undefined || value.trim() === '') throw new EngineError('USAGE', `--${option} is missing: ${why}`);
  return value;
}

/** JSON as it is, from `@file`, or from standard input with `-`. */
export async function readJsonInput(shell: Shell, value: string, what: string): Promise<Json> {
  // An @ that was read is an @ of the text, not another file.
  if (value === '-') return readJson(shell, (await text(shell.world.stdin)).replace(/^@/, '@@'), what);
  return readJson(shell, value, what);
}
