// Puts the check `command` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { commandCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `command`: how it is declared, written in files and made. */
export const commandCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
