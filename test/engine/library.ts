// Owns what these tests see of the library: its published names, the list form of graphs, and the types of its log.

import type { RunEvent } from '../../src/kernel/event.ts';

export { defineWorkflow } from '../../src/compat/index.ts';
export * from '../../src/index.ts';

/** The facts of one type. */
export type RunEventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
