// A part of what `npm run fuzz` does, by the same commands.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

async function fuzz(script: string, ...words: readonly string[]): Promise<string> {
  const file = fileURLToPath(new URL(`../../scripts/${script}`, import.meta.url));
  return (await promisify(execFile)(process.execPath, ['--no-warnings', file, ...words])).stdout;
}

test('200,000 expressions mean what the reference interpreter says', async () => {
  expect(await fuzz('fuzz.js', '--expressions', '200000')).toContain('fuzz: 200000 expressions, 0 failed');
});

test('20,000 workflow files with mistakes give problems and never crash', async () => {
  expect(await fuzz('fuzz-yaml.js', '--files', '20000')).toMatch(/fuzz: 20000 files, \d+ valid, 0 failed/);
});
