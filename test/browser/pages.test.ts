// What each page shows and lets people do beyond the runs that dashboard.test.ts and control.test.ts follow: lists by every
// filter, one step whole, files to save, usage, health, workflows that are wrong or not trusted, and every choice after a crash.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locator, Page } from './browser.ts';
import { writeIn } from './served-project.ts';
import { button, startRun, status, type Visit, visitShop } from './shop-visit.ts';

const WAIT_MS = 60_000;
const FILES = { '.pawl/config.yaml': `groups: { maintainers: [${userInfo().username}, cem] }\n` };

let visit: Visit;
beforeAll(async () => {
  visit = await visitShop(FILES);
  visit.ann.page.setDefaultTimeout(WAIT_MS);
});
afterAll(() => visit.close());

const open = (path: string): Promise<unknown> => visit.ann.page.goto(`${visit.served.url}${path}`);
const go = (): void => writeFileSync(join(visit.served.place.project, 'go'), '');
const wait = (): void => rmSync(join(visit.served.place.project, 'go'), { force: true });
const inDialog = (page: Page, name: string): Locator => page.getByRole('dialog').getByRole('button', { name, exact: true });
const working = (page: Page): Locator => page.locator('.graph .step[data-status="running"]');
const rowOf = (page: Page, run: string): Locator => page.locator(`[data-run="${run}"]`);

/** Saves the target of a link, and returns its name and content. */
async function save(page: Page, link: Locator): Promise<{ readonly name: string; readonly value: unknown }> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  return { name: download.suggestedFilename(), value: JSON.parse(readFileSync(await download.path(), 'utf8')) };
}

test('runs are narrowed by workflow, time and text with the fields of the list, which is live', async () => {
  const { page } = visit.ann;
  const audit = await startRun(page, 'audit');
  await open('/runs');
  await rowOf(page, audit).waitFor();
  await page.getByRole('combobox', { name: 'Workflow' }).selectOption('translate');
  await page.waitForURL(/workflow=translate/);
  await page.getByText('No run matches').waitFor();
  const { served } = visit;
  const printed = await served.command('run', 'translate', '--id', 'aaaaaaaaaaaaaaa1');
  expect(printed).toContain('completed');
  await rowOf(page, 'aaaaaaaaaaaaaaa1').getByText('completed').waitFor();
  await page.getByRole('combobox', { name: 'Workflow' }).selectOption('');
  await page.getByRole('combobox', { name: 'Started' }).selectOption('hour');
  await page.waitForURL(/since=hour/);
  await rowOf(page, audit).waitFor();
  await page.getByRole('searchbox').fill('AAAAAAAAAAAA');
  await page.waitForURL(/text=AAAA/);
  await rowOf(page, audit).waitFor({ state: 'detached' });
  await rowOf(page, 'aaaaaaaaaaaaaaa1').waitFor();
  await open('/runs?until=2020-01-01T00:00:00Z');
  await page.getByText('No run matches').waitFor();
});

test('an agent step shows its claim next to the evidence, attempts, transcript, cost and tokens, and its files can be saved', async () => {
  const { page } = visit.ann;
  await startRun(page, 'notes', { wish: 'the short notes' });
  await status(page, 'escalated').waitFor();
  await page.locator('.run-head', { hasText: '$0.14' }).getByText('18k in, 1.4k out').waitFor();
  await page.goto(`${page.url()}?step=write%231`);
  const panel = page.getByRole('region', { name: 'Step write#1' });
  await panel.getByRole('tab', { name: /attempt 1/ }).click();
  await panel.getByText('$0.07 · 9.1k tokens in, 700 out').waitFor();
  await panel.locator('.claim-evidence section', { hasText: 'Claim' }).getByText('NOTES.md').first().waitFor();
  await panel.locator('.claim-evidence section', { hasText: 'Evidence' }).getByText('page').first().waitFor();
  await panel.locator('.banner.bad', { hasText: 'no file matches "NOTES.md"' }).waitFor();
  await panel.getByRole('log').getByText('I read CHANGES.md and wrote the notes.').waitFor();
  const claim = await save(page, panel.getByRole('link', { name: /attempt 1: claim/ }));
  expect(claim.name).toMatch(/claim\.json$/);
  expect(JSON.stringify(claim.value)).toContain('"words":80');
  await page.getByRole('tab', { name: 'History' }).click();
  const history = await save(page, page.getByRole('link', { name: 'JSON' }));
  const { rows } = history.value as { rows: { seq: number; events: { type: string }[] }[] };
  expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  const types = rows.flatMap(({ events }) => events.map(({ type }) => type));
  expect([types[0], types.at(-1), types.filter((type) => type === 'step.opened').length]).toEqual(['run.started', 'run.changed', 1]);
});

