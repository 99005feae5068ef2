// Owns the model of a program: a shell line, or a program and its arguments, and its environment.

import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { type FieldReader, fieldReader, isTexts } from './field-reader.ts';
import { isText, isTextList, type KindReport } from './kind.ts';

/** A program: exactly one of `run`, which is passed to the shell unchanged, and `argv`. Values of `env` become strings. */
export type ProgramModel = {
  readonly run?: string;
  readonly argv?: readonly string[];
  readonly env?: { readonly [name: string]: Json };
  /** Relative to the workspace. */
  readonly cwd?: string;
};

/** The fault and the hint for a program that has neither or both of the two. */
export const NO_PROGRAM = [
  'exactly one of `run` and `argv` is required',
  'write a shell line as `run`, or a list of words as `argv`',
] as const;

/** Parses a program. A caller that reads other fields of the same object passes its reader. */
export function parseProgram(input: unknown, report: KindReport, { optional }: FieldReader = fieldReader(input, report)): ProgramModel {
  const { run, argv } = isJsonObject(input) ? input : {};
  if ((run === undefined) === (argv === undefined)) report.fault(...NO_PROGRAM);
  return omitUndefined({
    run: optional('run', isText, ['`run` must be a shell line', 'write the command to run']),
    argv: optional('argv', isTextList, ['`argv` must be a list of words', 'write it as ["program", "argument"]']),
    env: optional('env', isTexts, ['every value of `env` must be a string', 'write it in quotes']),
    cwd: optional('cwd', isText, ['`cwd` must be a path', 'write a folder, or leave it out']),
  });
}
