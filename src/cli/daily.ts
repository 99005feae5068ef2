// Owns which commands are used all day. Every start loads their descriptions; the others are loaded only when none of these
// is called.

import { ATTEND } from './catalogue/attend.ts';
import { DECIDE } from './catalogue/decide.ts';
import { INSPECT } from './catalogue/inspect.ts';
import { SKILL } from './catalogue/skill.ts';
import type { CommandSpec } from './command.ts';

/** The commands that are used all day. */
export const DAILY: readonly CommandSpec[] = [...SKILL, ...ATTEND, ...DECIDE, ...INSPECT];
