// The commands with which people decide.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const DECIDE: readonly CommandSpec[] = [];
