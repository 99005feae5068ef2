// Puts the kind `human` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { human as compiler } from './compile.ts';
import { write, yaml } from './yaml.ts';

/** The kind `human`: how it is declared and compiled and written in files. */
export const humanKind: KindCompiler = { ...compiler, write, yaml };
