// A part of what `npm run fuzz` does, by the same commands.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../scripts/bundle.js';

async function fuzz(...words: readonly string[]): Promise<string> {
  const file = fileURLToPath(new URL('../../scripts/fuzz.js', import.meta.url));
  return (await promisify(execFile)(process.execPath, ['--no-warnings', file, ...words])).stdout;
}

test('200,000 expressions mean what the reference interpreter says', async () => {
  expect(await fuzz('--expressions', '200000')).toContain('fuzz: 200000 expressions, 0 failed');
});

test('20,000 workflow files with mistakes give problems and never crash', async () => {
  expect(await fuzz('--files', '20000')).toMatch(/fuzz: 20000 files, 0 failed, \d+ valid/);
});

test('properties of expressions, templates, workflow files, the kernel and fan-outs hold for five times as many cases as in the gate', async () => {
  const files = ['src/expr', 'src/authoring/yaml/json-schema.test.ts', 'src/kernel/kernel-properties.test.ts', 'test/engine/width.test.ts'];
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files];
  const env = { ...process.env, PROPERTY_CASES: '1', KERNEL_RUNS: '2000' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  expect(stripVTControlCharacters(stdout)).toMatch(/Test Files +\d+ passed \(/);
});
