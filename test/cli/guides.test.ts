// Every command and every program of these guides is run as it stands there, each page in an empty folder, and prints what
// the page says.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { FOLLOWED_PAGES } from '../followed-pages.ts';
import { PageReader } from './page-reader.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test.each(FOLLOWED_PAGES)('the commands of %s print what the page shows', async (page) => {
  await new PageReader(rig).follow(readFileSync(join(import.meta.dirname, '../..', page), 'utf8'));
});