test('usage shows cost, tokens, times and refusals as plots with a table beside them, by workflow and by role', async () => {
  const { page } = visit.ann;
  await startRun(page, 'notes', { wish: 'the long notes' });
  await status(page, 'completed').waitFor();
  await open('/usage?time=day');
  const figure = (name: string): Locator => page.locator('figure', { hasText: name });
  await figure('Cost').getByText('$0.56').first().waitFor();
  await figure('Tokens').getByText('72k').first().waitFor();
  await figure('Refusals').locator('figcaption', { hasText: '2' }).waitFor();
  for (const name of ['Cost', 'Tokens', 'Time of work', 'Refusals', 'Runs'])
    expect(await figure(name).locator('rect[data-series]').count()).toBeGreaterThan(0);
  await page.getByRole('row', { name: /^notes \$0\.56 72k .* 2 2$/ }).waitFor();
  await page.getByRole('combobox', { name: 'Grouped' }).selectOption('role');
  await page.waitForURL(/by=role/);
  await page.getByRole('row', { name: /^writer \$0\.56/ }).waitFor();
});

test('a step that is retried later shows why the last attempt failed and when the next one starts', async () => {
  const { page } = visit.ann;
  await startRun(page, 'sync');
  const waits = page.locator('.banner', { hasText: 'waits for its next attempt' });
  await waits.getByText(/exited with 7: the warehouse does not answer/).waitFor();
  await waits.getByText(/due in (?:1h|2h)/).waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.locator('.timeline .swatch[data-kind="work"]').first().waitFor();
  await page.locator('.timeline .swatch[data-kind="retry"]').first().waitFor();
  const axis = page.locator('.timeline-row.axis');
  const whole = await axis.innerText();
  await button(page, 'Show less time').click();
  await expect.poll(() => axis.innerText()).not.toBe(whole);
  await button(page, 'All').click();
  await page.getByRole('button', { name: 'ask#1' }).click();
  await page.getByText(/The next attempt starts in/).waitFor();
});

test('a child run is one link away from its parent, and back', async () => {
  const { page } = visit.ann;
  const parent = await startRun(page, 'evening');
  await page.getByText('1 child run: 1 waiting').click();
  await page.locator('.folds').getByRole('link', { name: /audit/ }).click();
  await page.getByText('child run of').waitFor();
  await page.getByRole('button', { name: /^approve/ }).click();
  await button(page, 'Decide "approve"').click();
  await status(page, 'completed').waitFor();
  await page.locator('.run-head').getByRole('link', { name: parent }).click();
  await status(page, 'completed').waitFor();
});

test('runs that failed are picked and retried together', async () => {
  const { page } = visit.ann;
  const ids = [await startRun(page, 'nightly'), await startRun(page, 'nightly')];
  await open('/runs?workflow=nightly&status=escalated');
  for (const id of ids) await page.getByLabel(`Pick run ${id}`).check();
  writeIn(visit.served.place.project, 'orders.csv', 'total\n12\n');
  await button(page, 'Retry').click();
  await button(page, 'Retry them').click();
  await page.getByText('Retried 2 of 2 runs.').waitFor();
  await open('/runs?workflow=nightly&status=completed');
  for (const id of ids) await rowOf(page, id).waitFor();
});

test('health shows who owns runs, who waits for a slot and which account is closed', async () => {
  wait();
  const { ann } = visit;
  const { page } = ann;
  await startRun(page, 'notes', { wish: 'no credit' });
  await status(page, 'waiting').waitFor();
  const first = await startRun(page, 'deliver');
  await working(page).waitFor();
  await startRun(page, 'deliver');
  await page.getByText('waits for a free slot').waitFor();
  await open('/access');
  const part = (name: string): Locator => page.locator('section.panel', { hasText: name });
  await part('Closed accounts')
    .getByText(/usage limit reached/)
    .waitFor();
  await part('Slots').locator('li', { hasText: 'waits' }).waitFor();
  await part('Owners of runs').getByText('this server').waitFor();
  await part('Slots').locator('li', { hasText: 'held' }).getByRole('link').click();
  await page.waitForURL(new RegExp(first));
  go();
  await status(page, 'completed').waitFor();
  expect(ann.problems).toEqual([]);
});

/** Kills the server while the run works, starts it again, and chooses how the run continues. */
async function crashAndChoose(page: Page, run: string, choice: string): Promise<void> {
  await working(page).waitFor();
  await visit.served.kill();
  await visit.served.start();
  await open(`/runs/${run}`);
  await button(page, 'Choose how it continues').click();
  await page.getByLabel(new RegExp(`^${choice}`)).check();
  await inDialog(page, choice).click();
}

