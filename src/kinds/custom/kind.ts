// Puts the kind `custom` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { custom as compiler } from './compile.ts';
import { execute } from './run.ts';
import { write } from './yaml.ts';

/** The kind `custom`: how it is declared and compiled and executed. */
export const customKind: KindCompiler & KindExecutor = { ...compiler, execute, write };
