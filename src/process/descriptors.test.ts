import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const CODE = `const { runCommand } = await import(process.argv[1]);
const { stdout } = await runCommand({ argv: ['ls', '-l', '/proc/self/fd'], mark: 'descriptors' });
console.log(stdout);`;

test('a command does not receive descriptors that we inherited', () => {
  const file = openSync(import.meta.filename, 'r');
  const gap = (count: number): 'ignore'[] => Array.from({ length: count }, () => 'ignore');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--input-type=module', '-e', CODE, join(import.meta.dirname, 'command.ts')],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', ...gap(6), file, ...gap(10), file, ...gap(37), file] },
  );
  closeSync(file);
  expect(stderr).toBe('');
  expect(stdout).toContain('-> /dev/null');
  expect(stdout).not.toContain('descriptors.test');
});
