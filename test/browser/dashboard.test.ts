// The dashboard in a real browser, against the real server, engine and SQLite: runs are started, followed, decided and
// controlled, by several people, while the server is killed and comes back.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { type Browser, launchBrowser, type Page } from './browser.ts';
import { createProject, Served, Visitor, writeIn } from './served-project.ts';
import { SHOP } from './shop.ts';

const launched = await launchBrowser();
const browser = 'browser' in launched ? launched.browser : undefined;
const home = tempFolder();
let served: Served;
let ann: Visitor;

beforeAll(async () => {
  const package_ = join(inject('bundle'), '..');
  served = new Served(createProject(home, join(package_, 'bin', 'pawl.js'), SHOP));
  await served.start();
  ann = await (await Visitor.open(here())).logIn(await served.loginLink());
});
afterAll(async () => {
  await served.stop();
  await browser?.close();
});

/** The browser; without one, each test says why. */
function here(): Browser {
  if (browser === undefined) throw new Error(`no browser: ${'missing' in launched ? launched.missing : ''}`);
  return browser;
}

const go = (): void => writeFileSync(join(served.place.project, 'go'), '');
const wait = (): void => rmSync(join(served.place.project, 'go'), { force: true });
const status = (page: Page, word: string) => page.locator('.run-head .status', { hasText: word });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });

/** Starts a run with the form of its workflow, and waits for its page. */
async function start(page: Page, workflow: string, params: Readonly<Record<string, string>> = {}): Promise<string> {
  await page.goto(`${served.url}/workflows/${workflow}`);
  for (const [name, value] of Object.entries(params)) await page.getByLabel(new RegExp(`^${name}`)).fill(value);
  await button(page, 'Start').click();
  await page.waitForURL(/\/runs\/\w+$/);
  return page.url().split('/').at(-1) ?? '';
}

test('no page is visible without a login', async () => {
  const stranger = await Visitor.open(here());
  await stranger.page.goto(`${served.url}/runs`);
  await stranger.page.waitForURL(/\/auth\/login/);
  expect(await stranger.page.getByRole('heading', { name: 'Log in to Pawl' }).count()).toBe(1);
  await stranger.close();
});

test('a run is started from a form, followed while it works, decided with the keyboard, and ends', async () => {
  wait();
  const { page } = ann;
  await start(page, 'release', { version: '1.4.0' });
  await page.locator('.graph .step', { hasText: '3 running' }).click();
  await page.getByRole('button', { name: 'unit' }).click();
  await page.getByText('unit: 41 of 64 tests passed').first().waitFor();
  go();
  await page.getByText('Release this version?').first().waitFor();
  const diff = page.locator('.asked .diff-file', { hasText: 'src/cart.js' });
  await diff.locator('tr.insert', { hasText: 'item.price * item.count' }).waitFor();
  await diff.locator('summary').press('Enter');
  await expect.poll(() => diff.locator('tr').count()).toBe(0);
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await status(page, 'completed').waitFor();
  await page.locator('.graph .step[data-status="completed"]', { hasText: 'publish' }).waitFor();
  await page.locator('.graph .step', { hasText: 'build' }).click();
  await page.getByRole('heading', { name: '2 changed files' }).waitFor();
  await page.getByRole('region', { name: 'Changes of CHANGES.md' }).getByText('The total counts every item.').waitFor();
  expect(ann.problems).toEqual([]);
});

test('the keys j and k move through the inbox, approvals are decided there, and sending work back needs a text', async () => {
  go();
  const { page } = ann;
  const first = await start(page, 'release', { version: '1' });
  await page.getByText('Release this version?').first().waitFor();
  const second = await start(page, 'audit');
  await page.getByText('Are the books right?').first().waitFor();
  await page.getByRole('link', { name: /Inbox/ }).click();
  await page.locator('.inbox-item[aria-current]', { hasText: 'release' }).waitFor();
  await page.keyboard.press('j');
  await page.waitForURL(new RegExp(second));
  await page.locator('.inbox-item[aria-current]', { hasText: 'audit' }).waitFor();
  await page.keyboard.press('k');
  await page.waitForURL(new RegExp(first));
  await page.locator('.inbox-item[aria-current]', { hasText: 'release' }).waitFor();
  await page.keyboard.press('r');
  expect(await button(page, 'Decide "rework"').getAttribute('disabled')).not.toBeNull();
  await page.getByLabel(/Your text/).fill('The changelog is too short');
  await button(page, 'Decide "rework"').click();
  await page.locator('.inbox-item', { hasText: 'release' }).waitFor({ state: 'detached' });
  await page.getByText('Are the books right?').last().waitFor();
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await page.getByText(/Decided "approve"/).waitFor();
  await page.goto(`${served.url}/runs/${second}`);
  await status(page, 'completed').waitFor();
});

