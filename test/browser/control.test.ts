// What people do from the dashboard besides a plain decision: schedules and deliveries, questions and assumptions of agents,
// signals, the choices after a halt, cancelling with its undo, decisions of two people, signed ones and ones from a phone.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeKeyList } from '../../src/authority/key-files.ts';
import { generateKey } from '../../src/authority/keys.ts';
import { deliver, Visitor } from './served-project.ts';
import { button, invite, startRun, status, type Visit, visitShop } from './shop-visit.ts';

const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\n';
const SECRET = 'a secret of the hook, long enough';
const AGENT = `import { readFileSync } from 'node:fs';

const told = readFileSync(0, 'utf8');
const asks = [
  { question: 'Which currency?', options: [{ label: 'euro', description: 'as the shop' }, { label: 'dollar' }] },
  { question: 'Which parts?', options: ['cart', 'mail', 'stock'], multiSelect: true },
];
const guess = { question: 'Which database?', assumed: 'SQLite', severity: 'MUST', options: ['SQLite', 'MySQL'] };
const currency = /\\b(euro|dollar)\\b/.exec(told.split('Which currency?')[1] ?? '')?.[1];
if (!told.includes('Plan')) console.log(JSON.stringify({ success: true, output: { told } }));
else if (currency === undefined) console.log('<needs_user_input>' + JSON.stringify(asks) + '</needs_user_input>');
else console.log(JSON.stringify({ success: true, output: { currency }, assumptions: told.includes('MySQL') ? [] : [guess] }));
`;

const FILES = {
  '.pawl/config.yaml': `secrets:
  SHOP_HOOK: { command: [cat, hook-secret.txt] }
hooks:
  order:
    secret: SHOP_HOOK
    start: audit
    when: body.kind == 'order'
roles:
  planner: { driver: command, argv: [node, .pawl/agent.mjs] }
`,
  'hook-secret.txt': SECRET,
  '.pawl/agent.mjs': AGENT,
  '.pawl/workflows/report.yaml': `${HEAD}metadata: { name: report }
trigger: { schedule: "0 6 * * *", timezone: Europe/Berlin }
stages: [{ id: write, type: command, run: "echo written" }]
`,
  '.pawl/workflows/plan.yaml': `${HEAD}metadata: { name: plan }
stages:
  - { id: plan, type: agent, agent: planner, prompt: Plan the work., supports_questions: true }
  - { id: approve, type: human, prompt: Is the plan good? }
`,
  '.pawl/workflows/ship.yaml': `${HEAD}metadata: { name: ship }
stages:
  - { id: pack, type: command, run: "echo packed", undo: { run: "echo unpacked >> undone.txt" } }
  - { id: weigh, type: command, run: "echo 3 kg" }
  - { id: arrived, type: signal, signal: arrived }
  - { id: tell, type: command, run: "echo told" }
`,
  '.pawl/workflows/two.yaml': `${HEAD}metadata: { name: two }
stages:
  - id: sign
    type: human
    prompt: Do two people agree?
    count: 2
    options: [{ label: approve }, { label: reject, outcome: reject }]
`,
  '.pawl/workflows/signed.yaml': `${HEAD}metadata: { name: signed }
stages: [{ id: sign, type: human, prompt: Sign this?, signed: true }]
`,
  '.pawl/workflows/long.yaml': `${HEAD}metadata: { name: long }
stages:
  - { id: wait, type: command, run: "sh slow.sh begun" }
  - { id: after, type: command, run: "test -e never" }
  - { id: last, type: command, run: "echo last" }
`,
};

let visit: Visit;
const owner = generateKey('olga');

beforeAll(async () => {
  visit = await visitShop(FILES);
});
afterAll(() => visit.close());

const answerOf = (page: Visitor['page'], question: string) => page.locator('fieldset', { hasText: question });

