// The packed package holds the licence of every package whose code is in its bundles.

import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { root } from '../scripts/bundle.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-pack-'));
  cpSync(inject('bundle'), join(folder, 'dist'), { recursive: true });
  for (const name of ['package.json', 'LICENSE', 'README.md', 'bin', 'schema', 'templates'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  execFileSync('npm', ['pack', '--ignore-scripts', '--offline'], { cwd: folder, stdio: 'ignore' });
  execFileSync('tar', ['-xzf', globSync('*.tgz', { cwd: folder })[0] ?? ''], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
  return [...new Set(found)].sort();
}

test('the tarball has the licence text of each bundled package', () => {
  const packages = packagesInMaps();
  expect(packages).toEqual(expect.arrayContaining(['node_modules/acorn', 'node_modules/yaml', 'node_modules/zod']));
  const shipped = readFileSync(join(folder, 'package', 'dist', 'THIRD-PARTY-LICENSES'), 'utf8');
  for (const path of packages) {
    const [licence] = readdirSync(join(root, path)).filter((name) => /^licen/i.test(name));
    const { name, version } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as { name: string; version: string };
    expect(shipped).toContain(`${name} ${version} (`);
    expect(shipped).toContain(readFileSync(join(root, path, licence ?? ''), 'utf8').trim());
  }
});

test('the tarball has the licence of Pawl itself', () => {
  expect(readFileSync(join(folder, 'package', 'LICENSE'), 'utf8')).toContain('MIT');
});
