// Owns the values on a command line: `name=value`, JSON, `@file` for both, and whole numbers. A parameter is parsed by its
// declared type; a value that does not fit stays text, and the engine rejects it with the type and the choices.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ArgModel } from '../definition/model.ts';
import { argFromText } from '../definition/param/arg.ts';
import { type ParsedArgs, usageError } from './command.ts';
import type { Shell } from './shell.ts';

/** The parameters of a run: `--params`, overridden by `-p`. */
export function readParams(shell: Shell, args: ParsedArgs, declared: Readonly<Record<string, ArgModel>>): JsonObject {
  const whole = args.option('params');
  const base = whole === undefined ? {} : readJson(shell, whole, '--params');
  if (!isJsonObject(base)) throw usageError(`--params must be a JSON object, such as '{"issue": 7}'`);
  const single = readNamed(args.options('param'), { option: '-p', example: '-p issue=7' }).map(([name, text]): [string, Json] => {
    const type = Object.hasOwn(declared, name) ? declared[name]?.type : undefined;
    return [name, argFromText(readText(shell, text, `-p ${name}`), type)];
  });
  return { ...base, ...Object.fromEntries(single) };
}

/** The outputs that replace steps: `--output step=JSON`. */
export function readOutputs(shell: Shell, args: ParsedArgs): Readonly<Record<string, Json>> {
  const named = readNamed(args.options('output'), { option: '--output', example: `--output plan='{"ok": true}'` });
  return Object.fromEntries(named.map(([step, text]) => [step, readJson(shell, text, `--output ${step}`)]));
}

/** JSON text, or with `@file` the content of a file; `label` names the value in errors. */
export function readJson(shell: Shell, text: string, label: string): Json {
  const json = readText(shell, text, label);
  try {
    return JSON.parse(json) as Json;
  } catch (cause) {
    const why = `${label} is not valid JSON: ${messageOf(cause)}; write a string with both kinds of quotes: '"text"'`;
    throw usageError(why, { cause });
  }
}

/** `name=value` words of an option, each name once. */
export function readNamed(
  values: readonly string[],
  { option, example }: { readonly option: string; readonly example: string },
): [string, string][] {
  const seen = new Set<string>();
  return values.map((value) => {
    const equals = value.indexOf('=');
    if (equals < 1) throw usageError(`${option} must be name=value, not "${value}"; for example: ${example}`);
    const name = value.slice(0, equals);
    if (seen.has(name)) throw usageError(`${option} ${name} may be given only once`);
    seen.add(name);
    return [name, value.slice(equals + 1)];
  });
}

/** The value of an option that cannot be left out; `why` completes the error. */
export function requiredOption(args: ParsedArgs, option: string, why: string): string {
  const value = args.option(option);
  if (value === undefined || value.trim() === '') throw usageError(`--${option} is missing: ${why}`);
  return value;
}

/** The valid numbers; `expected` describes them in the error, if the bounds alone say too little. */
interface NumberRange {
  readonly min: number;
  readonly max?: number;
  readonly expected?: string;
}

/** The whole number that an option sets, if it is given. */
export function wholeNumber(args: ParsedArgs, option: string, range: NumberRange): number | undefined {
  const { min, max = Number.MAX_SAFE_INTEGER, expected } = range;
  const text = args.option(option);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^-?\d+$/.test(text) && number >= min && number <= max) return number;
  const bounds = range.max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  throw usageError(`--${option} must be ${expected ?? `a whole number ${bounds}`}, not "${text}"`);
}

/** The text itself, or with `@file` the content of the file; `@@` is a literal @. */
function readText(shell: Shell, text: string, label: string): string {
  if (text.startsWith('@@')) return text.slice(1);
  if (!text.startsWith('@')) return text;
  const file = resolve(shell.cwd, text.slice(1));
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw usageError(`${label}: cannot read ${file}: ${messageOf(cause)}; write @@ for a literal @`, { cause });
  }
}
