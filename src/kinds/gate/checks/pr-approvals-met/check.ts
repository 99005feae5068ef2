// Puts the check `pr_approvals_met` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { prApprovalsMetCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `pr_approvals_met`: how it is declared, written in files and made. */
export const prApprovalsMetCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
