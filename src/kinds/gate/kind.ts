// Puts the kind `gate` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { gate as compiler } from './compile.ts';
import { execute } from './run.ts';
import { write, yaml } from './yaml.ts';

/** The kind `gate`: how it is declared and compiled, written in files and executed. */
export const gateKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
