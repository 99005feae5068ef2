// What the dashboard is to its readers: nothing in text of others acts, axe finds nothing serious, and every page fits on a
// phone and in the dark.

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { launchBrowser, type Page } from './browser.ts';
import { HARD_NAMES, LONG_NAME } from './hard-names.ts';
import { beginRun, createProject, Served, Visitor } from './served-project.ts';
import { SHOP } from './shop.ts';

const ATTACK = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const MARKDOWN = `**bold** [click](javascript:window.attacked=1) ![pixel](https://elsewhere.example/pixel.png) ${ATTACK} \u202Eevil`;
const HOSTILE = {
  '.pawl/workflows/hostile.ts': `import { defineWorkflow } from 'pawl';
const text = ${JSON.stringify(MARKDOWN)};
export default defineWorkflow({
  name: 'hostile',
  title: text,
  params: { note: { type: 'string' } },
  steps: {
    list: { title: text, handler: () => ({ text, items: [text, '\\u001b[31mred\\u001b]0;title\\u0007'] }), next: 'each' },
    each: { each: { items: 'items', step: { handler: () => ({ text }) } }, next: 'print' },
    print: { command: "printf '\\\\033[31m%s\\\\033]0;owned\\\\007' '<script>window.attacked=1</script>'", next: 'ask' },
    ask: { human: { prompt: text, options: [{ label: text, nextStep: 'complete' }, { label: 'no', nextStep: 'list', requiresInput: true }] } },
  },
});
`,
};

const launched = await launchBrowser();
const home = tempFolder();
const pages: string[] = [];
let served: Served;
let visitor: Visitor;

beforeAll(async () => {
  if ('missing' in launched) throw new Error(`no browser: ${launched.missing}`);
  served = new Served(createProject(home, join(inject('bundle'), '..', 'bin', 'pawl.js'), { ...SHOP, ...HOSTILE, ...HARD_NAMES }));
  await served.start();
  visitor = await (await Visitor.open(launched.browser)).logIn(await served.loginLink());
  writeFileSync(join(served.place.project, 'go'), '');
  const release = await beginRun(visitor.page, 'release', { version: '1' });
  const nightly = await beginRun(visitor.page, 'nightly');
  const long = await beginRun(visitor.page, LONG_NAME);
  await visitor.page.goto(`${served.url}/runs/${nightly}`);
  await visitor.page.locator('.run-head .status', { hasText: 'escalated' }).waitFor();
  await visitor.page.goto(`${served.url}/runs/${release}`);
  await visitor.page.getByText('Release this version?').first().waitFor();
  await visitor.page.goto(`${served.url}/runs/${long}`);
  await visitor.page.getByText('Averyveryverylong').first().waitFor();
  pages.push('/inbox', '/runs', `/runs/${release}?step=build%231`, `/runs/${release}?view=timeline`, `/runs/${release}?view=steps`);
  pages.push(`/runs/${nightly}?view=history`, '/workflows', '/workflows/release', '/usage', '/events');
  pages.push(`/runs/${long}?view=steps`, `/workflows/${LONG_NAME}`, '/runs/none', '/workflows/broken');
  pages.push(...['health', 'people', 'keys', 'audit'].map((part) => `/access?part=${part}`));
});
afterAll(async () => {
  await served.stop();
  if ('browser' in launched) await launched.browser.close();
});

/** Opens a page and waits until nothing is being read any more. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${served.url}${path}`);
  await page.locator('.page h1').first().waitFor();
  await expect.poll(() => page.getByText(/^Reading /).count()).toBe(0);
}

test('text of agents, programs and workflows runs nothing and loads nothing, wherever it is shown', async () => {
  const { page } = visitor;
  const run = await beginRun(page, 'hostile', { note: MARKDOWN });
  await open(page, `/runs/${run}`);
  await page.locator('.asked').waitFor();
  for (const view of ['graph', 'timeline', 'steps', 'history']) await open(page, `/runs/${run}?view=${view}&step=list%231`);
  await open(page, `/runs/${run}?step=print%231`);
  await page.locator('.log').waitFor();
  expect(await page.locator('.log').innerText()).toContain('<script>window.attacked=1</script>');
  for (const path of ['/inbox', '/runs', '/workflows', '/workflows/hostile', `/workflows/hostile?like=${run}`]) await open(page, path);
  await open(page, '/inbox');
  await page.locator('.inbox-item', { hasText: 'hostile' }).click();
  const shown = await page.locator('.prompt', { hasText: 'evil' }).innerText();
  expect(shown).toContain('<img src=x onerror=');
  expect(shown).toContain('‹U+202E›');
  expect(await page.locator('.prompt strong').innerText()).toBe('bold');
  expect(await page.locator('.prompt a, .prompt img').count()).toBe(0);
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  expect(visitor.problems).toEqual([]);
});

test('axe finds nothing serious on any page, light and wide or dark and small, and nothing is cut off at 360 pixels', async () => {
  if ('missing' in launched) throw new Error(launched.missing);
  const { AxeBuilder } = createRequire(join(launched.modules, 'package.json'))('@axe-core/playwright') as {
    AxeBuilder: new (options: {
      page: Page;
    }) => { withTags(tags: readonly string[]): { analyze(): Promise<{ violations: { id: string; impact: string }[] }> } };
  };
  const { page } = visitor;
  const found: string[] = [];
  // Wide, pages differ from narrow ones only where there are columns.
  const columns = pages.filter((path) => /inbox|step=|workflows\//.test(path));
  for (const { width, colorScheme, paths } of [
    { width: 1440, colorScheme: 'light', paths: columns },
    { width: 360, colorScheme: 'dark', paths: pages },
  ]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    for (const path of paths) {
      await open(page, path);
      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']).analyze();
      found.push(...violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => `${width} ${path} ${id}`));
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (beyond > 0) found.push(`${width} ${path} is ${beyond} pixels too wide`);
    }
  }
  expect(found).toEqual([]);
  expect(visitor.problems).toEqual([]);
});
