// The types of the package, as users get them: programs with a mistake do not compile, and the compiler says so where the
// mistake is; programs without one do; the declarations themselves are right; and every type that they name can be imported.
// test/proof/older-typescript.test.ts asks an older compiler the same.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/bundle.js';
import { readPage } from '../cli/tutorial-page.ts';
import { FOLLOWED_PAGES } from '../followed-pages.ts';
import { LIBRARY } from './library.ts';
import { marked, programs, testPrograms, writePrograms } from './programs.ts';
import { COMPUTING, unexportedTypes } from './unexported.ts';

const pawl = writePrograms();
afterAll(() => pawl.remove());

test('there are two hundred wrong programs, and each marks its mistake and has words of the message', () => {
  expect(programs.length).toBeGreaterThanOrEqual(200);
  expect(programs.filter(({ text }) => marked(text).line === 0 || marked(text).words.includes(''))).toEqual([]);
  expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length);
});

describe('TypeScript newest, bundler', () => testPrograms(pawl, 'newest', 'bundler'));

// Which programs are wrong does not depend on how modules are found, so the other way is only for the right ones.
test('TypeScript newest, nodenext: the declarations and the right programs compile', () => {
  expect(pawl.check('newest', 'nodenext', ['right-*.ts'])).toEqual([]);
});

test('the programs of the tutorial and the guides compile', () => {
  const pages = [...globSync('docs/tutorial/*.md', { cwd: root }), ...FOLLOWED_PAGES];
  for (const page of pages)
    for (const action of readPage(readFileSync(join(root, page), 'utf8')))
      if (action.do === 'write') pawl.write(join('pages', basename(page, '.md'), action.path), action.text);
  expect(pawl.check('newest', 'bundler', ['pages/*/*.ts', 'pages/*/.pawl/*/*.ts'])).toEqual([]);
});

test('every type that a signature names is exported', () => {
  expect(unexportedTypes(pawl.declarations)).toEqual({ missing: [], exempt: [...COMPUTING] });
});

test('a library that publishes its declarations can export what the API returns', () => {
  pawl.write('library/values.ts', LIBRARY);
  expect(pawl.writeDeclarations('newest', ['library/*.ts'])).toEqual([]);
});
