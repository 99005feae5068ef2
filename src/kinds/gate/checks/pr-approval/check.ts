// Puts the check `pr_approval` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { prApprovalCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `pr_approval`: how it is declared, written in files and made. */
export const prApprovalCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
