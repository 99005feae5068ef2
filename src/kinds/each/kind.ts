// Combines the kind `each` for the registry, which imports one file of each kind.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { each as compiler } from './compile.ts';

/** The registry entry of the kind `each`. */
export const eachKind: KindCompiler = compiler;
