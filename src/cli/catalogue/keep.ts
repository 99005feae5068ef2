// The commands that keep the house in order.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const KEEP: readonly CommandSpec[] = [];
