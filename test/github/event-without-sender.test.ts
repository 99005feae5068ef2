// Events without a sender: they do nothing that needs a right, and are attributed to no account.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { isForkPush } from '../../src/server/triggers/forge-handler.ts';
import { keyOfEvent } from '../../src/server/triggers/received-event.ts';
import type { Webhook } from './events.ts';
import { DELETED } from './shapes.ts';
import { TriggerRig, waits } from './trigger-rig.ts';

let rig: TriggerRig;
beforeEach(async () => {
  rig = await TriggerRig.open();
  // An account with the name that GitHub shows for deleted ones, and rights.
  await rig.stage.account('ghost', { permission: 'write' });
});
afterEach(() => rig.close());

const NO_SENDER = 'the event names no sender, so it may not start workflows; someone with write permission can add the label "workflow:';

const withoutSender = ({ payload, ...webhook }: Webhook): Webhook => ({ ...webhook, payload: { ...payload, sender: null } });

test('an event without a sender starts nothing, even if its label names the workflow', async () => {
  const opened = await rig.serve([waits('feature', { label: 'feature' })]);
  const item = rig.issue();
  for (const label of ['feature', 'workflow:feature'])
    expect(await rig.sent(opened, withoutSender(rig.label(item, label)))).toMatchObject({
      status: 'ignored',
      reason: expect.stringContaining(NO_SENDER),
    });
  expect(await opened.engine.list()).toEqual([]);
});

test('an event that polling finds without a sender is not attributed to the account "ghost"', async () => {
  const { forge } = rig.stage;
  const opened = await rig.events.open({ workflows: [waits('triage', { event: 'issues.opened' })], events: { forge: { forge } } });
  await expect.poll(() => opened.server.services.database.get('SELECT cursor FROM forge_cursors')?.cursor).toBeDefined();
  rig.issue({ user: DELETED });
  await expect.poll(() => rig.deliveries(opened)).toMatchObject([{ status: 'ignored', reason: expect.stringContaining(NO_SENDER) }]);
  expect(await opened.engine.list()).toEqual([]);
});

test('an event without a sender is not a push to a listed fork', () => {
  const push = { id: 'one', event: 'pull_request.opened', at: 0, pr: 1 };
  expect([isForkPush({ ...push, actor: 'carol' }), isForkPush(push)]).toEqual([true, false]);
});

test('an event without a sender cancels no run and decides no question', async () => {
  const workflow = defineWorkflow({
    name: 'asking',
    facts: ['issue_number'],
    onEvents: [{ event: 'issue_comment.created', do: 'cancel' }],
    steps: [{ id: 'ask', human: { prompt: 'Ship it?', waitFor: 'label', label: 'ship' }, next: null }],
  });
  const opened = await rig.serve([workflow]);
  const item = rig.issue();
  const { id } = await opened.engine.start(workflow, {}, { facts: { issue_number: item.number } });
  await opened.engine.run(id).wait('idle');
  expect((await rig.sent(opened, withoutSender(rig.comment(item, 'stop', { sender: 'ghost' })))).reason).toContain(
    `run ${id} does not react: the forge does not say who caused it`,
  );
  rig.events.clock.advance(60_000);
  await rig.sent(opened, withoutSender(rig.label(item, 'ship')));
  expect((await opened.engine.run(id).get()).status).toBe('waiting');
});

test('an event without a sender has another key than the same event with one', () => {
  const event = { id: 'one', event: 'issues.labeled', at: 0, issue: 1, label: 'ready' };
  const keys = [undefined, '', 'null', 'ghost'].map((actor) => keyOfEvent(actor === undefined ? event : { ...event, actor }));
  expect(new Set(keys).size).toBe(keys.length);
});

test('a review by a deleted account does not count as an approval', async () => {
  const { number } = await rig.stage.openFromFork('theirs');
  await rig.stage.review(number, DELETED, 'approved');
  await rig.stage.review(number, 'ann', 'approved');
  expect(valueIn(await rig.stage.forge.approvals(number)).map(({ actor }) => actor)).toEqual(['ann']);
});
