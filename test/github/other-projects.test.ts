// One address for the webhooks of several repositories: each is forwarded only to the project of its repository.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventRig, type Opened } from '../server/event-rig.ts';
import { labelItem, type Webhook, webhookRequest } from './events.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';
import { waits } from './trigger-rig.ts';

const SHOP = { repository: 'octo/project', secret: 'the secret of the shop' };
const BANK = { repository: 'octo/bank', secret: 'the secret of the bank' };

let stages: GitHubStage[];
let rigs: EventRig[];
let shop: Opened;
let bank: Opened;
beforeEach(async () => {
  stages = [await openGitHubStage(), await openGitHubStage()];
  rigs = [new EventRig(), new EventRig()];
  const open = (index: number, { repository, secret }: typeof SHOP, more: object = {}): Promise<Opened> => {
    const [stage, rig] = [stages[index] as GitHubStage, rigs[index] as EventRig];
    const forge = { ...stage.forge, watch: () => () => undefined };
    const events = { forge: { forge, repository, webhook: { secret: 'HOOK', repository } }, secret: async () => secret, ...more };
    return rig.open({ workflows: [waits('feature', { label: 'feature' })], events });
  };
  bank = await open(1, BANK);
  const other = {
    repository: 'Octo/Bank',
    secret: async () => BANK.secret,
    fetch: async (request: Request) => bank.server.fetch(request),
  };
  shop = await open(0, SHOP, { webhookProjects: () => [other] });
});
afterEach(async () => {
  for (const rig of rigs) await rig.close();
  for (const stage of stages) await stage.close();
});

/** The webhook of a label at issue 1 of a repository; both have one. */
function labelled(index: number, { repository, secret }: typeof SHOP): Webhook {
  const { state } = (stages[index] as GitHubStage).hub;
  const item = state.items.get(1) ?? state.add({ title: 'Search', body: '', user: 'ann' });
  const { event, payload } = labelItem(state, item, { label: 'feature', sender: 'ann' });
  return { event, secret, payload: { ...payload, repository: { full_name: repository } } };
}
const send = async (webhook: Webhook): Promise<number> => (await shop.server.fetch(webhookRequest('http://127.0.0.1', webhook))).status;
const reasons = async ({ ask }: Opened): Promise<unknown[]> => {
  const { deliveries } = (await ask('GET', '/api/v1/deliveries')).body as { deliveries: { status: string; reason: string | null }[] };
  return deliveries.map(({ status, reason }) => reason ?? status);
};
const runs = async ({ engine }: Opened): Promise<number> => (await engine.list()).length;

test('WN1: a webhook starts a run in the project of its repository only, also for equal numbers', async () => {
  expect(await send({ ...labelled(1, BANK), id: 'same' })).toBe(202);
  await expect.poll(() => reasons(bank)).toEqual(['done']);
  expect([await reasons(shop), await runs(shop), await runs(bank)]).toEqual([[], 0, 1]);
  expect(await send({ ...labelled(0, SHOP), id: 'same' })).toBe(202);
  await expect.poll(() => reasons(shop)).toEqual(['done']);
  expect([await reasons(bank), await runs(shop), await runs(bank)]).toEqual([['done'], 1, 1]);
  const ids = await Promise.all([shop, bank].map(async ({ engine }) => (await engine.list())[0]?.id));
  expect(new Set(ids).size).toBe(2);
});

test('WN1: the secret of one repository cannot be used to send events for another', async () => {
  expect(await send(labelled(0, { ...SHOP, secret: BANK.secret }))).toBe(401);
  expect(await send(labelled(1, { ...BANK, secret: 'guessed' }))).toBe(401);
  expect(await send(labelled(1, { ...BANK, secret: SHOP.secret }))).toBe(202);
  await expect.poll(() => reasons(shop)).toEqual(['it is about the repository octo/bank, not about this one']);
  expect([await reasons(bank), await runs(shop), await runs(bank)]).toEqual([[], 0, 0]);
});
