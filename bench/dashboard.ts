// Measures the dashboard with a real browser and the real server: `npm run build && node --no-warnings bench/dashboard.ts`.
// - The time from the commit of a run until the browser has painted it.
// - The longest task of a page with a graph of 200 steps and a fan-out of 1,000.
// - A list of 100,000 runs: the time until the first row is visible, and the longest task while scrolling.
// `--list` measures only the list; `--parts` also prints when each file and request of the page ended.

import { globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser, type Page } from '../test/browser/browser.ts';
import { createProject, Served, Visitor } from '../test/browser/served-project.ts';
import { SHOP } from '../test/browser/shop.ts';
import { fillMixed } from './parked-runs.ts';

const RUNS = 40;
const LISTED = 100_000;
const SCROLLS = 40;
const COLD_TURNS = 5;
const LARGE = `import { defineWorkflow } from 'pawl';
const steps: Record<string, object> = {
  list: { handler: () => ({ items: Array.from({ length: 1000 }, (_, n) => 'item ' + n) }), next: 'all' },
  all: { each: { items: 'items', step: { handler: ({ item }: { item: string }) => ({ item }) } }, next: 's1' },
};
for (let n = 1; n <= 198; n += 1) steps['s' + n] = { handler: () => ({ n }), next: n === 198 ? null : 's' + (n + 1) };
export default defineWorkflow({ name: 'large', steps } as never);
`;

/** Starts a run and returns its id. */
function start(page: Page, workflow: string): Promise<string> {
  return page.evaluate(async (name: string) => {
    const headers = { 'content-type': 'application/json', 'x-pawl': '1' };
    const answer = await fetch('/api/v1/runs', { method: 'POST', headers, body: JSON.stringify({ workflow: name, params: {} }) });
    return ((await answer.json()) as { run: { id: string } }).run.id;
  }, workflow);
}

/** Records in the page when each run is painted as waiting. */
const WATCH = `window.painted = {};
new MutationObserver(() => requestAnimationFrame(() => {
  for (const row of document.querySelectorAll('[data-run]'))
    if (row.textContent.includes('waiting')) window.painted[row.dataset.run] ??= Date.now();
})).observe(document.body, { subtree: true, childList: true, characterData: true });`;

async function commitToPixel(page: Page, url: string): Promise<readonly number[]> {
  await page.goto(`${url}/runs`);
  await page.locator('h1', { hasText: 'Runs' }).waitFor();
  await page.evaluate(WATCH);
  const taken: number[] = [];
  for (let n = 0; n < RUNS; n += 1) {
    const id = await start(page, 'audit');
    await page.locator(`[data-run="${id}"]`, { hasText: 'waiting' }).waitFor();
    const painted = await page.evaluate<number>(
      `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(window.painted['${id}']))))`,
    );
    const committed = await page.evaluate<string>(
      `fetch('/api/v1/runs/${id}').then((answer) => answer.json()).then(({ run }) => run.updatedAt)`,
    );
    taken.push(painted - Date.parse(committed));
  }
  return taken.sort((one, other) => one - other);
}

async function longestTask(page: Page, url: string): Promise<number> {
  const id = await start(page, 'large');
  await page.goto(`${url}/runs/${id}`);
  await page.locator('.run-head .status', { hasText: 'completed' }).waitFor();
  await page.addInitScript(
    'window.tasks = []; new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask", buffered: true });',
  );
  await page.goto(`${url}/runs/${id}`);
  await page.locator('.graph .members', { hasText: '1000 of 1000 ok' }).waitFor();
  for (const view of ['Timeline', 'Steps', 'Graph']) {
    await page.getByRole('tab', { name: view }).click();
    await page.locator('.graph .step, .timeline-row, .steps tr').first().waitFor();
  }
  return Math.max(0, ...(await page.evaluate<number[]>('window.tasks')));
}

/** Records when the first row of the list appears, and long tasks. */
const WATCH_LIST = `window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask', buffered: true });
new MutationObserver(() => { if (document.querySelector('[data-run]')) window.firstRow ??= performance.now(); }).observe(document, { subtree: true, childList: true });`;

