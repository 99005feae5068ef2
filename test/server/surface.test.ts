// What people see of a run at the forge: one comment that is kept up to date, and one check per gate.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { compiledOf } from '../../src/api/workflow-source.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { Forge } from '../../src/forge/forge.ts';
import { RELEASE, SurfaceRig } from './surface-rig.ts';

let at: SurfaceRig;
beforeEach(async () => {
  at = new SurfaceRig();
  await at.begin();
});
afterEach(() => at.end());

const bodyAt = async (number = 1): Promise<string> => (await at.comments(number)).map(({ body }) => body).join('\n----\n');

test('SF1: the comment of a run is written once at the issue and changes with the run, at most every few seconds', async () => {
  await at.open();
  const run = await at.ask();
  const [first] = await at.comments();
  expect(first).toMatchObject({ author: 'pawl' });
  const [approval] = await run.approvals();
  await run.decide({ actor: 'ann', option: 'yes', digest: approval?.digest as string });
  await run.wait();
  await at.settled();
  expect(await at.comments()).toEqual([first]);
  await at.shows('Release it completed');
  expect((await at.comments()).map(({ id }) => id)).toEqual([first?.id]);
  expect(at.rig.warnings).toEqual([]);
});

test('the comment of a run has the state, the steps with evidence, the waits, the digest, the commands that decide, and the graph', async () => {
  await at.open({}, { publicUrl: 'https://pawl.example.com' });
  const run = await at.ask();
  const digest = (await run.approvals())[0]?.digest.slice(0, 12);
  const body = await bodyAt();
  expect(body).toContain(
    `### ⏳ Pawl: Release it waits\n\nRun \`${run.id}\` of \`release\` · [dashboard](https://pawl.example.com/runs/${run.id})`,
  );
  expect(body).toContain(`/pawl approve ${run.id} ask ${digest}\n/pawl reject ${run.id} ask ${digest} -- REASON`);
  expect(body).toContain('| draft | ✅ completed |');
  expect(body).toContain('| done | ▫️ pending |');
  expect(body).toContain('```mermaid\nflowchart TD');
});

test('the comment of a run shows text of agents, files and people as plain text: it mentions no one, closes and hides nothing, and stays in its line', async () => {
  await at.open();
  await at.ask();
  const body = await bodyAt();
  expect(body).toContain('Ship it, ＠everyone? \\<script\\> \\| cell');
  expect(body).toContain(
    '\\<\\!-- hidden --\\> ＠ann c\u200Bloses \\#\u200B1 \\| \\`x\\` \\!\\[i\\](https:\u200B//evil.example) /pawl approve evil',
  );
  expect(body).not.toMatch(/(?<!\\)<(?:!|script)|@ann|@everyone|\u202E|https:\/\/evil/);
  expect(body.split('\n').filter((line) => line.startsWith('/pawl'))).toHaveLength(2);
});

test('the comment of a run is updated by the next server after a crash, and not duplicated, even if the last one died before it recorded it', async () => {
  const first = await at.open();
  const run = await at.ask();
  const [comment] = await at.comments();
  await first.close();
  const second = await at.open();
  second.server.services.database.run("UPDATE run_comments SET issue_comment = NULL, body = NULL, mark = '', posted_at = 0");
  const [approval] = await second.engine.run(run.id).approvals();
  await second.engine.run(run.id).decide({ actor: 'ann', option: 'yes', digest: approval?.digest as string });
  await at.shows('Release it completed');
  expect((await at.comments()).map(({ id }) => id)).toEqual([comment?.id]);
});

test('SF2: the comment of a run that a person deleted stays deleted, and is reported once', async () => {
  const gone: Forge = { ...at.forge, editComment: async () => ({ result: 'not_found', message: 'there is no comment 1' }) };
  await at.open({}, { forge: gone });
  const run = await at.ask();
  for (const [option, next] of [
    ['no', 'ask#2'],
    ['no', 'ask#3'],
    ['yes', undefined],
  ] as const) {
    const [approval] = await run.approvals();
    await run.decide({ actor: 'ann', option, digest: approval?.digest as string, input: 'x' });
    await expect.poll(async () => (await run.approvals())[0]?.path).toBe(next);
    at.tick();
    // The update of the server itself: a second one would give the same.
    await expect.poll(() => at.problemOf(run.id)).toBe('there is no comment 1');
    await at.settled();
  }
  await run.wait();
  expect(await at.comments()).toHaveLength(1);
  expect(at.rig.warnings).toEqual([expect.stringContaining('there is no comment 1')]);
});

test('the comment of a run waits while the forge does not respond, and is written afterwards', async () => {
  await at.open();
  at.forge.control.unavailable(true);
  const run = await at.opened.engine.start(compiledOf(RELEASE), {} as never, { origin: { issue: 1 } });
  await run.wait('idle');
  await at.settled();
  at.forge.control.unavailable(false);
  expect(await at.comments()).toEqual([]);
  await at.shows(`approve ${run.id}`);
});

