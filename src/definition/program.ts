// Owns how a program appears in a definition: a shell line, or a program and its arguments, and its environment.

import type { Json } from '../base/json.ts';
import { isText, isTextList, type KindReport } from './kind.ts';

/** A program: exactly one of `run`, which is passed to the shell unchanged, and `argv`. Values of `env` become strings. */
export type ProgramModel = {
  readonly run?: string;
  readonly argv?: readonly string[];
  readonly env?: { readonly [name: string]: Json };
  /** Relative to the workspace. */
  readonly cwd?: string;
};

/** Reports what is wrong with a program. */
export function validateProgram({ run, argv, env, cwd }: ProgramModel, report: KindReport): void {
  if ((run === undefined) === (argv === undefined))
    report.fault('it must have exactly one of `run` and `argv`', 'write a shell line as `run`, or a list of words as `argv`');
  else if (run !== undefined && !isText(run)) report.fault('its command is empty', 'write the shell line to run');
  else if (argv !== undefined && !isTextList(argv)) report.fault('`argv` must be a list of words', 'write it as ["program", "argument"]');
  if (cwd !== undefined && !isText(cwd)) report.fault('`cwd` must be a path', 'write a folder, or leave it out');
  const values = env === undefined ? [] : Object.values(env ?? { env: null });
  if (values.some((value) => typeof value !== 'string')) report.fault('every value of `env` must be a text', 'write it in quotes');
}
