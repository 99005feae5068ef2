// Puts the kind `generate` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { generate as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The kind `generate`: how it is declared and compiled and executed. */
export const generateKind: KindCompiler & KindExecutor = { ...compiler, execute };
