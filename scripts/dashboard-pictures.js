// Makes pictures of the dashboard: serves a small shop with a few runs, and looks at it with a browser. Those of the documents go
// to docs/images; with `--all FOLDER`, every page goes there as well, in light and dark, on a screen and on a phone, to be looked at.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../test/browser/browser.ts';
import { HARD_NAMES, LONG_NAME } from '../test/browser/hard-names.ts';
import { beginRun, createProject, deliver, Served, Visitor, writeIn } from '../test/browser/served-project.ts';
import { SHOP } from '../test/browser/shop.ts';
import { root } from './bundle.js';

/** @typedef {import('../test/browser/browser.ts').Page} Page */
/** @typedef {Awaited<ReturnType<typeof startRuns>>} Runs */
/** @typedef {{ readonly page: Page, readonly url: string, readonly folder: string, readonly whole?: boolean }} Camera */

const WIDE = { width: 1280, height: 860 };
/** Shows a run whole: what it waits for, its graph and one step. */
const TALL = { width: 1280, height: 1300 };
const PHONE = { width: 390, height: 760 };
const NARROW = { width: 360, height: 760 };
const WIDEST = { width: 1920, height: 1080 };
const SECRET = 'a secret of the hook, long enough';
/** What only the pictures need: a schedule, a hook with its secret, people in groups. */
const MORE = {
  '.pawl/config.yaml': `groups: { maintainers: [ann, bob] }
secrets:
  SHOP_HOOK: { command: [cat, hook-secret.txt] }
hooks:
  order: { secret: SHOP_HOOK, start: audit, when: body.kind == 'order' }
`,
  'hook-secret.txt': SECRET,
  '.pawl/workflows/report.yaml': `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: report, description: "Counts the orders of the day before." }
trigger: { schedule: "0 6 * * 1-5", timezone: Europe/Berlin }
stages: [{ id: write, type: command, run: "echo written" }]
`,
};

const STILL_MS = 500;
const LOOK_MS = 50;
/** What can move on a page; nothing while something is still being read. */
const LOOK = `(() => {
  if (document.fonts.status !== 'loaded' || /Reading |connecting/.test(document.body.innerText)) return '';
  if (document.querySelector('.graph') !== null && document.querySelector('.graph .step') === null) return '';
  return JSON.stringify([...document.querySelectorAll('.react-flow__viewport, .page')].map((each) => [each.getAttribute('style'), each.offsetHeight]));
})()`;

