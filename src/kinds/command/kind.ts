// Puts the kind `command` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { command as compiler } from './compile.ts';
import { execute } from './run.ts';
import { write, yaml } from './yaml.ts';

/** The kind `command`: how it is declared and compiled, written in files and executed. */
export const commandKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
