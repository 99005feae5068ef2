// Puts the check `ci_status` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { ciStatusCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `ci_status`: how it is declared, written in files and made. */
export const ciStatusCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
