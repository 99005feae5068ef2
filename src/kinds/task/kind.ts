// Puts the kind `task` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { task as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The kind `task`: how it is declared and compiled and executed. */
export const taskKind: KindCompiler & KindExecutor = { ...compiler, execute };
