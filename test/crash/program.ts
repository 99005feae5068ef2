// The program that is killed.

import { runCrashProgram } from '../../src/proof/crash-child.ts';
import { referenceWorkflows } from './reference-workflows.ts';

await runCrashProgram(referenceWorkflows);
