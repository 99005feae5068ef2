// The site of the documentation, without building it: every document has its page and its place, and every link leads somewhere.
// `npm run docs` builds it.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsIn, documentsIn, openRepository, type Repository, sidebarOf, sitePages } from '../scripts/site-pages.ts';
import { type Lockfile, lockfileGaps, lockfileViolations, pinViolations } from './tidy/documents.ts';
import { readJson, readText } from './tidy/repository.ts';

const ROOT = join(import.meta.dirname, '..');

describe('the documents', () => {
  const { pages, dead } = sitePages(documentsIn(ROOT), openRepository(ROOT));
  const addresses = new Set(pages.map(({ path }) => `/${path.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`));

  test('the documents have no link that leads nowhere', () => {
    expect(dead.map(({ source, link, why }) => `${source}: ${link}: ${why}`)).toEqual([]);
  });

  test('the documents are all in the sidebar, each once, and at addresses of their own', () => {
    const links = sidebarOf(pages).flatMap(({ items }) => items.map(({ link }) => link));
    expect(new Set(links).size).toBe(links.length);
    expect(links).toHaveLength(documentsIn(ROOT).length);
    expect(addresses.size).toBe(pages.length);
    const api = sidebarOf(pages).find(({ text }) => text === 'TypeScript API');
    expect(api?.items.map(({ text }) => text).slice(0, 4)).toEqual(['Overview', 'pawl', 'Parts of pawl', 'pawl/compat']);
  });

  test('the documents are what the home page and the navigation link to', () => {
    const texts = ['docs/site/home.md', 'docs/site/.vitepress/config.js'].map(readText).join('\n');
    const links = [...texts.matchAll(/link: '?(\/[^\s'}]*)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !addresses.has(link))).toEqual([]);
  });
});

describe('a page', () => {
  const repository = (files: Readonly<Record<string, string>>): Repository => ({
    read: (path) => files[path] ?? '',
    kindOf: (path) => (path in files ? 'file' : Object.keys(files).some((file) => file.startsWith(`${path}/`)) ? 'folder' : undefined),
    filesIn: (folder) => Object.keys(files).filter((file) => file.startsWith(`${folder}/`)),
  });
  const site = (files: Readonly<Record<string, string>>) => sitePages(['docs/a.md'], repository(files));

  test('a page of the site leads to other pages by their address in the site', () => {
    const { pages, dead } = site({
      'docs/a.md': '# A\n\n[b](b/c.md#d-e) [`x`](b/) [web](https://example.org)\n',
      'docs/b/c.md': '# C\n\n## D: e\n',
      'docs/b/README.md': '# B\n',
    });
    expect(pages[0]?.text).toBe('# A\n\n[b](/b/c.md#d-e) [`x`](/b/index.md) [web](https://example.org)\n');
    expect(pages.map(({ path }) => path)).toEqual(['a.md', 'b/c.md', 'b/index.md']);
    expect(dead).toEqual([]);
  });

  test('a page of the site that links to a file or a folder of the repository brings it along', () => {
    const { pages } = site({
      'docs/a.md': '# A\n\n[x](../examples/x)\n',
      'examples/x/run.mjs': 'go();\n',
      'examples/x/.pawl/w.yaml': 'a: 1\n',
    });
    expect(pages[0]?.text).toContain('[x](/files/examples/x.md)');
    expect(pages[1]?.text).toContain('````js run.mjs\ngo();\n````\n\n````yaml .pawl/w.yaml\na: 1\n````\n');
  });

  test('a page of the site with a link to nothing, or to a heading that is not there, is found out', () => {
    const { dead } = site({ 'docs/a.md': '# A\n\n[x](gone.md) [y](#none)\n\n```md\n[z](in-code.md)\n```\n' });
    expect(dead.map(({ link }) => link)).toEqual(['gone.md', '#none']);
  });

  test('a page of the site has an anchor for each heading, numbered where two are the same', () => {
    expect([...anchorsIn('# A `b`: c\n\n## D\n\n```sh\n# no heading\n```\n\n## D\n')]).toEqual(['a-b-c', 'd', 'd-1']);
  });
});

describe('the package of the site', () => {
  test('the package of the site pins every dependency, and its lockfile is whole and names no registry', () => {
    expect(pinViolations(readJson('docs/site/package.json') as Record<string, unknown>)).toEqual([]);
    const lockfile = readJson('docs/site/package-lock.json') as Lockfile;
    expect([...lockfileGaps(lockfile), ...lockfileViolations(lockfile)]).toEqual([]);
  });
});
