// The program that is killed.

import { runCrashProgram } from '../../src/proof/crash/child.ts';
import { referenceWorkflows } from './reference-workflows.ts';
import { wideWorkflows } from './wide-workflows.ts';

await runCrashProgram([...referenceWorkflows, ...wideWorkflows]);
