// Puts the check `any_of` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { anyOfCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { write, yaml } from './yaml.ts';

/** The check `any_of`: how it is declared, written in files and made. */
export const anyOfCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
