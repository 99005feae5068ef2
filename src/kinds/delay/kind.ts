// Puts the kind `delay` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { delay as compiler } from './compile.ts';
import { execute } from './run.ts';
import { write, yaml } from './yaml.ts';

/** The kind `delay`: how it is declared and compiled, written in files and executed. */
export const delayKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
