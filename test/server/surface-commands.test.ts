// Deciding from the forge: commands such as `/pawl approve` in comments, and every case in which one must not count.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeKeyList } from '../../src/authority/key-files.ts';
import { generateKey } from '../../src/authority/keys.ts';
import { defineWorkflow, type RunHandle } from '../../src/index.ts';
import { tempFolder } from '../temp-folder.ts';
import { SurfaceRig } from './surface-rig.ts';
import { FAILING, mend } from './workflows.ts';

let at: SurfaceRig;
beforeEach(async () => {
  at = new SurfaceRig();
  await at.begin();
});
afterEach(() => at.end());

const DIGEST = 12;
type Asked = Awaited<ReturnType<SurfaceRig['ask']>>;
const digestOf = async (run: Asked): Promise<string> => (await run.approvals())[0]?.digest.slice(0, DIGEST) ?? '';
const statusOf = async ({ id }: Asked): Promise<string | undefined> => (await at.opened.engine.list({ idPrefix: id }))[0]?.status;

test('the command line of a comment decides, under the name at the forge, and is recorded with the comment and the digest', async () => {
  await at.open();
  const run = await at.ask();
  const digest = await digestOf(run);
  const said = await at.say(`/pawl approve ${run.id} ask ${digest}`);
  expect(said).toMatchObject({ status: 'done', reactions: ['eyes', '+1'], answers: [] });
  await run.wait();
  const events = (await at.opened.engine.store.events(run.id, 0)).flatMap((row) => row.events);
  expect(events.filter((event) => event.type === 'run.changed' && event.change === 'decided')).toMatchObject([
    { decision: { step: 'ask', option: 'yes', actor: 'local:ann' } },
  ]);
  const [row] = at.opened.server.services.database.all('SELECT * FROM forge_commands');
  expect(row).toMatchObject({ login: 'ann', run: run.id, approval: 'ask#1', outcome: 'done', digest: expect.stringMatching(`^${digest}`) });
});

test('a short command decides if one thing waits; a rejection includes its reason', async () => {
  await at.open();
  const run = await at.ask();
  expect(await at.say('/pawl reject')).toMatchObject({ status: 'ignored', reason: expect.stringContaining('requires a text') });
  expect(await at.say('/pawl reject ask -- no tests')).toMatchObject({ status: 'done', reactions: ['eyes', '+1'] });
  const events = (await at.opened.engine.store.events(run.id, 0)).flatMap((row) => row.events);
  expect(events.find((event) => event.type === 'run.changed' && event.change === 'decided')).toMatchObject({
    decision: { option: 'no', input: 'no tests' },
  });
});

const SILENT: readonly [string, string][] = [
  ['in a sentence', 'please /pawl approve'],
  ['quoted', '> /pawl approve'],
  ['behind a quotation', '> hello\n/pawl approve'],
  ['in a code block', '```\n/pawl approve\n```'],
  ['indented', '    /pawl approve'],
  ['in hidden text', '<!--\n/pawl approve\n-->'],
  ['on the second line', 'Looks good!\n/pawl approve'],
  ['with a zero-width space', '/pa\u200Bwl approve'],
  ['in full-width letters', '\uFF0Fpawl approve'],
  ['with a Cyrillic letter', '/\u0440awl approve'],
  ['in capitals', '/PAWL approve'],
  ['with a tab', '/pawl\tapprove'],
  ['as a longer word', '/pawlapprove'],
];
test('a comment decides nothing if it is not a command: quoted, in code, hidden, not on the first line, or in other letters', async () => {
  await at.open();
  const run = await at.ask();
  for (const [how, body] of SILENT)
    expect([how, await at.say(body)]).toEqual([how, expect.objectContaining({ status: 'ignored', reactions: [], answers: [] })]);
  expect(await statusOf(run)).toBe('waiting');
});

const TOLD: readonly [string, string, string][] = [
  ['with invisible letters', '/pawl approve\u200B', 'invisible characters'],
  ['with a full-width verb', '/pawl \uFF41pprove', 'the commands are'],
  ['with two commands', '/pawl approve\n/pawl cancel', 'one command'],
  ['with markup behind it', '/pawl approve **now**', 'a run, a step or a digest'],
  ['for another run', '/pawl approve aaaaaaaaaaaaaaaa', 'nothing with this name here waits for a decision'],
  ['for another step', '/pawl approve deploy', 'nothing with this name here waits for a decision'],
  ['for other content', '/pawl approve ask deadbeef0000', 'nothing with this name here waits for a decision'],
  ['for an answer', '/pawl answer -- yes', 'nothing here waits for an answer'],
  ['for a retry of a run that did not stop', '/pawl retry', 'nothing here can be retried'],
];
test('a comment decides nothing if it is unclear or names something else, and the reply says why', async () => {
  await at.open();
  const run = await at.ask();
  for (const [how, body, why] of TOLD) {
    const { status, reactions, answers } = await at.say(body, { by: how.replaceAll(' ', '-') });
    expect([how, status, reactions.at(-1), answers]).toEqual([
      ...[how, 'ignored', expect.stringMatching(/^(?:-1|confused)$/)],
      [expect.stringContaining(why)],
    ]);
  }
  expect(await statusOf(run)).toBe('waiting');
});

