// The examples run as their README says, and print what it says.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
const SECTIONS = [...README.matchAll(/```sh\nnode (examples\/\S+)\n```\n\n```text\n(.*?)\n```/gs)].map(([, file, output]) => ({
  file,
  output,
}));

test('every example is in the README', () => {
  expect(SECTIONS.map(({ file }) => file)).toEqual([
    'examples/w1/run.ts',
    'examples/patterns/run.ts',
    'examples/flow/run.ts',
    'examples/custom-kind/run.ts',
  ]);
});

test.each(SECTIONS)('$file prints what the README shows', ({ file = '', output }) => {
  const printed = execFileSync(process.execPath, [file], { cwd: ROOT, encoding: 'utf8' });
  expect(printed.trimEnd().replaceAll(/[ \t]+$/gm, '')).toBe(output);
});