test('a schedule shows its next times, and can be paused, resumed, run now and backfilled', async () => {
  const { page } = visit.ann;
  await page.goto(`${visit.served.url}/events`);
  const card = page.getByRole('article', { name: 'report' });
  await card.getByText('Europe/Berlin').waitFor();
  expect(await card.locator('ol').first().locator('li').count()).toBe(5);
  expect(await card.locator('ol').first().innerText()).toMatch(/06:00/);
  await card.getByRole('button', { name: 'Pause' }).click();
  await card.getByText(/Paused .* by/).waitFor();
  await card.getByRole('button', { name: 'Resume' }).click();
  await card.getByRole('button', { name: 'Pause' }).waitFor();
  await card.getByRole('button', { name: 'Run now' }).click();
  const byHand = card.locator('li', { hasText: 'by hand' });
  await byHand.getByRole('link').waitFor();
  await card.getByRole('button', { name: 'Backfill' }).click();
  // Two whole days have two ticks, whatever the time of day is now.
  const midnight = (daysAgo: number): string => `${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}T00:00`;
  await page.getByLabel('From').fill(midnight(4));
  await page.getByLabel('Until').fill(midnight(2));
  await page.getByRole('dialog').getByRole('button', { name: 'Backfill' }).click();
  await expect.poll(() => card.locator('li', { hasText: 'backfill' }).count()).toBe(2);
  await byHand.getByRole('link').click();
  await status(page, 'completed').waitFor();
});

test('a delivery is listed with what it started or why it matched nothing, shows its body, and can be resent', async () => {
  const { ann, served } = visit;
  const hook = `${served.url}/hooks/order`;
  expect((await deliver(hook, { id: 'order-1', secret: SECRET, body: { kind: 'order', number: 81 } })).status).toBe(202);
  expect((await deliver(hook, { id: 'news-1', secret: SECRET, body: { kind: 'news' } })).status).toBe(202);
  const { page } = ann;
  await page.goto(`${served.url}/events`);
  const order = page.locator('tr', { hasText: 'order-1' });
  await order.getByText('done').waitFor();
  const run = await order.getByRole('link').innerText();
  const news = page.locator('tr', { hasText: 'news-1' });
  await news.getByText('matched nothing').waitFor();
  await news.locator('.said').waitFor();
  await news.locator('summary', { hasText: 'news-1' }).click();
  await news.getByText(/news/).last().waitFor();
  await order.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Delivery order-1 is handled again.').waitFor();
  expect(await order.getByRole('link').innerText()).toBe(run);
  await order.getByRole('link').click();
  await page.getByText('Are the books right?').first().waitFor();
});

test('the questions of an agent are answered with its options, and its assumption gets a different answer', async () => {
  const { page } = visit.ann;
  await startRun(page, 'plan');
  await answerOf(page, 'Which currency?').getByLabel('euro').check();
  expect(await button(page, 'Answer').getAttribute('disabled')).not.toBeNull();
  await answerOf(page, 'Which parts?').getByLabel('cart').check();
  await answerOf(page, 'Which parts?').getByLabel('stock').check();
  await button(page, 'Answer').click();
  await page.getByText('Is the plan good?').first().waitFor();
  const card = page.getByRole('article', { name: 'Assumption a1 of plan' });
  await card.getByText('SQLite').first().waitFor();
  await page.goto(`${visit.served.url}/inbox`);
  await card.getByLabel('Answer otherwise').fill('MySQL');
  await card.getByRole('button', { name: 'Answer', exact: true }).click();
  await card.waitFor({ state: 'detached' });
});

test('a signal is sent from the page of the run that waits for it', async () => {
  const { page } = visit.ann;
  await startRun(page, 'ship');
  await button(page, 'Send it').click();
  expect(await page.getByRole('textbox', { name: 'Signal' }).inputValue()).toBe('arrived');
  await page.getByLabel('What it carries').fill('{"at": "noon"}');
  await button(page, 'Send').click();
  await status(page, 'completed').waitFor();
  await page.goto(`${page.url()}?step=arrived%231`);
  await page.getByText('noon').first().waitFor();
});

test('a cancel shows what it will undo, and undoes it', async () => {
  const { page } = visit.ann;
  await startRun(page, 'ship');
  await button(page, 'Send it').waitFor();
  await button(page, 'Cancel').click();
  const table = page.getByRole('table', { name: 'What is undone' });
  await table.getByText('echo unpacked').waitFor();
  expect(await table.innerText()).toContain('pack#1');
  await page.getByText('What one step did stays').click();
  await page.getByText('weigh#1').last().waitFor();
  await button(page, 'Cancel the run').click();
  await status(page, 'cancelled').waitFor();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await page.getByText('@undo#1').first().waitFor();
});

