import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isBelow, isInsideFolder } from './inside-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-workspace-'));
const cwd = join(root, 'work');
mkdirSync(join(cwd, 'src'), { recursive: true });
mkdirSync(join(root, 'worker'));
symlinkSync(root, join(cwd, 'out'));
symlinkSync(join(cwd, 'src'), join(root, 'in'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each<[string, boolean]>([
  ['plan.md', true],
  ['src/../plan.md', true],
  ['new/deep/file.ts', true],
  ['..plan', true],
  [join(cwd, 'src/a.ts'), true],
  [join(root, 'in/a.ts'), true],
  ['.', true],
  ['..', false],
  ['../plan.md', false],
  ['src/../../plan.md', false],
  ['out/plan.md', false],
  ['out/new/plan.md', false],
  [join(root, 'worker/plan.md'), false],
  ['/etc/passwd', false],
])('a path is inside the workspace only if it leads there: %s', (path, isInside) => {
  expect(isInsideFolder(cwd, path)).toBe(isInside);
});

test('a folder whose name begins with two dots is below its parent, and a sibling is not', () => {
  expect(['/a', '/a/..b/c', '/ab', '/'].map((path) => isBelow('/a', path))).toEqual([true, true, false, false]);
});
