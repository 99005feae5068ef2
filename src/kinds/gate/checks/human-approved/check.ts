// Puts the check `human_approved` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { humanApprovedCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { write, yaml } from './yaml.ts';

/** The check `human_approved`: how it is declared, written in files and made. */
export const humanApprovedCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
