// Combines the kind `validate` for the registry, which imports one file of each kind.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { validate as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The registry entry of the kind `validate`. */
export const validateKind: KindCompiler & KindExecutor = { ...compiler, execute };
