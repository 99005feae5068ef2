// Commands in comments that start workflows: `/review depth=2`, by people with permission, once per comment.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { arg, step, workflow } from '../../src/index.ts';
import type { Opened } from '../server/event-rig.ts';
import type { Webhook } from './events.ts';
import type { Item } from './state.ts';
import { type ListedDelivery, TriggerRig } from './trigger-rig.ts';

let rig: TriggerRig;
beforeEach(async () => {
  rig = await TriggerRig.open();
});
afterEach(() => rig.close());

const review = (name = 'review'): AnyWorkflow =>
  workflow(
    name,
    { trigger: { command: 'review' }, params: { depth: arg({ type: 'integer', default: 1 }), area: arg({ type: 'string', default: '' }) } },
    function* () {
      return yield* step('hear').signal('go');
    },
  );

/** Writes a comment at the forge and returns its webhook. */
async function said(item: Item, body: string, sender = 'ann'): Promise<Webhook & { readonly comment: number }> {
  const id = Number(await rig.stage.comment(item.number, sender, body));
  return { ...rig.comment(item, body, { sender, id }), comment: id };
}

/** The result of a comment. */
const heard = async (opened: Opened, item: Item, body: string): Promise<ListedDelivery> => rig.sent(opened, await said(item, body));
const paramsOf = async ({ engine }: Opened, run: string): Promise<unknown> => {
  const { state } = await engine.store.load(run);
  return JSON.parse((await engine.store.values([state.params?.digest ?? ''])).get(state.params?.digest ?? '') ?? '{}');
};

test('FT7: a command starts its workflow for the issue, with the parameters after it, once per comment', async () => {
  const opened = await rig.serve([review()]);
  const item = rig.issue();
  const webhook = await said(item, '/review depth=2 area="{{ secrets.TOKEN }} $(id)"\n\nThanks!');
  const { status, run } = await rig.sent(opened, webhook);
  expect(status).toBe('done');
  expect(await paramsOf(opened, run ?? '')).toEqual({ depth: 2, area: '{{ secrets.TOKEN }} $(id)' });
  expect((await opened.engine.list()).map(({ origin: { issue, actor } }) => [issue, actor])).toEqual([[item.number, 'ann']]);
  await opened.engine.run(run ?? '').signal('go', { payload: {} });
  await opened.engine.run(run ?? '').wait();
  // The run has ended, so another comment would start a second one; the same comment does not.
  const issue = { ...(webhook.payload.issue as object), updated_at: '2100-01-01T00:00:00Z' };
  const again = { ...webhook, payload: { ...webhook.payload, issue } };
  expect(await rig.sent(opened, again)).toMatchObject({ status: 'done', run });
  expect(await opened.engine.list()).toHaveLength(1);
  expect((await heard(opened, item, '/review')).run).not.toBe(run);
});

test('FT7: a command that is quoted, in code, on another line, hidden or only starts the same starts nothing', async () => {
  const opened = await rig.serve([review()]);
  const item = rig.issue();
  const bodies = [
    '> /review',
    '```\n/review\n```',
    'Please\n/review',
    ' /review',
    '/review\u200b',
    '/reviews',
    '/Review',
    'see /review',
    '/re',
  ];
  for (const body of bodies) expect([body, (await heard(opened, item, body)).status]).toEqual([body, 'ignored']);
  expect(await opened.engine.list()).toEqual([]);
});

test('FT7: strangers, programs and edited comments start nothing', async () => {
  const { accounts, comments } = rig.stage.hub.state;
  accounts.set('mallory', { permission: 'read', bot: false });
  accounts.set('robot[bot]', { permission: 'write', bot: true });
  const opened = await rig.serve([review()]);
  const item = rig.issue();
  expect((await rig.sent(opened, await said(item, '/review', 'mallory'))).reason).toContain('"mallory" may not start workflows');
  expect((await rig.sent(opened, await said(item, '/review', 'robot[bot]'))).status).toBe('ignored');
  const changed = await said(item, '/review');
  Object.assign(comments.find(({ id }) => id === changed.comment) ?? {}, { body: '/review depth=9', updatedAt: '2100-01-01T00:00:00Z' });
  expect((await rig.sent(opened, changed)).reason).toContain('was edited');
  const edited = await said(item, '/review');
  const { payload } = edited;
  expect((await rig.sent(opened, { ...edited, payload: { ...payload, action: 'edited' } })).status).toBe('ignored');
  expect(await opened.engine.list()).toEqual([]);
});

test('FT7: a command accepts only parameters that the workflow declares', async () => {
  const opened = await rig.serve([review()]);
  const item = rig.issue();
  const reasons: Record<string, string> = {
    '/review please': 'name=value',
    '/review depth=1 depth=2': 'each parameter once',
    '/review depth=many': 'depth',
    '/review deploy=true': '"deploy" is not a parameter',
  };
  for (const [body, reason] of Object.entries(reasons)) expect((await heard(opened, item, body)).reason).toContain(reason);
  expect(await opened.engine.list()).toEqual([]);
});

test('FT7: two workflows with the same command start neither', async () => {
  const opened = await rig.serve([review('one'), review('two')]);
  expect((await heard(opened, rig.issue(), '/review')).reason).toBe('"one" and "two" both have the command /review; rename one');
});
