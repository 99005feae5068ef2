// Puts the kind `review` together for the registry.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { review as compiler } from './compile.ts';
import { execute } from './run.ts';
import { yaml } from './yaml.ts';

/** The kind `review`: how it is declared and compiled, written in files and executed. */
export const reviewKind: KindCompiler & KindExecutor = { ...compiler, execute, yaml };
