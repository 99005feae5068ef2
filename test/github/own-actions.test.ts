// The actions of Pawl at GitHub come back as events: what these start, and that no chain of runs is endless.

import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileReviewPolicy, reviewTrigger } from '../../src/authoring/review-policy.ts';
import { allTriggers } from '../../src/definition/trigger/trigger.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import type { Opened } from '../server/event-rig.ts';
import { APP } from './check-handlers.ts';
import { payloadFor, type Webhook } from './events.ts';
import { LOGIN } from './server.ts';
import type { Item } from './state.ts';
import { TriggerRig, waits } from './trigger-rig.ts';

let rig: TriggerRig;
beforeEach(async () => {
  rig = await TriggerRig.open();
});
afterEach(() => rig.close());

const FEATURE = waits('feature', { label: 'feature' });
const OPENED = { event: 'pull_request.opened' };

/** Starts a run of "feature" by a label, and returns its id. */
async function runOf(opened: Opened, item: Item = rig.issue()): Promise<string> {
  return (await rig.sent(opened, rig.label(item, 'feature'))).run as string;
}

/** Opens the pull request of a run as the engine does, and returns the webhook of it. */
async function opensPull(run: string): Promise<Webhook> {
  const { folder, commit } = await rig.stage.clone();
  const head = `pawl/${run}`;
  valueIn(await rig.stage.forge.push({ folder, branch: head, sha: await commit({ [`${run}.txt`]: '1' }) }));
  const { number } = valueIn(await rig.stage.forge.openPullRequest({ title: 'Work', body: '', head, base: 'main' }, `${run}/open#1/1`));
  const item = rig.stage.hub.state.items.get(number) as Item;
  return { event: 'pull_request', payload: payloadFor(item, { action: 'opened', sender: LOGIN }) };
}

test('FT5: a pull request that a run opened starts nothing, unless a trigger allows it', async () => {
  const opened = await rig.serve([FEATURE, waits('review', OPENED)]);
  const run = await runOf(opened);
  expect(await rig.sent(opened, await opensPull(run))).toMatchObject({
    status: 'ignored',
    reason: `run ${run} caused this event, and "review" does not start on events that runs cause; "from_runs: true" in its trigger allows it`,
  });
  await opened.close();
  const asking = await rig.serve([FEATURE, waits('review', { ...OPENED, fromRuns: true })]);
  const other = await runOf(asking, rig.issue());
  const { run: review } = await rig.sent(asking, await opensPull(other));
  const [found] = await asking.engine.list({ idPrefix: review as string });
  expect(found).toMatchObject({ workflow: 'review', origin: { cause: other, pr: expect.any(Number) } });
});

test('FT6: no run causes another run of its own workflow, not even indirectly', async () => {
  const opened = await rig.serve([waits('one', { ...OPENED, fromRuns: true }), waits('two', { ...OPENED, fromRuns: true }), FEATURE]);
  const first = await runOf(opened);
  // One pull request starts both; each opens another one, which starts the other of them, and then nothing.
  await rig.sent(opened, await opensPull(first));
  const started = async (workflow: string) => (await opened.engine.list({ workflow })).length;
  for (let round = 0; round < 4; round += 1)
    for (const { id } of (await opened.engine.list()).filter(({ workflow }) => workflow !== 'feature'))
      if (rig.stage.hub.state.headOf(`pawl/${id}`) === undefined) await rig.sent(opened, await opensPull(id));
  expect([await started('one'), await started('two')]).toEqual([2, 2]);
  expect((await rig.deliveries(opened))[0]?.reason).toMatch(/^run \w+ of "\w+" led to this, so it would start itself again/);
});

test('FT5: comments, labels and issues of a run start nothing; those of the person with the same login do', async () => {
  const opened = await rig.serve([
    FEATURE,
    waits('answer', { event: 'issue_comment.created' }),
    waits('triage', { event: 'issues.opened' }),
    waits('deploy'),
  ]);
  const item = rig.issue();
  const run = await runOf(opened, item);
  const { forge, hub } = rig.stage;
  const { id } = valueIn(await forge.comment({ number: item.number, body: 'Done.' }, `${run}/say#1/1`));
  const said = await rig.sent(opened, rig.comment(item, 'Done.', { sender: LOGIN, id: Number(id) }));
  expect(said).toMatchObject({ status: 'ignored', reason: expect.stringContaining(`run ${run} caused this event`) });
  // An agent that gets a label or an issue written for it starts nothing by that.
  valueIn(await forge.addLabels({ number: item.number, labels: ['workflow:deploy'] }, `${run}/label#1/1`));
  const labelled = { event: 'issues', payload: payloadFor(item, { action: 'labeled', sender: LOGIN, label: { name: 'workflow:deploy' } }) };
  expect((await rig.sent(opened, labelled)).reason).toBe(`run ${run} caused this event, and only people can start a workflow by name`);
  const { number } = valueIn(await forge.createIssue({ title: 'More', body: '', labels: [] }, `${run}/issue#1/1`));
  const filed = { event: 'issues', payload: payloadFor(hub.state.items.get(number) as Item, { action: 'opened', sender: LOGIN }) };
  expect((await rig.sent(opened, filed)).reason).toContain(`run ${run} caused this event`);
  const other = rig.issue();
  expect((await rig.sent(opened, rig.label(other, 'workflow:deploy', LOGIN))).status).toBe('done');
  expect((await rig.sent(opened, rig.comment(other, 'What about this?', { sender: LOGIN, id: 1 }))).status).toBe('done');
});

test("FT5: with an App's login all of its actions count as Pawl's own", async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const forge = await rig.stage.reopen({ auth: { kind: 'app', appId: String(APP.id), privateKey } });
  const opened = await rig.serve([FEATURE], forge);
  const { status, reason } = await rig.sent(opened, rig.label(rig.issue(), 'feature', 'pawl-test[bot]'));
  expect([status, reason]).toEqual(['ignored', expect.stringContaining('Pawl caused this event')]);
});

test('a review policy also applies to pull requests of runs', () => {
  const policy = { rules: [{ name: 'core', requirements: [{ role: 'pr-review' }] }] };
  const triggers = compileReviewPolicy(policy).flatMap((workflow) => allTriggers(reviewTrigger(policy, workflow)));
  expect(triggers.map(({ fromRuns }) => fromRuns)).toEqual([true, true, true, true]);
});
