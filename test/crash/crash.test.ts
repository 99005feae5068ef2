// The proof itself (D01 to D03, D09), and the proof that it can fail. `npm run crash` does the same and prints the table as it goes.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareEnds } from '../../src/proof/crash/compare.ts';
import { formatCrashReport, proveCrashes } from '../../src/proof/crash/crash.ts';
import { readEnd } from '../../src/proof/crash/end.ts';
import { runProcess } from '../../src/proof/crash/process.ts';
import { CRASH_OPERATIONS, type CrashPoint } from '../../src/proof/crash/store.ts';
import { runBaseline, runTrial, TRIAL_RUN } from '../../src/proof/crash/trial.ts';
import { type BundledProgram, bundleProgram } from '../bundled-program.ts';
import { tempFolder } from '../temp-folder.ts';
import { referenceWorkflows } from './reference-workflows.ts';

const MINUTES = 60_000;
const workflows = referenceWorkflows.map(({ name }) => name);
let program: BundledProgram;
let broken: BundledProgram;

beforeAll(async () => {
  program = await bundleProgram('crash/program.ts');
  broken = await bundleProgram('crash/broken-program.ts');
});

afterAll(() => {
  program.remove();
  broken.remove();
});

describe('a kill makes no difference', () => {
  test('a kill makes no difference at every write of every reference workflow, in a first process and in one that resumes', {
    timeout: 10 * MINUTES,
  }, async () => {
    const report = await proveCrashes({ command: program.command, workflows, everyWrite: 'copy' });
    const table = formatCrashReport(report);
    console.info(table);
    expect(report.differences, table).toEqual([]);
    expect(table.split('\n').at(-1)).toBe(`crash: ${report.kills} kills, 0 differences`);
    for (const operation of CRASH_OPERATIONS)
      expect(
        report.rows.reduce((sum, row) => sum + row.kills[operation], 0),
        table,
      ).toBeGreaterThan(0);
    for (const row of report.rows) expect(row.kills.commit, table).toBeGreaterThanOrEqual(2 * row.operations.commit);
    expect(report.rows.reduce((sum, row) => sum + row.unknown, 0)).toBeGreaterThan(0);
  });

  test('after a kill between an effect and its record the step is unknown, and the effect is not repeated', async () => {
    const linear = await runBaseline(program.command, 'linear');
    const trial = await runTrial(linear, [{ at: commit(2, 'before') }]);
    expect(trial).toEqual({ killed: [{ at: commit(2, 'before') }], interrupted: 1, differences: [] });
  });

  test.each(['fan-out', 'generator'])('when two processes resume "%s" at once: one drives, the other follows', async (workflow) => {
    const { end, command } = await runBaseline(program.command, workflow);
    const folder = tempFolder();
    const job = { workflow, run: TRIAL_RUN, db: join(folder, 'pawl.db'), ledger: join(folder, 'ledger') };
    await runProcess(command, { ...job, point: commit(2, 'after') });
    const rivals = await Promise.all([1, 2].map(() => runProcess(command, { ...job, rivals: true })));
    expect(rivals.flatMap(({ failure = [] }) => failure)).toEqual([]);
    expect(compareEnds(end, await readEnd(job), { rivals: true })).toEqual([]);
  });
});

describe('the proof can fail', () => {
  test('a store that acknowledges before it writes makes differences', async () => {
    const linear = await runBaseline(program.command, 'linear');
    const trial = await runTrial({ ...linear, command: broken.command }, [{ at: commit(3, 'before') }]);
    expect(trial.killed).toHaveLength(1);
    expect(trial.differences.join('\n')).toContain('was begun 2 times, but the log knows of 1');
  });

  test('an end that is not the one of the baseline run is a difference', async () => {
    const [linear, loop] = [await runBaseline(program.command, 'linear'), await runBaseline(program.command, 'loop')];
    const { differences } = await runTrial({ ...linear, end: loop.end }, [{ at: commit(1, 'after') }]);
    expect(differences.length).toBeGreaterThan(0);
  });
});

function commit(nth: number, when: CrashPoint['when']): CrashPoint {
  return { operation: 'commit', nth, when };
}
