import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeFolder } from './remove-folder.ts';

const WRITER = `const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
console.log('writing');
for (let n = 0; ; n += 1) try { writeFileSync(join(process.argv[1], 'sub' + (n % 3), 'file' + n), ''); } catch {}`;

/** A folder to which another process adds files without a pause. */
async function folderInUse() {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-remove-'));
  for (const name of ['sub0', 'sub1', 'sub2']) mkdirSync(join(folder, name));
  const writer = spawn(process.execPath, ['--eval', WRITER, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(writer, 'exit');
  const stop = async (): Promise<void> => {
    writer.kill('SIGKILL');
    await ended;
    await removeFolder(folder);
  };
  onTestFinished(stop);
  await once(writer.stdout, 'data');
  return { folder, stop };
}

test('a folder is removed with its content', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-remove-'));
  mkdirSync(join(folder, 'deep'));
  writeFileSync(join(folder, 'deep', 'file'), 'text');
  await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
});

test('a folder that does not exist is accepted', async () => {
  await expect(removeFolder(join(tmpdir(), 'pawl-remove-none'))).resolves.toBeUndefined();
});

test('the removal does not fail while a program keeps adding files, and removes the rest once it has ended', async () => {
  const { folder, stop } = await folderInUse();
  for (let round = 0; round < 3; round += 1) {
    for (const name of ['sub0', 'sub1', 'sub2']) mkdirSync(join(folder, name), { recursive: true });
    await removeFolder(folder);
  }
  await stop();
  expect(existsSync(folder)).toBe(false);
});
