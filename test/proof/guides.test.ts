// The guides that take longest are run as they stand there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { PageReader } from '../cli/page-reader.ts';
import { CliRig } from '../cli/rig.ts';
import { SLOW_PAGES } from '../followed-pages.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test.each(SLOW_PAGES)('%s does what it says', async (page) => {
  await new PageReader(rig).follow(readFileSync(join(import.meta.dirname, '../..', page), 'utf8'));
});
