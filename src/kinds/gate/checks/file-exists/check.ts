// Puts the check `file_exists` together for the registry.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { fileExistsCheck as declaration } from './declare.ts';
import { run } from './run.ts';
import { yaml } from './yaml.ts';

/** The check `file_exists`: how it is declared, written in files and made. */
export const fileExistsCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
