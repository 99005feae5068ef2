// Puts the kind `own` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { own as compiler } from './compile.ts';
import { execute } from './run.ts';
import { write } from './yaml.ts';

/** The kind `own`: how it is declared and compiled and executed. */
export const ownKind: KindCompiler & KindExecutor = { ...compiler, execute, write };
