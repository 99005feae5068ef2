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
import { SKILL } from './catalogue/skill.ts';
import { START } from './catalogue/start.ts';
import type { CommandSpec, ListedCommand } from './command.ts';

/** Every command. */
export const COMMANDS: readonly CommandSpec[] = [
  ...inGroup('Start', START),
  ...inGroup('Define', [...DEFINE, ...SKILL]),
  ...inGroup('Run', [...RUN_COMMANDS, ...ATTEND, ...AGENTS]),
  ...inGroup('Decide', [...DECIDE, ...FORGE]),
  ...inGroup('Inspect', INSPECT),
  ...inGroup('Maintain', MAINTAIN),
];

function inGroup(group: CommandSpec['group'], commands: readonly ListedCommand[]): CommandSpec[] {
  return commands.map((command) => ({ ...command, group }));
}