test('a person marks an interrupted step as done, and accepts or skips a failed one', async () => {
  const { ann, served } = visit;
  const { page } = ann;
  const run = await startRun(page, 'long');
  await page.locator('.graph .step[data-status="running"]', { hasText: 'wait' }).waitFor();
  await page.goto(`${served.url}/runs/${run}?step=wait%231`);
  await page.getByText('begun').first().waitFor();
  await served.kill();
  writeFileSync(join(served.place.project, 'go'), '');
  await served.start();
  await page.goto(`${served.url}/runs/${run}`);
  await page.getByText('how it ended is not recorded').waitFor();
  await button(page, 'Choose how it continues').click();
  await page.getByLabel(/It succeeded/).check();
  await page.getByRole('dialog').getByRole('button', { name: 'It succeeded' }).click();
  await status(page, 'escalated').waitFor();
  await button(page, 'Choose how it continues').click();
  await page.getByLabel(/Continue at another step/).check();
  await page.getByRole('dialog').getByRole('combobox').selectOption('last');
  await page.getByRole('dialog').getByRole('button', { name: 'Continue at another step' }).click();
  await status(page, 'overridden').waitFor();
  await startRun(page, 'long');
  await status(page, 'escalated').waitFor();
  await button(page, 'Resume').click();
  await page.getByLabel(/^Accept/).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
  await status(page, 'overridden').waitFor();
});

test('an approval of two people waits for the second, who sees that the first approved', async () => {
  const { page } = visit.ann;
  const bob = await invite(visit, 'bob');
  const run = await startRun(page, 'two');
  await page.getByRole('button', { name: /^approve/ }).click();
  await button(page, 'Decide "approve"').click();
  await page.getByText('1 of 2 decided').waitFor();
  await page.getByText(/can still decide/).waitFor();
  await bob.page.goto(`${visit.served.url}/inbox/${run}/sign%231`);
  await bob.page.locator('.tag', { hasText: ': approve' }).waitFor();
  await bob.page.getByRole('button', { name: /^approve/ }).click();
  await button(bob.page, 'Decide "approve"').click();
  await status(page, 'completed').waitFor();
  expect(bob.problems).toEqual([]);
  await bob.close();
});

test('a link decides one approval from a phone, once', async () => {
  const { browser, ann, served } = visit;
  const { page } = ann;
  await startRun(page, 'audit');
  await button(page, 'Link for a phone').click();
  await button(page, 'Create the link').click();
  const link = (await page.getByLabel('Link', { exact: true }).inputValue()).replace(/^http:\/\/[^/]+/, served.url);
  await button(page, 'Done').click();
  const phone = await Visitor.open(browser, { width: 390, height: 760 });
  await phone.page.goto(link);
  await phone.page.getByText('Are the books right?').first().waitFor();
  await phone.page.getByRole('button', { name: /approve/ }).click();
  await status(page, 'completed').waitFor();
  await phone.page.goto(link);
  expect(await phone.page.getByRole('button', { name: /approve/ }).count()).toBe(0);
  await phone.close();
});

test('a signed decision needs an enrolled passkey, and is signed with it', async () => {
  const { ann, served } = visit;
  const { page, context } = ann;
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const authenticator = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true };
  const options = { ...authenticator, isUserVerified: true, automaticPresenceSimulation: true };
  await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
  await page.goto(`${served.url}/access?part=keys`);
  await button(page, 'Add a passkey').click();
  await page.getByText('not enrolled for signed decisions').click();
  const [, line = ''] = /'(.+)'/.exec(await page.locator('code.command').innerText()) ?? [];
  const [, key = '', name = ''] = line.split(' ');
  const { state } = served.place;
  changeKeyList(state, (list) => list.enrol(owner, owner, 1));
  changeKeyList(state, (list) => list.enrol({ name, key }, owner, 2));
  await startRun(page, 'signed');
  await page.getByText('needs your passkey').waitFor();
  await page.getByRole('button', { name: /^approve/ }).click();
  await button(page, 'Decide "approve"').click();
  await status(page, 'completed').waitFor();
  expect(ann.problems).toEqual([]);
});