test('after a crash a step is run again, or marked as failed and then retried with a note', async () => {
  const { page } = visit.ann;
  await expect.poll(async () => (await visit.served.command('runs', '--workflow', 'deliver')).includes('running')).toBe(false);
  wait();
  const run = await startRun(page, 'deliver');
  await crashAndChoose(page, run, 'Run it again');
  await crashAndChoose(page, run, 'It failed');
  await status(page, 'escalated').waitFor();
  await button(page, 'Resume').click();
  await page.getByLabel(/^Retry/).check();
  await page.getByLabel('Note').fill('the dock is free now');
  await inDialog(page, 'Retry').click();
  await working(page).waitFor();
  go();
  await status(page, 'completed').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.locator('.history summary').last().waitFor();
});

test('an invalid workflow file is shown with the position of the error, and an untrusted one cannot be started', async () => {
  const { served, ann } = visit;
  const { page } = ann;
  const broken =
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: broken }\nstages:\n  - { id: build, type: command, run: make, on_complete: tset }\n';
  writeIn(served.place.project, '.pawl/workflows/broken.yaml', broken);
  await open('/workflows');
  await page
    .locator('.banner.bad', { hasText: 'tset' })
    .getByText(/broken\.yaml:5:\d+/)
    .waitFor();
  await open('/workflows/broken');
  await page.getByRole('heading', { name: 'broken', level: 1 }).waitFor();
  await page.getByText('.pawl/workflows/broken.yaml could not be read, and "pawl validate" shows why').waitFor();
  rmSync(join(served.place.project, '.pawl/workflows/broken.yaml'));
  const trust = join(served.place.state, 'trust.json');
  const before = readFileSync(trust, 'utf8');
  writeFileSync(trust, JSON.stringify({ folders: {}, files: {} }));
  await open('/workflows/translate');
  await page.getByText('not trusted', { exact: true }).waitFor();
  await page.locator('.command', { hasText: /pawl trust \S+translate\.ts/ }).waitFor();
  expect(await button(page, 'Start').count()).toBe(0);
  writeFileSync(trust, before);
  await open('/workflows/translate');
  await button(page, 'Start').waitFor();
});

/** The words of lists that lie outside of them, and of plots. */
const CUT_OFF = `[
  ...[...document.querySelectorAll('.scroll-x:has(> .stacks)')].filter((list) => list.scrollWidth > list.clientWidth).map(() => 'a list'),
  ...[...document.querySelectorAll('.columns text')].flatMap((words) => {
    const [box, plot] = [words.getBoundingClientRect(), words.closest('svg').getBoundingClientRect()];
    return box.top < plot.top || box.bottom > plot.bottom || box.left < plot.left || box.right > plot.right ? [words.textContent] : [];
  }),
]`;

test('text for screen readers does not widen a page on a phone, and no list or plot is cut off', async () => {
  const { page } = visit.ann;
  await page.setViewportSize({ width: 360, height: 760 });
  const beyond: string[] = [];
  for (const path of [
    '/access?part=people',
    '/access?part=audit',
    '/access?part=keys',
    '/usage?time=day',
    '/runs?workflow=notes',
    '/nowhere',
  ]) {
    await open(path);
    await page.locator('.page h1').first().waitFor();
    await expect.poll(() => page.getByText(/^Reading /).count()).toBe(0);
    const pixels = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (pixels > 0) beyond.push(`${path} is ${pixels} pixels too wide`);
    beyond.push(...(await page.evaluate<string[]>(CUT_OFF)).map((words) => `${path} cuts off ${words}`));
  }
  expect(beyond).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('people are shown with their groups, and empty pages say what to do', async () => {
  const { page } = visit.ann;
  await open('/access?part=people');
  await page.locator('tr', { hasText: 'you' }).getByText('maintainers').waitFor();
  await open('/runs/aaaaaaaaaaaaaaa9');
  await page.getByRole('heading', { name: 'Run aaaaaaaaaaaaaaa9', level: 1 }).waitFor();
  await page
    .getByRole('alert')
    .getByText(/no run "aaaaaaaaaaaaaaa9"/)
    .waitFor();
  await open('/nowhere');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.locator('main').getByRole('link', { name: 'All runs' }).click();
  await page.waitForURL(/\/runs$/);
  await open('/events');
  await page.getByText('No schedules').waitFor();
  await page.getByText('Nothing was received yet').waitFor();
});

test('the dashboard is used with the keyboard alone: to the content, through pages, to a run and its dialog', async () => {
  const { page } = visit.ann;
  const run = await startRun(page, 'audit');
  await open('/runs');
  await rowOf(page, run).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  for (let n = 0; n < 40 && (await page.evaluate<string>('document.activeElement.textContent')) !== run; n += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(run));
  await button(page, 'Cancel').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  expect(await page.evaluate<boolean>('document.querySelector("dialog").contains(document.activeElement)')).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Cancel');
});
