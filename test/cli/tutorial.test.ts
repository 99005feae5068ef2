// Every command of the tutorial is given as it stands there, each page in an empty folder, and prints what the page says.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PageReader, plainWords } from './page-reader.ts';
import { CliRig } from './rig.ts';
import { patternOf, readPage } from './tutorial-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync('docs/tutorial/*.md', { cwd: ROOT }).sort();

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

describe('the tutorial', () => {
  test('the tutorial has six pages', () => {
    expect(PAGES.map((page) => page.split('/').at(-1)?.slice(0, 2))).toEqual(['01', '02', '03', '04', '05', '06']);
  });

  test.each(PAGES)('the tutorial page %s does what it says', async (page) => {
    await new PageReader(rig).follow(readFileSync(join(ROOT, page), 'utf8'));
  });
});

test('a page whose output differs from what it shows is reported', () => {
  expect(patternOf(['run <id> of notes', '…', 'decide <id>']).test('run 4vv8c5j2dynhhy0e of notes\n\ndecide 4vv8c5j2dynhhy0e\n')).toBe(
    true,
  );
  expect(patternOf(['run <id> of notes', '…', 'decide <id>']).test('run 4vv8c5j2dynhhy0e of notes\n\ndecide 4vv8c5j2dynhhy0f\n')).toBe(
    false,
  );
  expect(patternOf(['one']).test('one\ntwo\n')).toBe(false);
  expect(() => readPage('```ts\nconst a = 1;\n```\n')).toThrow('names no file');
});

test('a command line is split into words as a shell would, or left to the shell', () => {
  expect(plainWords(`pawl decide 7kq2 --input 'no "filler"' -p a="b c"`)).toEqual([
    'pawl',
    'decide',
    '7kq2',
    '--input',
    'no "filler"',
    '-p',
    'a=b c',
  ]);
  for (const line of ['pawl init | tail', 'echo a >> b', 'echo $A', 'ls *.md', "echo 'open"]) expect(plainWords(line)).toBeUndefined();
});
