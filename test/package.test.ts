// The package that is published: what its package.json says, what is in it and what is not, and how large it is. Installing
// and using it is for test/proof/packed.test.ts.

import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { root } from '../scripts/bundle.js';
import { writeBuiltPackage } from './built-package.ts';
import { tempFolder } from './temp-folder.ts';

const folder = join(tempFolder(), 'package');
beforeAll(() => writeBuiltPackage(folder));

const shipped = (pattern: string): string[] => globSync(pattern, { cwd: folder });
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

test('the package.json of the package brings nothing into a project: no dependency, no Node, no script', () => {
  const names = Object.keys(JSON.parse(textOf('package.json')) as object);
  const brought = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'scripts', 'private'];
  expect(names.filter((name) => brought.includes(name))).toEqual([]);
});

test('the package is smaller than 10 MB, and has no source maps', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const bytes = files.reduce((sum, file) => sum + (statSync(file).isFile() ? statSync(file).size : 0), 0);
  expect(bytes).toBeLessThan(10_000_000);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  expect(shipped('dist/**/*.{js,cjs,mjs}').filter((file) => textOf(file).includes('//# sourceMappingURL='))).toEqual([]);
});

test('the types of the package import nothing that a project may lack, not even the types of Node', () => {
  const imports = shipped('dist/**/*.d.ts').flatMap((file) =>
    [...textOf(file).matchAll(/(?:\bfrom |\bimport\(|\bimport |types=)['"]([^'"]+)['"]/g)].map(([, target = '']) => ({ file, target })),
  );
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter(({ target }) => !target.startsWith('.'))).toEqual([]);
});

test('every link in its documents leads to a file of the package', () => {
  // What agents of examples wrote links to files of another project.
  const pages = shipped('**/*.md').filter((file) => !/^examples\/skills\/.+\//.test(file));
  const links = pages.flatMap((file) =>
    [...textOf(file).matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].map(([, link, source = '']) => ({ file, link: link ?? source })),
  );
  const inside = links.filter(({ link }) => !/^(?:https?:|mailto:|#)/.test(link));
  expect(inside.length).toBeGreaterThan(50);
  expect(inside.filter(({ file, link }) => !existsSync(join(folder, dirname(file), link.replace(/#.*$/, ''))))).toEqual([]);
});

test('every page that a message names is in it', () => {
  // Shipped skills have examples of pages of other projects.
  const files = shipped('dist/**/*.{js,cjs,mjs}').filter((file) => !file.startsWith('dist/cli/shipped/'));
  const code = files.map(textOf).join('\n');
  const pages = new Set(code.match(/\bdocs\/[\w/-]+\.md\b/g));
  expect([...pages].filter((page) => !existsSync(join(folder, page)))).toEqual([]);
});

test('the examples of the package import the package, not its sources', () => {
  const sources = shipped('examples/**/*.ts').filter((file) => /from '[./]*src\//.test(textOf(file)));
  expect(sources).toEqual([]);
});

test('each source of the command line is in one of its files', () => {
  const maps = ['main', 'engine', 'rest'].map((name) => join(inject('bundle'), 'cli', `${name}.cjs.map`));
  const sources = maps.flatMap((map) => (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources);
  const own = sources.filter((source) => source.includes('/src/'));
  expect(own.length).toBeGreaterThan(500);
  expect(own.filter((source, n) => own.indexOf(source) !== n)).toEqual([]);
});

/** The packages that the source maps of the bundles name. */
function packagesInMaps(): string[] {
  const found = globSync('**/*.map', { cwd: inject('bundle') }).flatMap((map) => {
    const file = join(inject('bundle'), map);
    const { sources } = JSON.parse(readFileSync(file, 'utf8')) as { sources: string[] };
    return sources.flatMap((source) => {
      const way = relative(root, resolve(file, '..', source));
      return /^node_modules\/(?!\.)(?:@[^/]+\/)?[^/]+/.exec(way)?.[0] ?? [];
    });
  });
  // Some packages ship maps of their own that lead to folders which they do not ship.
  return [...new Set(found)].filter((path) => existsSync(join(root, path, 'package.json'))).sort();
}

test('the package has the licence text of each bundled package', () => {
  const packages = packagesInMaps();
  expect(packages).toEqual(expect.arrayContaining(['node_modules/acorn', 'node_modules/yaml', 'node_modules/zod']));
  const licences = textOf('dist/THIRD-PARTY-LICENSES');
  for (const path of packages) {
    const [licence] = readdirSync(join(root, path)).filter((name) => /^licen/i.test(name));
    const { name, version } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as { name: string; version: string };
    expect(licences).toContain(`${name} ${version} (`);
    expect(licences).toContain(readFileSync(join(root, path, licence ?? ''), 'utf8').trim());
  }
});

test('the package has the licence of Pawl itself', () => {
  expect(textOf('LICENSE')).toContain('MIT');
});
