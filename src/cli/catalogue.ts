// Owns the list of commands, in the order of `pawl --help`. A new command is a file in `commands/` and a row in the list
// of its group.

import { ACCESS_COMMANDS } from './catalogue/access.ts';
import { AGENTS } from './catalogue/agents.ts';
import { DEFINE } from './catalogue/define.ts';
import { FORGE } from './catalogue/forge.ts';
import { MAINTAIN } from './catalogue/maintain.ts';
import { RUN_COMMANDS } from './catalogue/run.ts';
import { START } from './catalogue/start.ts';
import { type CommandSpec, inGroup } from './command.ts';
import { ATTENDING, DECIDING, INSPECTING, SKILLS } from './daily.ts';

/** Every command. */
export const COMMANDS: readonly CommandSpec[] = [
  ...inGroup('Start', START),
  ...inGroup('Define', DEFINE),
  ...SKILLS,
  ...inGroup('Run', RUN_COMMANDS),
  ...ATTENDING,
  ...inGroup('Run', AGENTS),
  ...DECIDING,
  ...inGroup('Decide', ACCESS_COMMANDS),
  ...inGroup('Decide', FORGE),
  ...INSPECTING,
  ...inGroup('Maintain', MAINTAIN),
];
