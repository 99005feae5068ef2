// `npm run crash`: the whole proof, printed. Another seed can be given as the only argument.

import { formatCrashReport, proveCrashes } from '../../src/proof/crash.ts';
import { bundleProgram } from './bundled-program.ts';
import { referenceWorkflows } from './reference-workflows.ts';

const program = await bundleProgram('program.ts');
const seed = Number(process.argv[2] ?? 1);
const workflows = referenceWorkflows.map(({ name }) => name);
const report = await proveCrashes({ command: program.command, workflows, random: { kills: 200, seed } });
program.remove();
process.stdout.write(`${formatCrashReport(report)}\n`);
process.exitCode = report.differences.length === 0 ? 0 : 1;
