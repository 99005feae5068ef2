// Combines the kind `task` for the registry, which imports one file of each kind.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { task as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The registry entry of the kind `task`. */
export const taskKind: KindCompiler & KindExecutor = { ...compiler, execute };
