// Puts the kind `workflow` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { workflow as compiler } from './compile.ts';
import { write, yaml } from './yaml.ts';

/** The kind `workflow`: how it is declared and compiled and written in files. */
export const workflowKind: KindCompiler = { ...compiler, write, yaml };
