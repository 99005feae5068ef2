import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeKeyList } from '../../src/authority/key-files.ts';
import { generateKey } from '../../src/authority/keys.ts';
import { createDecideLink } from '../../src/server/access/decide/link.ts';
import { revokePerson } from '../../src/server/access/people.ts';
import { tempFolder } from '../temp-folder.ts';
import { AccessRig, type Reply } from './access-rig.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

let rig: AccessRig;
afterEach(() => rig.close());

async function linkTo(run: string, person = 'ann', expires?: string): Promise<string> {
  rig.person(person);
  const place = { access: rig.access, store: rig.engine.store, addresses: rig.server.services.addresses() };
  const { url } = await createDecideLink(place, { run, person, by: 'test', expires });
  return new URL(url).pathname;
}

const fieldIn = ({ text }: Reply, name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
const statusOf = async (run: string): Promise<string> => (await rig.engine.run(run).get()).status;

describe('a link for one decision', () => {
  beforeEach(async () => {
    rig = await AccessRig.open();
  });

  test('a link for one decision shows everything the decision is about, as inert text, and works without a script', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e\u0007 "quoted" \'text\'';
    const { id } = await rig.parked(hostile);
    const page = await rig.send('GET', await linkTo(id));
    expect(page.status).toBe(200);
    expect(page.text).toContain('Publish &lt;b&gt;this&lt;/b&gt;?');
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;&lt;U+202E&gt;&lt;U+0007&gt; &quot;quoted&quot; &#39;text&#39;');
    expect(page.text).toContain('plan.md');
    for (const part of ['value="approve"', 'value="rework"', 'required for: rework', 'You decide as ann'])
      expect(page.text).toContain(part);
    expect(page.text).not.toMatch(/<img|\u202e|data-sign/);
    expect(page.text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  });

  test('a link for one decision decides nothing when a bot opens it', async () => {
    const { id } = await rig.parked();
    const path = await linkTo(id);
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'GET']) await rig.send(method, path);
    expect(await statusOf(id)).toBe('waiting');
    expect((await rig.form(path, { option: 'approve', digest: fieldIn(await rig.send('GET', path), 'digest') })).status).toBe(200);
  });

  test('a link for one decision decides once, in the name of its person, and is recorded in the audit', async () => {
    const { id, digest } = await rig.parked();
    const path = await linkTo(id);
    const decided = await rig.form(path, { option: 'approve', digest });
    expect([decided.status, decided.text]).toEqual([200, expect.stringContaining('Decided: approve')]);
    expect((await rig.engine.run(id).wait()).status).toBe('completed');
    expect((await rig.engine.run(id).get()).decision).toMatchObject({ option: 'approve', actor: 'ann' });
    const again = await rig.form(path, { option: 'approve', digest });
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('this link was used on')]);
    rig.person('olga', { manages: true });
    const audit = await rig.send('GET', '/api/v1/audit?person=ann', { cookie: await rig.login('olga') });
    expect(audit.json<{ entries: readonly object[] }>().entries).toMatchObject([
      { person: 'ann', via: 'link', action: 'decide', about: `${id} ask#1 approve`, address: '127.0.0.1', outcome: 'ok' },
    ]);
  });

  test('a link for one decision expires, and is revoked with its person', async () => {
    const { id, digest } = await rig.parked();
    const [short, long] = [await linkTo(id, 'ann', '1h'), await linkTo(id)];
    rig.wait(60 * 60_000);
    expect((await rig.form(short, { option: 'approve', digest })).status).toBe(410);
    revokePerson(rig.access, 'ann');
    expect((await rig.form(long, { option: 'approve', digest })).status).toBe(410);
    expect(await statusOf(id)).toBe('waiting');
  });

  test('a link for one decision does not log in, and a login link does not decide', async () => {
    const { id, digest } = await rig.parked();
    const secret = (await linkTo(id)).split('/').at(-1) ?? '';
    expect((await rig.form('/auth/link', { secret })).status).toBe(410);
    expect((await rig.form(`/d/${rig.link('ann')}`, { option: 'approve', digest })).status).toBe(410);
    expect(await statusOf(id)).toBe('waiting');
  });

  test('a link for one decision does not decide from a page of another site, without an option, or without a required text', async () => {
    const { id, digest } = await rig.parked();
    const path = await linkTo(id);
    const foreign = await rig.form(path, { option: 'approve', digest }, { headers: { origin: 'https://evil.example' } });
    expect(foreign.json()).toMatchObject({ code: 'ORIGIN_REFUSED' });
    for (const [fields, told] of [
      [{ option: 'nope' }, 'has no option'],
      [{}, 'option'],
      [{ option: 'rework', input: ' \r\n' }, 'requires a text'],
    ] as const) {
      const reply = await rig.form(path, { ...fields, digest });
      expect([reply.status, reply.text]).toEqual([409, expect.stringContaining(told)]);
    }
    expect(await statusOf(id)).toBe('waiting');
    expect((await rig.form(path, { option: 'rework', input: 'Shorter,\r\nplease', digest })).status).toBe(200);
    const [decision] = (await rig.engine.store.events(id, 0)).flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'run.changed' && event.change === 'decided' ? [event.decision] : [])),
    );
    expect(decision).toMatchObject({ input: 'Shorter,\nplease', actor: 'ann' });
  });

  test('AC5: a link for one decision says what has changed since it was opened, and asks again', async () => {
    const { id, digest } = await rig.parked();
    const path = await linkTo(id);
    writeFileSync(join(rig.folder, 'plan.md'), 'two');
    const changed = await rig.form(path, { option: 'approve', digest });
    expect([changed.status, changed.text]).toEqual([409, expect.stringContaining('The content changed')]);
    expect(changed.text).toContain('plan.md');
    expect(await statusOf(id)).toBe('waiting');
    const now = fieldIn(changed, 'digest');
    expect(now).not.toBe(digest);
    const looked = await rig.send('GET', path);
    expect([looked.status, looked.text]).toEqual([409, expect.stringContaining('The content changed')]);
    expect((await rig.form(path, { option: 'approve', digest })).status).toBe(409);
    expect((await rig.form(path, { option: 'approve', digest: now })).status).toBe(200);
    expect((await rig.engine.run(id).wait()).status).toBe('completed');
  });

  test('a link for one decision shows the current content when it is opened, with the changes since it was sent', async () => {
    const { id, digest } = await rig.parked();
    const path = await linkTo(id);
    writeFileSync(join(rig.folder, 'plan.md'), 'two');
    const looked = await rig.send('GET', path);
    expect([looked.status, looked.text]).toEqual([409, expect.stringContaining('The content changed')]);
    expect(looked.text).toContain('plan.md changed');
    const now = fieldIn(looked, 'digest');
    expect(now).not.toBe(digest);
    expect((await rig.form(path, { option: 'approve', digest: now })).status).toBe(200);
    expect((await rig.engine.run(id).wait()).status).toBe('completed');
  });

  test('the subjects of a link for one decision are checked once in a few seconds, however often it is opened, and never for a program that previews it', async () => {
    const { id, digest } = await rig.parked();
    const path = await linkTo(id);
    const written = async (): Promise<number> => (await rig.engine.store.events(id, 0)).flatMap(({ events }) => events).length;
    const before = await written();
    writeFileSync(join(rig.folder, 'plan.md'), 'two');
    const agents = [
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'WhatsApp/2.23',
      'facebookexternalhit/1.1',
      'TelegramBot (like TwitterBot)',
    ];
    for (const agent of agents) expect(fieldIn(await rig.send('GET', path, { headers: { 'user-agent': agent } }), 'digest')).toBe(digest);
    for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }] as Record<string, string>[])
      await rig.send('GET', path, { headers });
    await rig.send('HEAD', path);
    expect(await written()).toBe(before);
    // The browser of a chat program, which a person uses, and a phone with an unlucky name.
    const person = { 'user-agent': 'Mozilla/5.0 (Linux; Android 9; CUBOT X19) Telegram-Android/11.4', 'sec-fetch-dest': 'document' };
    expect(fieldIn(await rig.send('GET', path, { headers: person }), 'digest')).not.toBe(digest);
    rig.wait(5000);
    // Two people open it at the same moment, and then again.
    const pages = await Promise.all([rig.send('GET', path), rig.send('GET', path)]);
    const now = [...new Set(pages.map((page) => fieldIn(page, 'digest')))];
    expect([now.length, now[0] === digest]).toEqual([1, false]);
    const looked = await written();
    expect(looked).toBeGreaterThan(before);
    const token = rig.token('ann', ['decide']);
    for (let time = 0; time < 3; time += 1) {
      await rig.send('GET', path);
      expect((await rig.send('POST', `/api/v1/runs/${id}/recheck`, { token, body: {} })).json()).toMatchObject({ changed: [] });
    }
    expect(await written()).toBe(looked);
    writeFileSync(join(rig.folder, 'plan.md'), 'three');
    rig.wait(5000);
    const { changed } = (await rig.send('POST', `/api/v1/runs/${id}/recheck`, { token, body: {} })).json<{ changed: object[] }>();
    expect(changed).toMatchObject([{ approval: 'ask#1', what: expect.stringContaining('plan.md') }]);
    // A decision about outdated content is still rejected.
    writeFileSync(join(rig.folder, 'plan.md'), 'four');
    const stale = fieldIn(await rig.send('GET', path), 'digest');
    expect((await rig.form(path, { option: 'approve', digest: stale })).status).toBe(409);
    expect(await statusOf(id)).toBe('waiting');
  });

  test('a link for one decision says who decided earlier', async () => {
    const { id, digest } = await rig.parked();
    const path = await linkTo(id);
    await rig.engine.run(id).decide({ option: 'approve', actor: 'bob' });
    const looked = await rig.send('GET', path);
    expect([looked.status, looked.text]).toEqual([410, expect.stringMatching(/already decided: <strong>approve<\/strong>, by bob/)]);
    expect((await rig.form(path, { option: 'rework', input: 'x', digest })).status).toBe(410);
  });

  test('a link for one decision is created by a person with a browser, for a person who may decide, for a waiting approval', async () => {
    const { id } = await rig.parked();
    rig.person('viewer', { scopes: ['view'] });
    rig.person('ann');
    rig.person('max', { manages: true });
    const cookie = await rig.login('max');
    const body = { run: id, for: 'ann' };
    expect(await rig.code('POST', '/api/v1/links', { token: rig.token('olga'), body })).toBe('NOT_ALLOWED');
    expect(await rig.code('POST', '/api/v1/links', { cookie, body: { ...body, for: 'viewer' } })).toBe('NOT_ALLOWED');
    expect(await rig.code('POST', '/api/v1/links', { cookie, body: { ...body, for: 'nobody' } })).toBe('PERSON_UNKNOWN');
    expect(await rig.code('POST', '/api/v1/links', { cookie, body: { ...body, approval: 'other' } })).toBe('WAIT_NOT_FOUND');
    const made = (await rig.send('POST', '/api/v1/links', { cookie, body })).json<{ url: string; person: string }>();
    expect(made).toMatchObject({ person: 'ann', url: expect.stringMatching(new RegExp(`^${rig.url}/d/pawll_`)) });
  });
});

