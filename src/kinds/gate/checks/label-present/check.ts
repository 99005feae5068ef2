// Puts the check `label_present` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { labelPresentCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `label_present`: how it is declared, written in files and made. */
export const labelPresentCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
