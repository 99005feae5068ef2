// Puts the kind `validate` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { validate as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The kind `validate`: how it is declared and compiled and executed. */
export const validateKind: KindCompiler & KindExecutor = { ...compiler, execute };
