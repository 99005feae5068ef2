// The commands a newcomer begins with.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const START: readonly CommandSpec[] = [];
