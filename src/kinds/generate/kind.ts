// Combines the kind `generate` for the registry, which imports one file of each kind.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { generate as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The registry entry of the kind `generate`. */
export const generateKind: KindCompiler & KindExecutor = { ...compiler, execute };
