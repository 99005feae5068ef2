// `npm run crash`: the whole proof, printed. `--kills N` kills N times at random times instead, wide workflows and workers
// of every kind included; it goes on where it was stopped, prints its figures as it goes, and ends by itself.

import { parseArgs } from 'node:util';
import { formatCrashReport, proveCrashes } from '../../src/proof/crash/crash.ts';
import { bundleProgram } from '../bundled-program.ts';
import { killManyTimes } from './many-kills.ts';
import { referenceWorkflows } from './reference-workflows.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string' }, seed: { type: 'string' }, workers: { type: 'string' }, state: { type: 'string' } },
});
const number = (name: string, text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  process.stderr.write(`crash: ${name} must be a whole number, and is ${text}\n`);
  process.exit(2);
};
const seed = number('--seed', values.seed ?? positionals[0] ?? '1');
const parallel = number('--workers', values.workers ?? '2');
const program = await bundleProgram('crash/program.ts');
process.on('exit', () => program.remove());

if (values.kills === undefined) {
  const workflows = referenceWorkflows.map(({ name }) => name);
  const report = await proveCrashes({ command: program.command, workflows, parallel, random: { kills: 200, seed } });
  process.stdout.write(`${formatCrashReport(report)}\n`);
  process.exitCode = report.differences.length === 0 ? 0 : 1;
} else {
  const kills = number('--kills', values.kills);
  process.exitCode = await killManyTimes({ program, kills, seed, parallel, state: values.state });
}
