// Puts the kind `each` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { each as compiler } from './compile.ts';

/** The kind `each`: how it is declared and compiled. */
export const eachKind: KindCompiler = compiler;
