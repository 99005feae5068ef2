// The commands that look at definitions.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const DEFINE: readonly CommandSpec[] = [];
