// The crash proof at length (D01 to D03, D09): real kills at every write, and at random times. test/crash/crash.test.ts proves
// the same places by copies of the files.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashOptions, type CrashReport, formatCrashReport, proveCrashes } from '../../src/proof/crash/crash.ts';
import { formatPoint } from '../../src/proof/crash/store.ts';
import type { Trial } from '../../src/proof/crash/trial.ts';
import { type BundledProgram, bundleProgram } from '../bundled-program.ts';
import { referenceWorkflows } from '../crash/reference-workflows.ts';
import { wideWorkflows } from '../crash/wide-workflows.ts';

let program: BundledProgram;
beforeAll(async () => {
  program = await bundleProgram('crash/program.ts');
});
afterAll(() => program.remove());

/** Proves, prints the table and expects no difference. */
async function prove(cases: readonly { readonly name: string }[], options: Partial<CrashOptions>): Promise<CrashReport> {
  const report = await proveCrashes({ command: program.command, workflows: cases.map(({ name }) => name), ...options });
  const table = formatCrashReport(report);
  console.info(table);
  expect(report.differences, table).toEqual([]);
  return report;
}

test('a kill at every write, or at any time, makes no difference', async () => {
  const { rows } = await prove(referenceWorkflows, { random: { kills: 200, seed: 1 } });
  for (const row of rows) expect(row.kills.commit, row.workflow).toBeGreaterThanOrEqual(2 * row.operations.commit);
  expect(rows.reduce((sum, row) => sum + row.randomKills, 0)).toBeGreaterThanOrEqual(200);
  expect(rows.reduce((sum, row) => sum + row.unknown, 0)).toBeGreaterThan(0);
});

test('a kill at any time makes no difference to wide workflows with slow workers of every kind', async () => {
  const { kills } = await prove(wideWorkflows, { everyWrite: false, random: { kills: 12, seed: 1 } });
  expect(kills).toBeGreaterThanOrEqual(12);
});

test('a copy of the files at a write is what a kill there leaves', async () => {
  const trialsBy = async (everyWrite: 'kill' | 'copy') => {
    const trials = new Map<string, Trial>();
    const tell = (_: string, trial: Trial) =>
      trials.set(trial.killed.map((kill) => ('at' in kill ? formatPoint(kill.at) : '')).join(', then '), trial);
    await proveCrashes({ command: program.command, workflows: ['linear'], everyWrite, tell });
    return [...trials].filter(([, { killed }]) => killed.length > 0).sort(([one], [other]) => (one < other ? -1 : 1));
  };
  const killed = await trialsBy('kill');
  expect(await trialsBy('copy')).toEqual(killed);
  expect(killed.some(([, { interrupted }]) => interrupted > 0)).toBe(true);
});
