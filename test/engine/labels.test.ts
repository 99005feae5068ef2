// Labels that change at the forge while a run waits: the run goes on with what they are by then.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { Engine } from '../../src/index.ts';
import { openSample, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let stage: LocalForgeStage;
beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

const review = defineWorkflow({
  name: 'review',
  steps: [
    { id: 'ask', human: { prompt: 'Go on?' }, next: 'audit' },
    {
      id: 'audit',
      condition: '"security" in checkpoint.labels',
      handler: ({ checkpoint }) => ({ labels: checkpoint.labels }),
      next: null,
    },
  ],
});

async function parked(engine: Engine, facts: object): Promise<string> {
  const run = await engine.start(review, {}, { facts: facts as Record<string, never> });
  await run.wait('idle');
  return run.id;
}

/** Resolves when a run was told something since. */
async function told(engine: Engine, id: string, after: number): Promise<void> {
  for await (const event of engine.run(id).log(after)) if (event.type === 'run.changed' && event.change === 'merged') return;
}

async function auditOf(engine: Engine, id: string) {
  await engine.run(id).decide({ option: 'approve', actor: 'ann' });
  return (await engine.run(id).wait()).steps.find(({ step }) => step === 'audit');
}

const issueWith = async (...labels: string[]): Promise<number> =>
  valueIn(await stage.forge.createIssue({ title: 'Search', body: '', labels }, `issue ${labels.join()}`)).number;

test('a run sees the labels that its issue got and lost while it waited; one about another issue does not', async () => {
  const [mine, other] = [await issueWith('feature'), await issueWith()];
  const engine = await rig.open({ forge: stage.forge });
  const id = await parked(engine, { issue_number: mine, labels: ['feature'] });
  const bystander = await parked(engine, { issue_number: other, labels: [] });
  for (const change of ['addLabels', 'removeLabels'] as const) {
    const { seq } = (await engine.store.load(id)).state;
    await stage.forge[change]({ number: mine, labels: [change === 'addLabels' ? 'security' : 'feature'] }, change);
    await told(engine, id, seq);
  }
  expect(await auditOf(engine, id)).toMatchObject({ outcome: 'ok', output: { labels: ['security'] } });
  expect(await auditOf(engine, bystander)).toMatchObject({ outcome: 'skip' });
});

test('a run about a pull request sees its labels', async () => {
  const { number } = await openSample(stage, 'feature');
  const engine = await rig.open({ forge: stage.forge });
  const id = await parked(engine, { pr_number: number, labels: [] });
  const { seq } = (await engine.store.load(id)).state;
  await stage.forge.addLabels({ number, labels: ['security'] }, 'add');
  await told(engine, id, seq);
  expect(await auditOf(engine, id)).toMatchObject({ outcome: 'ok', output: { labels: ['security'] } });
});

test('a run that cannot be driven here does not keep others from seeing their labels', async () => {
  const facts = { issue_number: await issueWith(), labels: [] };
  const foreign = defineWorkflow({ name: 'foreign', steps: [{ id: 'ask', human: { prompt: 'Go on?' }, next: null }] });
  const before = await rig.open();
  const id = await parked(before, facts);
  await (await before.start(foreign, {}, { facts })).wait('idle');
  await before.close();
  const engine = await rig.open({ forge: stage.forge, workflows: [review] });
  const { seq } = (await engine.store.load(id)).state;
  await stage.forge.addLabels({ number: facts.issue_number, labels: ['security'] }, 'add');
  await told(engine, id, seq);
  expect(await auditOf(engine, id)).toMatchObject({ outcome: 'ok', output: { labels: ['security'] } });
});

test('the oldest of more runs than one list holds sees its labels', async () => {
  const mine = await issueWith();
  const engine = await rig.open({ forge: stage.forge });
  const id = await parked(engine, { issue_number: mine, labels: [] });
  await Promise.all(Array.from({ length: 1001 }, async () => (await engine.start(review)).wait('idle')));
  const { seq } = (await engine.store.load(id)).state;
  await stage.forge.addLabels({ number: mine, labels: ['security'] }, 'add');
  await told(engine, id, seq);
  expect(await auditOf(engine, id)).toMatchObject({ outcome: 'ok' });
});