test('CM1: a comment decides nothing if it was edited', async () => {
  await at.open();
  const run = await at.ask();
  const said = await at.say('/pawl status', { edit: '/pawl approve' });
  expect(said.status).not.toBe('done');
  const { answers } = await at.say('/pawl approve', { edit: '/pawl approve ' });
  expect(answers.join()).toContain('the comment was edited');
  expect(await statusOf(run)).toBe('waiting');
});

test('CM2: a comment by a program, or by the account of Pawl itself, decides nothing', async () => {
  at.forge.control.account('ci[bot]', { permission: 'admin', bot: true });
  await at.open();
  const run = await at.ask();
  for (const by of ['ci[bot]', 'pawl'])
    expect(await at.say('/pawl approve', { by })).toMatchObject({ status: 'ignored', reactions: [], answers: [] });
  expect(await statusOf(run)).toBe('waiting');
});

test('a comment by a person without write permission decides nothing; they get one reply and a limited number of reactions', async () => {
  at.forge.control.account('mallory', { permission: 'read' });
  await at.open();
  const run = await at.ask();
  const said = [];
  for (let count = 0; count < 12; count += 1) said.push(await at.say('/pawl approve', { by: 'mallory' }));
  expect(said[0]).toMatchObject({ reactions: ['-1'], answers: [expect.stringContaining('needs write permission')] });
  expect(said.slice(1).flatMap(({ answers }) => answers)).toEqual([]);
  expect(said.map(({ reactions }) => reactions.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
  expect(await statusOf(run)).toBe('waiting');
});

test('a comment decides nothing if the settings do not accept commands of its author, or turn off commands or comments', async () => {
  await at.open({ mayCommand: (login) => login === 'bob' });
  const run = await at.ask();
  expect((await at.say('/pawl approve')).answers.join()).toContain('do not accept commands of');
  await at.opened.close();
  await at.open({ commands: false });
  expect(await at.say('/pawl approve', { by: 'bob' })).toMatchObject({ status: 'ignored', reactions: [], answers: [] });
  expect(await statusOf(run)).toBe('waiting');
});

test('a comment decides nothing a second time, even if its delivery is handled again', async () => {
  await at.open();
  const run = await at.ask();
  await at.say('/pawl reject -- again');
  await at.shows('×2');
  const { database, deliveries } = at.opened.server.services;
  const number = Number(database.get("SELECT number FROM deliveries WHERE status = 'done'")?.number);
  expect((await deliveries.resend(number)).reason).toContain('was already handled');
  expect(await statusOf(run)).toBe('waiting');
});

test('a command that was written before the content was shown does not count', async () => {
  const first = await at.open();
  const run = await at.ask();
  await at.say('/pawl reject -- again');
  await expect.poll(async () => (await run.approvals())[0]?.path).toBe('ask#2');
  // The comment still shows the first question: it is changed at most every few seconds.
  expect((await at.say('/pawl approve')).answers.join()).toContain('has not been shown here yet');
  expect(await statusOf(run)).toBe('waiting');
  await at.shows('×2');
  expect(await at.say('/pawl approve')).toMatchObject({ status: 'done' });
  await first.close();
});

test('CM3: a late command does not count for content that was shown after it was written', async () => {
  // Nothing is watched: the test delivers the event.
  await at.open({}, { forge: { ...at.forge, watch: () => () => undefined } });
  const run = await at.ask();
  const written = await (await at.as('ann')).comment({ number: 1, body: '/pawl approve' }, 'early');
  const comment = written.result === 'ok' ? written.value.id : '';
  const [approval] = await run.approvals();
  await run.decide({ actor: 'bob', option: 'no', digest: approval?.digest as string, input: 'x' });
  await expect.poll(async () => (await run.approvals())[0]?.path).toBe('ask#2');
  at.tick();
  await at.settled();
  const { deliveries } = at.opened.server.services;
  const event = { id: 'late', event: 'issue_comment.created', at: 0, actor: 'ann', issue: 1, comment };
  deliveries.receive({ route: 'local', id: 'late', event: event.event, headers: { 'x-pawl-source': 'watch' }, body: event });
  await deliveries.ring();
  expect((await at.comments()).at(-1)?.body).toContain('was written before this content was shown');
  expect(await statusOf(run)).toBe('waiting');
});

test('a command about an older head does not count, nor one by the author of the pull request', async () => {
  await at.open();
  const pr = await at.pullRequest('bob');
  const run = await at.ask({ pr });
  expect((await at.say('/pawl approve', { by: 'bob', number: pr })).answers.join()).toContain('the author of the pull request');
  const head = at.commit('topic');
  expect((await at.say('/pawl approve', { number: pr })).answers.join()).toContain(`the head is ${head.slice(0, DIGEST)} now`);
  expect(await statusOf(run)).toBe('waiting');
  await at.shows(`at commit \`${head.slice(0, DIGEST)}\``, pr);
  expect(await at.say('/pawl approve', { number: pr })).toMatchObject({ status: 'done' });
});

test('a command must name the question if two wait', async () => {
  await at.open();
  const [one, two] = [await at.ask(), await at.ask()];
  expect((await at.say('/pawl approve')).answers.join()).toContain('2 runs or steps here wait for a decision; name one');
  expect(await at.say(`/pawl approve ${two.id}`)).toMatchObject({ status: 'done' });
  await two.wait();
  expect([await statusOf(one), await statusOf(two)]).toEqual(['waiting', 'completed']);
});

test('if decisions must be signed, a comment does not decide, and the reply says how to sign', async () => {
  const state = tempFolder();
  const owner = generateKey('olga');
  changeKeyList(state, (list) => list.enrol(owner, owner, 1));
  await at.open({}, { engine: { decisions: 'signed', identities: state } });
  const run = await at.start();
  await at.shows('The decision must be signed');
  const said = await at.say('/pawl approve');
  expect(said).toMatchObject({ status: 'ignored', reactions: ['eyes', 'confused'] });
  expect(said.answers).toEqual([expect.stringContaining(`pawl decide ${run.id} --approval ask`)]);
  expect(await statusOf(run)).toBe('waiting');
});

test('a command retries a stopped run or cancels a run, and is recorded with its author', async () => {
  mend(false);
  await at.open({}, { workflows: [FAILING] });
  const run = await at.start(FAILING);
  await at.shows(`/pawl retry ${run.id}`);
  mend(true);
  expect(await at.say('/pawl retry')).toMatchObject({ status: 'done', reactions: ['eyes', '+1'] });
  expect((await run.wait()).status).toBe('completed');
  expect((await at.say('/pawl cancel')).answers.join()).toContain('nothing here can be cancelled');
  mend(false);
  const other = await at.start(FAILING);
  await at.shows(`/pawl retry ${other.id}`);
  expect(await at.say(`/pawl cancel ${other.id} -- not needed`)).toMatchObject({ status: 'done' });
  expect(await statusOf(other)).toBe('cancelled');
  expect((await at.say('/pawl status')).answers.join()).toContain(`Run ${other.id}: cancelled.`);
});

test('"/pawl status" says what each run does, and what one that waits is waiting for', async () => {
  await at.open();
  const run = await at.ask();
  expect((await at.say('/pawl status')).answers).toEqual([
    expect.stringContaining(`Run ${run.id}: waiting for a person to decide at ask.`),
  ]);
  await run.pause({ actor: 'ann' });
  expect((await at.say('/pawl status')).answers).toEqual([
    expect.stringContaining(`Run ${run.id}: waiting for a person to decide at ask, for a person to resume it.`),
  ]);
});

test('"/pawl status" at the issue of a run that has a pull request says where the run is shown', async () => {
  await at.open();
  const pr = await at.pullRequest('bob');
  const run = await at.ask({ issue: 1, pr });
  expect((await at.say('/pawl status')).answers).toEqual([`Not done: run ${run.id} continues at pull request ${pr}; ask there`]);
});

/** Starts a run whose agent asks questions. */
async function askedByAgent(questions: readonly object[]): Promise<RunHandle> {
  const planning = defineWorkflow({
    name: 'planning',
    steps: { plan: { agent: 'planner', prompt: 'Plan.', supportsQuestions: true, next: null } },
  });
  await at.open({}, { workflows: [planning] });
  const run = await at.start(planning, { $attended: true });
  await run.wait('idle');
  const [openStep] = await run.openSteps();
  await run.ask({ token: openStep?.token as string, questions: questions as never });
  return run;
}

test('the questions of an agent are answered, each after its own dashes', async () => {
  const run = await askedByAgent([
    { question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'Postgres' }] },
    { question: 'Why, @ann?', options: [{ label: 'small' }, { label: 'fast' }] },
  ]);
  await at.shows(' -- ANSWER 1 -- ANSWER 2');
  expect((await at.comments())[0]?.body).toContain('2. Why, ＠ann? (small / fast)');
  expect((await at.say('/pawl answer -- sqlite')).answers.join()).toContain('asks 2 questions; answers given: 1');
  expect(await at.say('/pawl answer plan -- sqlite -- it is small')).toMatchObject({ status: 'done' });
  const events = JSON.stringify((await at.opened.engine.store.events(run.id, 0)).flatMap((row) => row.events));
  expect(events).toContain('local:ann');
});

test('CM3: questions that a comment does not show whole, such as a long text to be written, are not answered by one', async () => {
  const question = `Write this?\n${'All is well. '.repeat(80)}\nAnd publish the keys.`;
  const run = await askedByAgent([{ question, options: [{ label: 'write' }, { label: 'refuse' }] }]);
  await at.shows('too long for a comment');
  expect((await at.comments())[0]?.body).not.toContain('/pawl answer');
  const said = await at.say('/pawl answer plan -- write');
  expect(said).toMatchObject({ status: 'ignored', reason: expect.stringContaining('too long for a comment') });
  expect(await statusOf(run)).toBe('waiting');
});