test('the page shows that a killed server is lost, and catches up when it is back', async () => {
  wait();
  const { page } = ann;
  const run = await start(page, 'release', { version: '2' });
  await page.locator('.graph .step', { hasText: '3 running' }).waitFor();
  await served.kill();
  await page.locator('.lost').waitFor();
  go();
  await served.start();
  await page.locator('.lost').waitFor({ state: 'detached' });
  // The work at the time of the kill has no recorded end; a person decides how to continue.
  await page.goto(`${served.url}/runs/${run}`);
  await page
    .getByText(/Release this version|not recorded|choose how it continues/)
    .first()
    .waitFor();
  expect(ann.problems).toEqual([]);
});

test('of two people at one approval, the first decides; the other sees it and cannot decide', async () => {
  const link =
    /http\S+\/auth\/link\/\S+/.exec(
      await served.command('access', 'invite', 'bob', '--scope', 'view', '--scope', 'operate', '--scope', 'decide'),
    )?.[0] ?? '';
  const bob = await (await Visitor.open(here())).logIn(link.replace(/^http:\/\/[^/]+/, served.url));
  const run = await start(ann.page, 'audit');
  await ann.page.getByText('Are the books right?').first().waitFor();
  await bob.page.goto(`${served.url}/runs/${run}`);
  await bob.page.getByRole('button', { name: /^approve/ }).click();
  await ann.page.getByRole('button', { name: /^reject/ }).click();
  await button(ann.page, 'Decide "reject"').waitFor();
  await button(bob.page, 'Decide "approve"').click();
  await status(bob.page, 'completed').waitFor();
  await status(ann.page, 'completed').waitFor();
  await button(ann.page, 'Decide "reject"').waitFor({ state: 'detached' });
  expect(bob.problems).toEqual([]);
  await bob.close();
});

test('an approval of changed content is rejected, and requested again', async () => {
  go();
  const { page } = ann;
  // The subjects are checked when the approval is opened; later changes are found by the decision.
  const looked = page.waitForResponse(/\/recheck$/);
  await start(page, 'release', { version: '3' });
  await page.getByText('Release this version?').first().waitFor();
  await (await looked).finished();
  await page
    .getByRole('button', { name: /^release/ })
    .last()
    .click();
  await button(page, 'Decide "release"').waitFor();
  writeIn(served.place.project, 'src/cart.js', 'export const total = () => 0;\n');
  await button(page, 'Decide "release"').click();
  await page
    .getByRole('alert')
    .filter({ hasText: /changed|differ|digest/i })
    .waitFor();
  expect(await status(page, 'waiting').count()).toBe(1);
});

test('an approval whose content changed is asked again when it is opened', async () => {
  go();
  const { page } = ann;
  await page.goto(`${served.url}/usage`);
  // It was not opened yet: the subjects are checked at most once in three seconds.
  const id = await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ workflow: 'release', params: { version: '4' } });
    const started = await fetch('/api/v1/runs', { method: 'POST', headers, body });
    return ((await started.json()) as { readonly run: { readonly id: string } }).run.id;
  });
  const inbox = () => page.evaluate(async () => (await fetch('/api/v1/inbox')).text());
  await expect.poll(inbox).toContain(id);
  writeIn(served.place.project, 'src/cart.js', 'export const total = () => 1;\n');
  await page.goto(`${served.url}/inbox/${id}/approve%231`);
  await page.getByText(/Asked again: .*src\/cart\.js changed/).waitFor();
});

