// Puts the kind `parallel` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { parallel as compiler } from './compile.ts';
import { write, yaml } from './yaml.ts';

/** The kind `parallel`: how it is declared and compiled and written in files. */
export const parallelKind: KindCompiler = { ...compiler, write, yaml };
