// Owns the groups of commands that are called all day. The start of every command loads them; the others are loaded when
// none of these is meant.

import { ATTEND } from './catalogue/attend.ts';
import { DECIDE } from './catalogue/decide.ts';
import { INSPECT } from './catalogue/inspect.ts';
import { SKILL } from './catalogue/skill.ts';
import { type CommandSpec, inGroup } from './command.ts';

/** The commands of an agent that does steps itself. */
export const ATTENDING: readonly CommandSpec[] = inGroup('Run', ATTEND);
/** The commands of people who decide. */
export const DECIDING: readonly CommandSpec[] = inGroup('Decide', DECIDE);
/** The commands that show runs. */
export const INSPECTING: readonly CommandSpec[] = inGroup('Inspect', INSPECT);
/** The commands of skills. */
export const SKILLS: readonly CommandSpec[] = inGroup('Define', SKILL);
/** All of them. */
export const DAILY: readonly CommandSpec[] = [...SKILLS, ...ATTENDING, ...DECIDING, ...INSPECTING];