test('a run that failed is retried, forked with its table, paused and resumed, and cancelled', async () => {
  const { page } = ann;
  await start(page, 'nightly');
  await status(page, 'escalated').waitFor();
  await page.getByText('orders.csv: no such file').first().waitFor();
  writeIn(served.place.project, 'orders.csv', 'total\n12\n');
  await button(page, 'Retry').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
  await status(page, 'completed').waitFor();
  await button(page, 'Fork').click();
  await page.getByLabel('First step of the fork').selectOption('report');
  const table = page.getByRole('dialog').getByRole('table');
  await table.getByText('reused').first().waitFor();
  expect(await table.innerText()).toMatch(/fetch#1\s+reused[\s\S]*report#1\s+again/);
  await button(page, 'Fork from report').click();
  await page.getByText('fork of').waitFor();
  await status(page, 'completed').waitFor();
  await start(page, 'audit');
  await button(page, 'Pause').click();
  await button(page, 'Resume').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click();
  await button(page, 'Pause').waitFor();
  await button(page, 'Cancel').click();
  await page.getByLabel('Reason').fill('not needed');
  await button(page, 'Cancel the run').click();
  await status(page, 'cancelled').waitFor();
});

test('runs are filtered in the address, picked, and cancelled together', async () => {
  const { page } = ann;
  const ids = [await start(page, 'audit'), await start(page, 'audit')];
  await page.goto(`${served.url}/runs?workflow=audit&status=waiting`);
  for (const id of ids) await page.getByLabel(`Pick run ${id}`).check();
  await button(page, 'Cancel').click();
  await button(page, 'Cancel them').click();
  await page.getByText('Cancelled 2 of 2 runs.').waitFor();
  await page.locator(`[data-run="${ids[0]}"]`).waitFor({ state: 'detached' });
  await page.getByLabel('cancelled').check();
  await page.waitForURL(/status=waiting&status=cancelled/);
  await page.locator(`[data-run="${ids[0]}"]`, { hasText: 'cancelled' }).waitFor();
  await page.reload();
  await page.locator(`[data-run="${ids[1]}"]`, { hasText: 'cancelled' }).waitFor();
});

test('a run is started again with other input, and found by its parameter and its tag', async () => {
  go();
  const { page } = ann;
  await start(page, 'release', { version: '7.0.1' });
  await page.getByRole('link', { name: 'Start again' }).click();
  expect(await page.getByLabel(/^version/).inputValue()).toBe('7.0.1');
  await page.getByLabel(/^version/).fill('7.0.2');
  await page.getByLabel('Tags').fill('hotfix');
  await button(page, 'Start').click();
  await page.waitForURL(/\/runs\/\w+$/);
  const again = page.url().split('/').at(-1);
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('searchbox').fill('version=7.0.2 tag:hotfix');
  await page.waitForURL(/param=version/);
  await page.locator(`[data-run="${again}"]`).waitFor();
  await expect.poll(() => page.locator('.rows .run-row').count()).toBe(1);
});

test('a fan-out is collapsed with its counts, in the graph, over time and as a list', async () => {
  const { page } = ann;
  const run = await start(page, 'translate');
  await status(page, 'completed').waitFor();
  await page.locator('.graph .members', { hasText: '40 of 40 ok' }).waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  const fold = page.getByRole('button', { name: 'Members of each-text#1' });
  await fold.click();
  await page.locator('.timeline-row[data-member]').first().waitFor();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await fold.click();
  await page.locator('.member-list li').first().waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByText('run.started').first().waitFor();
  expect(page.url()).toBe(`${served.url}/runs/${run}?view=history`);
});

test('a passkey is registered and logs its person in', async () => {
  const { page, context } = ann;
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${served.url}/access?part=keys`);
  await button(page, 'Add a passkey').click();
  await page.getByText('The passkey is registered').waitFor();
  await button(page, 'Log out').click();
  await page.waitForURL(/\/auth\/login/);
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.waitForURL(/\/inbox/);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('people are invited and revoked, tokens are created, and all of it is in the audit', async () => {
  const { page } = ann;
  await page.goto(`${served.url}/access?part=people`);
  await button(page, 'Invite').click();
  await page.getByRole('textbox', { name: 'Name' }).fill('cem');
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('textbox', { name: 'Link' }).waitFor();
  await button(page, 'Done').click();
  const row = page.locator('tr', { hasText: 'cem' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.filter({ hasText: 'revoked' }).waitFor();
  await page.goto(`${served.url}/access?part=keys`);
  await button(page, 'Create a token').click();
  await page.getByLabel('What it is for').fill('deploys');
  await button(page, 'Create').click();
  await page.getByRole('textbox', { name: 'Token' }).waitFor();
  await button(page, 'Done').click();
  await page.goto(`${served.url}/access?part=audit`);
  await page.locator('tr', { hasText: 'invite' }).first().waitFor();
  const run = await start(page, 'audit');
  await page.goto(`${served.url}/access?part=audit`);
  await page.locator('tr', { hasText: 'start' }).filter({ hasText: 'audit' }).getByRole('link', { name: run }).click();
  await status(page, 'waiting').waitFor();
  await page.goto(`${served.url}/access`);
  await page.locator('.check', { hasText: 'workflow files' }).waitFor();
  expect(ann.problems).toEqual([]);
});
