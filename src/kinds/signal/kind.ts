// Puts the kind `signal` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { signal as compiler } from './compile.ts';
import { write, yaml } from './yaml.ts';

/** The kind `signal`: how it is declared and compiled and written in files. */
export const signalKind: KindCompiler = { ...compiler, write, yaml };