test('a decision that must be signed is signed on the page with a passkey, and rejected without one', async () => {
  const state = tempFolder();
  const owner = generateKey('olga');
  changeKeyList(state, (list) => list.enrol(owner, owner, 1));
  rig = await AccessRig.open({ decisions: 'signed', identities: state, server: { identities: state } });
  const cookie = await rig.login('ann');
  const phone = new SoftwareAuthenticator(rig.url);
  type Options = { readonly options: { readonly challenge: string } };
  const { options } = (await rig.send('POST', '/api/v1/passkeys/options', { cookie, body: {} })).json<Options>();
  await rig.send('POST', '/api/v1/passkeys', { cookie, body: { response: phone.register(options.challenge) } });
  changeKeyList(state, (list) => list.enrol({ name: 'ann', key: phone.key }, owner, 2));
  const { id, digest } = await rig.parked();
  const path = await linkTo(id);
  const page = await rig.send('GET', path);
  expect(page.text).toContain(`data-sign="${path}/sign"`);
  const without = await rig.form(path, { option: 'approve', digest });
  expect([without.status, without.text]).toEqual([409, expect.stringContaining('must be signed with your passkey')]);
  const asked = { digest, option: 'approve', input: '' };
  const toSign = (await rig.send('POST', `${path}/sign`, { headers: { origin: rig.url }, body: asked })).json<Options>();
  const passkey = JSON.stringify(phone.assert(toSign.options.challenge));
  const other = await rig.form(path, { option: 'rework', input: 'no', digest, passkey });
  expect(other.status).toBe(409);
  const again = (await rig.send('POST', `${path}/sign`, { headers: { origin: rig.url }, body: asked })).json<Options>();
  const decided = await rig.form(path, { option: 'approve', digest, passkey: JSON.stringify(phone.assert(again.options.challenge)) });
  expect([decided.status, decided.text]).toEqual([200, expect.stringContaining('Decided: approve')]);
  expect((await rig.engine.run(id).wait()).status).toBe('completed');
});
