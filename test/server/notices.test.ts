import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow, step, workflow } from '../../src/index.ts';
import type { Notice } from '../../src/notify/notifier.ts';
import { accessOf } from '../../src/server/access/access.ts';
import { addPerson } from '../../src/server/access/people.ts';
import type { NotificationTarget } from '../../src/server/events/event-settings.ts';
import { EventRig, type Opened } from './event-rig.ts';

let rig: EventRig;
let closers: (() => void)[];
beforeEach(() => {
  rig = new EventRig();
  closers = [];
});
afterEach(async () => {
  for (const close of closers) close();
  await rig.close();
});

/** A receiver of notices that answers with these statuses, one after the other, and then with 200. */
async function receiver(...statuses: readonly number[]) {
  const notices: Notice[] = [];
  const answers = [...statuses];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    notices.push(JSON.parse(text) as Notice);
    response.writeHead(answers.shift() ?? 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { notices, host, url: `http://${host}/notices` };
}

const release = workflow('release', function* () {
  return yield* step('ship').human({ prompt: 'Ship it, @everyone?\u001B[2J', options: [{ label: 'Yes' }, { label: 'No' }] });
});
const failing = workflow('failing', function* () {
  return yield* step('boom').task(() => {
    throw new Error('no luck');
  });
});

const planning = defineWorkflow({
  name: 'planning',
  steps: { plan: { agent: 'planner', prompt: 'Plan.', supportsQuestions: true, next: null } },
});

const open = (team: NotificationTarget, host: string, options: { readonly publicUrl?: string } = {}): Promise<Opened> =>
  rig.open({ workflows: [release, failing, planning], events: { notifications: { team }, allow: [host] }, ...options });
const listed = async ({ ask }: Opened) =>
  ((await ask('GET', '/api/v1/notices')).body as { notices: { event: string; status: string; tries: number }[] }).notices.map(
    ({ event, status, tries }) => `${event} ${status} ${tries}`,
  );

test('a notice reports once that a run waits, with clean text and a link, however often runs are checked', async () => {
  const { notices, url, host } = await receiver();
  const opened = await open({ webhook: url }, host);
  const { url: address } = await opened.server.listen({ port: 0 });
  const run = await opened.engine.start(release);
  await expect.poll(() => notices.length).toBe(1);
  expect(notices[0]).toMatchObject({
    ...{ event: 'waiting', run: run.id, workflow: 'release', text: 'Ship it, ＠everyone?' },
    ...{ link: `${address}/runs/${run.id}?step=ship%231`, command: `pawl decide ${run.id}` },
  });
  await opened.close();
  const again = await open({ webhook: url }, host);
  const [approval] = await again.engine.run(run.id).approvals();
  await again.engine.run(run.id).decide({ actor: 'ann', approval: 'ship#1', digest: approval?.digest as string, option: 'Yes' });
  await again.close();
  expect(notices).toHaveLength(1);
});

test('a notice has the public URL, and for one person a decision link whose secret is in no database', async () => {
  const { notices, url, host } = await receiver(503);
  const publicUrl = 'https://pawl.example.com';
  const opened = await open({ webhook: url, person: 'ann' }, host, { publicUrl });
  addPerson(accessOf(opened.server.services), { name: 'ann', scopes: ['decide'], manages: false, invitedBy: 'test' });
  const run = await opened.engine.start(release);
  await expect.poll(() => listed(opened)).toEqual(['waiting open 1']);
  rig.clock.advance(60_000);
  await expect.poll(() => notices.length).toBe(2);
  const link = new URL(notices[1]?.link as string);
  expect([link.origin, link.pathname.slice(0, 3)]).toEqual([publicUrl, '/d/']);
  const secret = link.pathname.slice(3);
  expect(JSON.stringify(opened.server.services.database.all('SELECT * FROM notices'))).not.toContain(secret);
  const page = await (await opened.server.fetch(new Request(link))).text();
  const digest = /name="digest" value="(.*?)"/.exec(page)?.[1] as string;
  const body = new URLSearchParams({ digest, option: 'Yes' });
  await opened.server.fetch(new Request(link, { method: 'POST', body, headers: { origin: publicUrl } }));
  expect((await run.wait()).decision).toMatchObject({ option: 'Yes', actor: 'ann' });
});

test('a notice for a person who may not decide has a link to the run, and the server says why', async () => {
  const { notices, url, host } = await receiver();
  const opened = await open({ webhook: url, person: 'bob' }, host, { publicUrl: 'https://pawl.example.com' });
  const { id } = await opened.engine.start(release);
  await expect.poll(() => notices.map(({ link }) => link)).toEqual([`https://pawl.example.com/runs/${id}?step=ship%231`]);
  expect(rig.warnings).toEqual([expect.stringContaining('"bob" cannot log in here')]);
});

test('a notice states what an agent asks, and that it waits for an answer', async () => {
  const { notices, url, host } = await receiver();
  const opened = await open({ webhook: url, person: 'ann' }, host, { publicUrl: 'https://pawl.example.com' });
  const run = await opened.engine.start(planning, {}, { facts: { $attended: true } });
  await run.wait('idle');
  const [openStep] = await run.openSteps();
  await run.ask({
    token: openStep?.token as string,
    questions: [{ question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'Postgres' }] }],
  });
  await expect.poll(() => notices.length).toBe(1);
  expect(notices[0]).toMatchObject({
    ...{ event: 'waiting', title: `planning waits for an answer (run ${run.id})`, text: 'Which database?' },
    ...{ command: `pawl answer ${run.id}`, link: `https://pawl.example.com/runs/${run.id}?step=plan%231` },
  });
});

