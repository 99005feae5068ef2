// The current step of a run is the same wherever it is asked for: `get`, the list, the checkpoint, and plain SQL.

import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow, type Engine, type RunHandle } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let engine: Engine;
beforeEach(async () => {
  rig = createRig();
  engine = await rig.open();
});
afterEach(() => rig.close());

/** The current step by each way to ask for it. */
async function answers(run: RunHandle): Promise<readonly unknown[]> {
  const listed = (await engine.list()).find(({ id }) => id === run.id);
  const db = new DatabaseSync(rig.db, { readOnly: true });
  const row = db.prepare('SELECT current_step, current_stage_id, checkpoint_json FROM workflow_runs WHERE run_id = ?').get(run.id);
  db.close();
  const { currentStep } = JSON.parse(String(row?.checkpoint_json)) as { readonly currentStep: unknown };
  const inApi = [(await run.get()).currentStep, listed?.currentStep, (await run.checkpoint()).currentStep];
  return [...inApi, row?.current_step, row?.current_stage_id, currentStep];
}

const everywhere = (step: string): readonly string[] => Array(6).fill(step);

test('a run that halted is at the step that failed, also while a side step reports it', async () => {
  const reported = Promise.withResolvers<void>();
  const reporting = Promise.withResolvers<void>();
  const failing = defineWorkflow({
    name: 'failing',
    steps: [
      { id: 'before', handler: () => 1, next: 'work' },
      {
        id: 'work',
        handler: () => {
          throw new Error('no luck');
        },
        next: null,
      },
      {
        id: 'report',
        side: true,
        handler: async () => {
          reporting.resolve();
          await reported.promise;
        },
      },
    ],
    onError: 'report',
  });
  const run = await engine.start(failing);
  await reporting.promise;
  expect(await answers(run)).toEqual(everywhere('work'));
  reported.resolve();
  await run.wait();
  await expect.poll(async () => (await run.get()).steps.at(-1)?.status).toBe('completed');
  expect(await answers(run)).toEqual(everywhere('work'));
});

test('a run with branches is at their group; once it has ended, at its last step', async () => {
  const branched = defineWorkflow({
    name: 'branched',
    steps: [
      {
        id: 'both',
        parallel: {
          branches: [
            { id: 'x', handler: () => 1 },
            { id: 'y', human: { prompt: 'Go?' } },
          ],
          join: 'all',
        },
        next: 'last',
      },
      { id: 'last', handler: () => 2, next: null },
    ],
  });
  const run = await engine.start(branched);
  await run.wait('idle');
  expect(await answers(run)).toEqual(everywhere('both'));
  await run.decide({ option: 'approve', actor: 'ann' });
  await run.wait();
  expect(await answers(run)).toEqual(everywhere('last'));
});

test('a cancelled run is at the step that it was at', async () => {
  const asking = defineWorkflow({ name: 'asking', steps: [{ id: 'ask', human: { prompt: 'Go?' }, next: null }] });
  const run = await engine.start(asking);
  await run.wait('idle');
  await run.cancel({ actor: 'ann' });
  expect(await answers(run)).toEqual(everywhere('ask'));
});
