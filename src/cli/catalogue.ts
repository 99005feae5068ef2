// Owns the list of commands, in the order of `pawl --help`. A new command is a file in `commands/` and a row in the list
// of its group.

import { AGENTS } from './catalogue/agents.ts';
import { ATTEND } from './catalogue/attend.ts';
import { DECIDE } from './catalogue/decide.ts';
import { DEFINE } from './catalogue/define.ts';
import { FORGE } from './catalogue/forge.ts';
import { INSPECT } from './catalogue/inspect.ts';
import { MAINTAIN } from './catalogue/maintain.ts';
import { RUN_COMMANDS } from './catalogue/run.ts';
import { START } from './catalogue/start.ts';
import type { CommandSpec } from './command.ts';

/** Every command. */
export const COMMANDS: readonly CommandSpec[] = [
  ...START,
  ...DEFINE,
  ...RUN_COMMANDS,
  ...ATTEND,
  ...AGENTS,
  ...DECIDE,
  ...FORGE,
  ...INSPECT,
  ...MAINTAIN,
];