test('a notice reports that a run failed, only to the targets that subscribe to it and its workflow', async () => {
  const { notices, url, host } = await receiver();
  const opened = await open({ webhook: url, events: ['failed', 'completed'], workflows: ['failing'] }, host);
  await opened.engine.start(release);
  await (await opened.engine.start(failing)).wait();
  await expect.poll(() => notices.map(({ event, workflow: name }) => `${name} ${event}`)).toEqual(['failing failed']);
});

test('a notice that is not accepted is sent again later, without affecting the run', async () => {
  const { notices, url, host } = await receiver(503, 503);
  const opened = await open({ webhook: url }, host);
  await opened.engine.start(release);
  await expect.poll(() => listed(opened)).toEqual(['waiting open 1']);
  rig.clock.advance(60_000);
  await expect.poll(() => listed(opened)).toEqual(['waiting open 2']);
  rig.clock.advance(120_000);
  await expect.poll(() => listed(opened)).toEqual(['waiting sent 3']);
  expect(new Set(notices.map(({ id }) => id)).size).toBe(1);
});

test('a notice is not sent again after it was rejected', async () => {
  const { url, host } = await receiver(404);
  const opened = await open({ webhook: url }, host);
  await opened.engine.start(release);
  await expect.poll(() => listed(opened)).toEqual(['waiting failed 1']);
  expect(rig.warnings).toEqual([
    expect.stringMatching(/^the notice "waiting" of run \S+ to "\w+" could not be sent: the server responded with status 404$/),
  ]);
});

test('NB1: a notice is sent by one of two servers', async () => {
  const { notices, url, host } = await receiver();
  const servers = [await open({ webhook: url }, host), await open({ webhook: url }, host)] as const;
  await servers[0].engine.start(release);
  await expect.poll(() => notices.length).toBe(1);
  // Both have looked.
  await expect.poll(() => listed(servers[1])).toEqual(['waiting sent 1']);
  await servers[0].close();
  await servers[1].close();
  expect(notices).toHaveLength(1);
});

test('NB2: a notice that was not sent before the server ended is sent by the next; one that was being sent is not sent again', async () => {
  const { notices, url, host } = await receiver();
  const before = await open({ webhook: 'http://127.0.0.1:9/', events: ['waiting'] }, host);
  await before.engine.start(release);
  await before.engine.start(release);
  await expect.poll(async () => (await listed(before)).length).toBe(2);
  const { database } = before.server.services;
  // As a process leaves them that died: one in the outbox, one on its way.
  database.run("UPDATE notices SET status = 'open', tries = 0, due = 0");
  database.run("UPDATE notices SET status = 'sending', sender = 'gone' WHERE id = (SELECT min(id) FROM notices)");
  await before.close();
  const after = await open({ webhook: url, events: ['waiting'] }, host);
  await expect.poll(() => notices.length).toBe(1);
  // The receiver has a notice before its sender has recorded the answer.
  await expect.poll(async () => (await listed(after)).sort()).toEqual(['waiting sent 1', 'waiting unknown 0']);
  await after.close();
  expect(notices).toHaveLength(1);
});

test('a notice warns of every run that is near one of its circuit breakers, once', async () => {
  const { notices, url, host } = await receiver();
  const patient = defineWorkflow({
    ...{ name: 'patient', circuitBreakers: { sleepMs: 36_000_000 } },
    steps: { wait: { signal: 'go', next: null } },
  });
  const events = { notifications: { team: { webhook: url, events: ['warning'] as const } }, allow: [host] };
  const { engine } = await rig.open({ workflows: [patient], events });
  const runs = [await engine.start(patient), await engine.start(patient)];
  for (const run of runs) await run.wait('idle');
  rig.clock.advance(28_800_000);
  await expect.poll(() => notices.map(({ run }) => run).sort()).toEqual(runs.map(({ id }) => id).sort());
  expect(notices[0]).toMatchObject({ event: 'warning', text: 'max_sleep: 8h of 10h' });
});

test('a notice of the end of a run is sent even if no server was running then', async () => {
  const { notices, url, host } = await receiver();
  const before = await open({ webhook: url, events: ['completed'] }, host);
  const { id } = await before.engine.start(release);
  await expect.poll(() => before.server.services.database.get('SELECT count(*) AS n FROM open_runs')?.n).toBe(1);
  await before.server.close();
  const [approval] = await before.engine.run(id).approvals();
  await before.engine.run(id).decide({ actor: 'ann', approval: 'ship#1', digest: approval?.digest as string, option: 'Yes' });
  await before.close();
  await open({ webhook: url, events: ['completed'] }, host);
  await expect.poll(() => notices.map(({ event }) => event)).toEqual(['completed']);
});

test('a notice of a run is not about another one whose id begins with the same letters', async () => {
  const { notices, url, host } = await receiver();
  const { engine } = await open({ webhook: url, events: ['waiting'] }, host);
  await engine.start(release, undefined, { id: 'ship-1' });
  await engine.start(release, undefined, { id: 'ship-10' });
  await expect.poll(() => notices.map(({ run }) => run).sort()).toEqual(['ship-1', 'ship-10']);
});