test('the comment of a run moves to the pull request once there is one; the issue says where', async () => {
  const pr = await at.pullRequest('bob');
  const opening = defineWorkflow({
    name: 'opening',
    steps: [
      { id: 'first', human: { prompt: 'Begin?', options: [{ label: 'approve', nextStep: 'push' }] } },
      { id: 'push', handler: () => ({ pr_number: pr }), next: 'second' },
      { id: 'second', human: { prompt: 'Merge?', options: [{ label: 'approve', nextStep: 'end' }] } },
      { id: 'end', handler: () => null, next: null },
    ],
  });
  await at.open({}, { workflows: [opening] });
  const run = await at.ask({ issue: 1 }, opening);
  expect(await at.say('/pawl approve first')).toMatchObject({ status: 'done' });
  await at.shows(`approve ${run.id} second`, pr);
  expect(await bodyAt()).toContain(`Run \`${run.id}\` continues at #${pr}`);
  expect((await at.say('/pawl approve second')).answers.join()).toContain(`continues at pull request ${pr}`);
  expect(await at.say('/pawl approve second', { number: pr })).toMatchObject({ status: 'done' });
});

test('the comment of a run is not written if the settings turn it off, nor for runs without an issue', async () => {
  await at.open({ comments: false });
  const run = await at.opened.engine.start(compiledOf(RELEASE), {} as never, { origin: { issue: 1 } });
  await run.wait('idle');
  await at.settled();
  await at.opened.close();
  expect(await at.comments()).toEqual([]);
  await at.open();
  await (await at.opened.engine.start(compiledOf(RELEASE), {} as never, {})).wait('idle');
  at.tick();
  await expect.poll(async () => (await at.comments()).length).toBe(1);
});

const checksOf = async (branch = 'topic') => {
  const found = await at.forge.checks(branch);
  return found.result === 'ok' ? found.value.map(({ name, status, conclusion, own }) => [name, conclusion ?? status, own]) : [];
};

test('a gate is a check at the head of the pull request: waiting, then passed; a new head starts again', async () => {
  await at.open();
  const pr = await at.pullRequest('bob');
  const run = await at.ask({ pr });
  await expect.poll(checksOf).toEqual([['pawl: release / ask', 'in_progress', true]]);
  expect(await at.say('/pawl reject -- once more', { number: pr })).toMatchObject({ status: 'done' });
  const old = at.commit('topic');
  await at.shows('×2', pr);
  expect(await at.say('/pawl approve', { number: pr })).toMatchObject({ status: 'done' });
  await run.wait();
  at.tick();
  await expect.poll(checksOf).toEqual([['pawl: release / ask', 'success', true]]);
  at.commit('topic');
  at.opened.server.services.database.run("UPDATE run_comments SET mark = ''");
  at.tick();
  await expect.poll(checksOf).toEqual([['pawl: release / ask', 'queued', true]]);
  expect(await checksOf(old)).toEqual([['pawl: release / ask', 'success', true]]);
});

test('a gate is not a check if the settings turn it off', async () => {
  await at.open({ checks: false });
  const pr = await at.pullRequest('bob');
  await at.ask({ pr });
  expect(await checksOf()).toEqual([]);
});

test('text that Pawl writes itself starts nothing and wakes no run', async () => {
  const trigger = (event: string) => ({ event, labels: [], baseBranches: [] });
  const events = ['issue_comment.created', 'issue_comment.edited', 'check_run.created', 'issues.labeled', 'check_run.completed'];
  const loops = events.map((event, index) => ({
    ...compiledOf(defineWorkflow({ name: `loop-${index}`, steps: [{ id: 'x', handler: () => null, next: null }] })),
    trigger: trigger(event),
  }));
  await at.open({}, { workflows: [RELEASE, ...loops] });
  const pr = await at.pullRequest('bob');
  const run = await at.ask({ pr });
  await at.forge.addLabels({ number: 1, labels: ['bug'] }, 'own label');
  await at.say('/pawl approve', { number: pr });
  await run.wait();
  await at.shows('Release it completed', pr);
  // The label of another person does start one, and its delivery is the last.
  await (await at.as('ann')).addLabels({ number: 1, labels: ['go'] }, 'label of ann');
  await expect.poll(async () => (await at.opened.engine.list({ workflow: 'loop-3' })).length).toBe(1);
  expect((await at.opened.engine.list()).map(({ workflow }) => workflow).sort()).toEqual(['loop-3', 'release']);
});

test('people of a group are asked once: for a review if a gate waits for it, otherwise with a message', async () => {
  const asking = defineWorkflow({
    name: 'asking',
    steps: [
      { id: 'go', human: { prompt: 'Go?', from: ['maintainers'], options: [{ label: 'approve', nextStep: 'again' }] } },
      { id: 'again', human: { prompt: 'Sure?', options: [{ label: 'approve', nextStep: 'end' }] } },
      { id: 'end', handler: () => null, next: null },
    ],
  });
  const groups = { maintainers: ['ann', 'bob'] };
  await at.open({ membersOf: () => groups.maintainers }, { workflows: [asking], engine: { groups } });
  const pr = await at.pullRequest('bob');
  const run = await at.ask({ pr }, asking);
  await expect.poll(() => at.forge.control.notifications().length).toBe(1);
  expect(at.forge.control.notifications()).toMatchObject([{ people: ['ann'], number: pr, message: expect.stringContaining(run.id) }]);
  expect((await at.say('/pawl approve', { by: 'carl', number: pr })).answers.join()).toContain('can only be decided by maintainers');
  expect(await at.say('/pawl approve', { by: 'Ann', number: pr })).toMatchObject({ status: 'done' });
  await at.shows('"approve" by local:ann', pr);
  expect(at.forge.control.notifications()).toHaveLength(1);
});
