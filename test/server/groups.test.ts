// Who may decide an approval for a group: the groups of the settings count for people who log in to the server.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { step, workflow } from '../../src/index.ts';
import { createDecideLink } from '../../src/server/access/decide/link.ts';
import type { InboxPage } from '../../src/server/contract.ts';
import { AccessRig } from './access-rig.ts';

const groups = { maintainers: ['ann', 'Bob'] };
const merge = workflow('merge', function* () {
  return yield* step('ask').human({ prompt: 'Merge?', from: 'maintainers', count: 2, options: [{ label: 'Yes' }, { label: 'No' }] });
});

let rig: AccessRig;
beforeEach(async () => {
  rig = await AccessRig.open({ workflows: [merge], groups, server: { groups } });
});
afterEach(() => rig.close());

async function parked() {
  const run = await rig.engine.start(merge);
  await run.wait('idle');
  const [approval] = await run.approvals();
  return { run, digest: approval?.digest ?? '' };
}

const mine = async (person: string): Promise<readonly boolean[]> =>
  (await rig.send('GET', '/api/v1/inbox', { token: rig.token(person) })).json<InboxPage>().items.map((item) => item.mine);

test('a person outside the groups of an approval cannot decide it, by token or by link', async () => {
  const { run, digest } = await parked();
  expect(await mine('carl')).toEqual([false]);
  const body = { option: 'Yes', digest };
  expect(await rig.code('POST', `/api/v1/runs/${run.id}/decide`, { token: rig.token('carl'), body })).toBe('NOT_ALLOWED');
  const place = { access: rig.access, store: rig.engine.store, addresses: rig.server.services.addresses() };
  const { url } = await createDecideLink(place, { run: run.id, person: 'carl', by: 'test' });
  expect((await rig.form(new URL(url).pathname, body)).text).toContain('maintainers');
  expect((await run.get()).status).toBe('waiting');
});

test('two people of the group decide, in a session and by token, and each once, however a name is spelled', async () => {
  const { run, digest } = await parked();
  const path = `/api/v1/runs/${run.id}/decide`;
  const body = { option: 'Yes', digest };
  const cookie = await rig.login('ann');
  expect(await mine('ann')).toEqual([true]);
  expect((await rig.send('POST', path, { cookie, headers: { origin: rig.url }, body })).status).toBe(200);
  expect([await mine('ann'), await mine('bob')]).toEqual([[false], [true]]);
  expect((await rig.send('POST', path, { token: rig.token('bob'), body })).status).toBe(200);
  expect((await run.wait()).status).toBe('completed');
});
