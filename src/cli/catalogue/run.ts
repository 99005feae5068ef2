// The commands that start runs and steer them.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const RUN_COMMANDS: readonly CommandSpec[] = [];
