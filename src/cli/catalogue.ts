// Owns the list of commands, in the order of `pawl --help`. A new command is a file in `commands/`, or part of the
// file of a similar command, and an entry in a file of `catalogue/`.

import { ATTEND } from './catalogue/attend.ts';
import { DECIDE } from './catalogue/decide.ts';
import { DEFINE, START } from './catalogue/define.ts';
import { FORGE } from './catalogue/forge.ts';
import { INSPECT } from './catalogue/inspect.ts';
import { MAINTAIN } from './catalogue/maintain.ts';
import { RUN } from './catalogue/run.ts';
import { SKILL } from './catalogue/skill.ts';
import type { CommandSpec } from './command.ts';

/** Every command. */
export const COMMANDS: readonly CommandSpec[] = [
  ...[...START, ...DEFINE, ...SKILL, ...RUN, ...ATTEND],
  ...[...DECIDE, ...FORGE, ...INSPECT, ...MAINTAIN],
];
