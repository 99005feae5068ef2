// The documents lead somewhere: every link between them has its file and its heading, and every page is listed once.

import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../scripts/bundle.js';
import { FOLLOWED_PAGES } from './followed-pages.ts';

const INDEX = join('docs', 'README.md');
// The site has packages of its own, and examples of skills have documents that agents wrote in another project.
const PAGES = ['*.md', '{docs,examples}/**/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude: ['docs/site/**', 'examples/skills/*/**'] }),
);
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');

/** The files and headings that a page links to, as paths from the root. */
function linksOf(page: string): { readonly file: string; readonly heading: string }[] {
  return [...textOf(page).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].flatMap(([, link, image]) => {
    const [path = '', heading = ''] = (link ?? image ?? '').split('#');
    if (/^[a-z]+:/.test(path)) return [];
    return [{ file: path === '' ? page : normalize(join(dirname(page), path)), heading }];
  });
}

/** The headings of a page as links name them: the second of the same name has a number. */
function headingsOf(page: string): string[] {
  const names = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return names.map((name, index) => {
    const earlier = names.slice(0, index).filter((other) => other === name).length;
    return earlier === 0 ? name : `${name}-${earlier}`;
  });
}

function problemOf({ file, heading }: { readonly file: string; readonly heading: string }): string | undefined {
  if (!existsSync(join(root, file))) return `there is no ${file}`;
  if (heading === '' || statSync(join(root, file)).isDirectory() || headingsOf(file).includes(heading)) return undefined;
  return `${file} has no heading #${heading}`;
}

test.each(PAGES)('the links of %s lead somewhere', (page) => {
  expect(
    linksOf(page)
      .map(problemOf)
      .filter((problem) => problem !== undefined),
  ).toEqual([]);
});

test('every page of the documents is listed once: in the README of its folder, in the page that is called like it, or else in docs/README.md', () => {
  const isInternal = (page: string): boolean => page.startsWith(join('docs', 'internals'));
  const pages = PAGES.filter((page) => page.startsWith('docs') && !isInternal(page) && page !== INDEX);
  expect(pages.filter((page) => linksOf(indexOf(page)).filter(({ file }) => file === page).length !== 1)).toEqual([]);
});

/** The page that has to list another one. */
function indexOf(page: string): string {
  const own = [join(dirname(page), 'README.md'), `${dirname(page)}.md`].find((index) => page !== index && PAGES.includes(index));
  return own ?? INDEX;
}

test('the index marks the pages that are run', () => {
  const marked = [...textOf('docs/README.md').matchAll(/\(([\w/-]+\.md)\) ▶/g)].map(([, page = '']) => `docs/${page}`);
  expect(marked.sort()).toEqual([...globSync('docs/tutorial/*.md', { cwd: root }), ...FOLLOWED_PAGES].sort());
});
