// Puts the check `coverage` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { coverageCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { write, yaml } from './yaml.ts';

/** The check `coverage`: how it is declared, written in files and made. */
export const coverageCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
