// Every recipe is followed as its page says, in a copy of its example: the files that the page shows are those of the example,
// and the commands print what the page says.

import { cpSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PageReader } from './page-reader.ts';
import { CliRig } from './rig.ts';
import { readPage } from './tutorial-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples/recipes');
const NAMES = readdirSync(EXAMPLES).sort();

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test('every example has a page, and the list of recipes names each', () => {
  const pages = globSync('*.md', { cwd: join(ROOT, 'docs/recipes') }).sort();
  expect(pages).toEqual([...NAMES.map((name) => `${name}.md`), 'README.md'].sort());
  const list = readFileSync(join(ROOT, 'docs/recipes/README.md'), 'utf8');
  for (const name of NAMES) expect(list).toContain(`](${name}.md)`);
});

test.each(NAMES)('the commands of the recipe %s print what its page shows', async (name) => {
  cpSync(join(EXAMPLES, name), rig.project, { recursive: true });
  const reader = new PageReader(rig, { isQuick: true });
  for (const action of readPage(readFileSync(join(ROOT, `docs/recipes/${name}.md`), 'utf8'))) {
    if (action.do === 'write') expect(action.text).toBe(readFileSync(join(EXAMPLES, name, action.path), 'utf8'));
    else await reader.perform(action);
  }
  expect(await rig.run(['validate', '--strict'])).toMatchObject({ code: 0 });
});