/** Scrolls repeatedly to the end of the loaded rows. */
const SCROLL = `(async () => {
  window.tasks = [];
  for (let n = 0; n < ${SCROLLS}; n += 1) {
    document.scrollingElement.scrollTop = 1e9;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { rows: document.querySelectorAll('[data-run]').length, longest: Math.max(0, ...window.tasks), at: document.querySelector('[data-run]').dataset.run };
})()`;

/** When each part of an uncached page began and ended, in milliseconds: the page, its first pixels, each file and API call. */
const PARTS = `(() => {
  const [page] = performance.getEntriesByType('navigation');
  const [paint] = performance.getEntriesByName('first-contentful-paint');
  const parts = [['page', page.requestStart, page.responseEnd], ['first pixels', 0, paint.startTime]];
  for (const { name, startTime, responseEnd } of performance.getEntriesByType('resource'))
    if (startTime < window.firstRow) parts.push([new URL(name).pathname, startTime, responseEnd]);
  return parts.map(([name, from, to]) => '  ' + String(Math.round(from)).padStart(5) + ' to ' + String(Math.round(to)).padStart(5) + ' ms  ' + name).join('\\n');
})()`;

async function largeList({ page, context }: Visitor, url: string): Promise<string> {
  await page.addInitScript(WATCH_LIST);
  const cdp = await context.newCDPSession(page);
  const firsts: number[] = [];
  for (let turn = 0; turn < COLD_TURNS; turn += 1) {
    await cdp.send('Network.clearBrowserCache');
    await page.goto(`${url}/runs`);
    await page.locator('[data-run]').first().waitFor();
    firsts.push(Math.round(await page.evaluate<number>('window.firstRow')));
    if (process.argv.includes('--parts')) process.stdout.write(`${await page.evaluate<string>(PARTS)}\n`);
  }
  const answer = await page.evaluate<number>(
    `(async () => { const began = performance.now(); await (await fetch('/api/v1/runs')).text(); return performance.now() - began; })()`,
  );
  const { rows, longest, at } = await page.evaluate<{ rows: number; longest: number; at: string }>(SCROLL);
  const scrolled = `after ${SCROLLS} scrolls at ${at}: ${rows} rows on the page, longest task ${Math.round(longest)} ms`;
  const cold = `first row after ${firsts.join(' / ')} ms, with nothing in the cache of the browser`;
  return `${cold}; its page of the API in ${Math.round(answer)} ms; ${scrolled}`;
}

async function printSmall(page: Page, url: string): Promise<void> {
  const taken = await commitToPixel(page, url);
  const at = (share: number): number => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0;
  process.stdout.write(`commit to pixel, ${RUNS} runs: median ${at(0.5)} ms, p95 ${at(0.95)} ms (target: 150)\n`);
  const longest = await longestTask(page, url);
  process.stdout.write(`longest task, graph of 200 steps with a fan-out of 1,000: ${Math.round(longest)} ms (target: 200)\n`);
}

const launched = await launchBrowser();
if ('missing' in launched) throw new Error(`no browser: ${launched.missing}`);
const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-bench-')));
const served = new Served(createProject(home, join(import.meta.dirname, '../bin/pawl.js'), { ...SHOP, '.pawl/workflows/large.ts': LARGE }));
try {
  await served.start();
  const visitor = await (await Visitor.open(launched.browser)).logIn(await served.loginLink());
  if (!process.argv.includes('--list')) await printSmall(visitor.page, served.url);
  await served.stop();
  // The server has created the file, so this user owns the database.
  const [db = ''] = globSync('state/**/*.db', { cwd: home });
  await fillMixed(join(home, db), LISTED);
  await served.start();
  process.stdout.write(`list of ${LISTED} runs: ${await largeList(visitor, served.url)}\n`);
} finally {
  await served.stop();
  await launched.browser.close();
  rmSync(home, { recursive: true, force: true });
}
