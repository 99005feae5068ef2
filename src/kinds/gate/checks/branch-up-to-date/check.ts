// Puts the check `branch_up_to_date` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { branchUpToDateCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `branch_up_to_date`: how it is declared, written in files and made. */
export const branchUpToDateCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
