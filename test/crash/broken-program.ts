// The same program on a store that acknowledges before it writes: the proof has to see what that does.

import { runCrashProgram } from '../../src/proof/crash/child.ts';
import { acknowledgeEarly } from './lazy-store.ts';
import { referenceWorkflows } from './reference-workflows.ts';

await runCrashProgram(referenceWorkflows, acknowledgeEarly);
