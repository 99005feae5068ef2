// The files of the dashboard: how much a browser loads, that nothing in them is refused by the policy of the server, and that
// nothing leads to another machine.

import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../../scripts/dashboard.js';
import { tempFolder } from '../temp-folder.ts';

const folder = join(tempFolder(), 'dashboard');
let chunks: Awaited<ReturnType<typeof buildDashboard>>;
beforeAll(async () => {
  chunks = await buildDashboard(folder);
});

const FIRST_MAX_KB = 130;
const ALL_MAX_KB = 240;
const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length, 0) / 1000;

/** A file and all that it loads before it runs. */
function loadedWith(fileName: string, known = new Set<string>()): Set<string> {
  if (known.has(fileName)) return known;
  known.add(fileName);
  for (const other of chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? []) loadedWith(other, known);
  return known;
}

test('the first page is at most 130 kB for a browser, everything at most 240 kB', () => {
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName ?? '';
  const styles = /href="\/(assets\/index[^"]+\.css)"/.exec(readFileSync(join(folder, 'index.html'), 'utf8'))?.[1] ?? '';
  const pages = ['inbox/inbox-page', 'runs/runs-page'].map((page) => chunks.find(({ source }) => source.includes(page))?.fileName ?? '');
  for (const page of pages)
    expect(kilobytes(new Set([...loadedWith(entry), ...loadedWith(page), styles, 'index.html']))).toBeLessThan(FIRST_MAX_KB);
  expect(kilobytes(globSync('**/*.{js,css,html,svg}', { cwd: folder }))).toBeLessThan(ALL_MAX_KB);
});

test('the page has no inline script, style or handler, which the policy would block', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
  const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThan(2);
  expect(addresses.filter((address) => !address?.startsWith('/'))).toEqual([]);
});

test('no file evaluates text or turns it into HTML', () => {
  const code = globSync('assets/*.js', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(code.filter((text) => /\beval\(|new Function\(|document\.write\(/.test(text))).toEqual([]);
  const ours = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: join(import.meta.dirname, '../..') });
  expect(ours.length).toBeGreaterThan(50);
  const texts = ours.map((file) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8'));
  expect(texts.filter((text) => /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML/.test(text))).toEqual([]);
});

test('the licences of its dependencies are next to it', () => {
  expect(statSync(join(folder, 'THIRD-PARTY-LICENSES')).size).toBeGreaterThan(5_000);
});
