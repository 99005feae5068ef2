// Puts the check `no_changes_requested` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { noChangesRequestedCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `no_changes_requested`: how it is declared, written in files and made. */
export const noChangesRequestedCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