/** Writes the pictures. @param {string} [all] */
export async function takeDashboardPictures(all) {
  const launched = await launchBrowser();
  if ('missing' in launched) throw new Error(`no browser: ${launched.missing}`);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-pictures-')));
  const served = new Served(createProject(home, join(root, 'bin', 'pawl.js'), { ...SHOP, ...MORE }));
  try {
    await served.start();
    const { page } = await (await Visitor.open(launched.browser, WIDE)).logIn(await served.loginLink());
    const runs = await startRuns(page, served);
    await takeForDocuments({ page, url: served.url, folder: join(root, 'docs', 'images') }, runs);
    if (all !== undefined) await takeAll({ page, url: served.url, folder: all, whole: true }, { runs, served });
  } finally {
    await served.stop();
    await launched.browser.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Starts a few runs and waits until they are where the pictures show them.
 * @param {Page} page
 * @param {Served} served
 */
async function startRuns(page, served) {
  const start = async (/** @type {string} */ workflow, /** @type {string} */ until, params = {}) => {
    const id = await beginRun(page, workflow, params);
    await page.goto(`${served.url}/runs/${id}`);
    await page.locator('.run-head .page-head .status', { hasText: until }).waitFor();
    return id;
  };
  writeFileSync(join(served.place.project, 'go'), '');
  for (const [id, kind] of [
    ['order-81', 'order'],
    ['news-7', 'news'],
  ])
    await deliver(`${served.url}/hooks/order`, { id: String(id), secret: SECRET, body: { kind, number: 81 } });
  const nightly = await start('nightly', 'escalated');
  const translate = await start('translate', 'completed');
  const sync = await start('sync', 'waiting');
  const short = await start('notes', 'escalated', { wish: 'the short notes' });
  await start('notes', 'completed', { wish: 'the long notes' });
  await start('notes', 'waiting', { wish: 'all notes, with no credit left' });
  const evening = await start('evening', 'waiting');
  const release = await start('release', 'waiting', { version: '1.4.0' });
  rmSync(join(served.place.project, 'go'));
  const loading = await start('deliver', 'running');
  await start('deliver', 'waiting');
  return { nightly, translate, sync, short, evening, release, loading };
}

/**
 * @param {Camera} camera
 * @param {string} name
 * @param {string} path
 */
async function take({ page, url, folder, whole = false }, name, path) {
  await page.goto(`${url}${path}`);
  await page.locator('.page h1').first().waitFor();
  // Nothing is being read any more, and nothing has moved for a while.
  for (let [last, since] = ['', 0]; ; ) {
    const seen = await page.evaluate(LOOK);
    if (seen !== last) [last, since] = [seen, Date.now()];
    else if (seen !== '' && Date.now() - since > STILL_MS) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const file = join(folder, `${name}.png`);
  writeFileSync(file, await page.screenshot({ fullPage: whole, animations: 'disabled' }));
  process.stdout.write(`${file}\n`);
}

/**
 * @param {Camera} camera
 * @param {Runs} runs
 */
async function takeForDocuments(camera, runs) {
  const { page } = camera;
  await page.setViewportSize(TALL);
  await take(camera, 'dashboard-run', `/runs/${runs.release}?step=tests%231%2Funit`);
  await page.setViewportSize(WIDE);
  await take(camera, 'dashboard-inbox', `/inbox/${runs.release}/approve%231`);
  await take(camera, 'dashboard-runs', '/runs');
  await take(camera, 'dashboard-usage', '/usage?time=day');
  await page.emulateMedia({ colorScheme: 'dark' });
  await take(camera, 'dashboard-dark', `/runs/${runs.translate}?view=timeline`);
  await page.setViewportSize(PHONE);
  await take(camera, 'dashboard-phone', `/inbox/${runs.release}/approve%231`);
}

/**
 * @param {Camera} camera
 * @param {{ readonly runs: Runs, readonly served: Served }} shop
 */
async function takeAll(camera, { runs, served }) {
  mkdirSync(camera.folder, { recursive: true });
  for (const [path, text] of Object.entries(HARD_NAMES)) writeIn(served.place.project, path, text);
  const long = await beginRun(camera.page, LONG_NAME);
  await camera.page.goto(`${served.url}/runs/${long}`);
  await camera.page.locator('.run-head .page-head .status', { hasText: 'waiting' }).waitFor();
  const pages = {
    long: `/runs/${long}`,
    'long-step': `/runs/${long}?step=compare_the_count_of_the_warehouse_with_the_delivery_notes%231`,
    'long-decision': `/inbox/${long}/ask_the_people_who_signed_for_it%231`,
    'long-workflow': `/workflows/${LONG_NAME}`,
    broken: '/workflows/broken',
    'no-run': '/runs/none',
    inbox: '/inbox',
    decision: `/inbox/${runs.release}/approve%231`,
    runs: '/runs',
    'runs-none': '/runs?text=nowhere',
    run: `/runs/${runs.release}`,
    step: `/runs/${runs.short}?step=write%231`,
    retry: `/runs/${runs.sync}?view=timeline`,
    failed: `/runs/${runs.nightly}?step=report%231`,
    members: `/runs/${runs.translate}?view=steps&step=each-text%231`,
    child: `/runs/${runs.evening}`,
    log: `/runs/${runs.loading}?step=load%231`,
    history: `/runs/${runs.nightly}?view=history`,
    workflows: '/workflows',
    workflow: '/workflows/release',
    again: `/workflows/release?like=${runs.release}`,
    usage: '/usage?time=day',
    'usage-week': '/usage?time=week&by=role',
    events: '/events',
    ...Object.fromEntries(['health', 'people', 'keys', 'audit'].map((part) => [part, `/access?part=${part}`])),
    nowhere: '/nowhere',
  };
  for (const [size, viewport] of Object.entries({ 360: NARROW, 1280: WIDE, 1920: WIDEST }))
    for (const colorScheme of ['light', 'dark']) {
      await camera.page.setViewportSize(viewport);
      await camera.page.emulateMedia({ colorScheme });
      for (const [name, path] of Object.entries(pages)) await take(camera, `${name}-${size}-${colorScheme}`, path);
    }
}

if (import.meta.main) await takeDashboardPictures(parseArgs({ options: { all: { type: 'string' } } }).values.all);
