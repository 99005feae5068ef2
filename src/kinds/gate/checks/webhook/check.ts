// Puts the check `webhook` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { webhookCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `webhook`: how it is declared, written in files and made. */
export const webhookCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
