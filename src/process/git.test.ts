import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { git, isOutsideGit } from './git.ts';
import { readProcess } from './process-table.ts';

test('an output over the limit is an error', async () => {
  expect(await git(tmpdir(), ['--version'], { outputMax: 4 })).toEqual({
    ok: false,
    message: 'it printed more than 4 bytes',
    stdout: '',
  });
});

test('a failed git call returns the reason and the exit code', async () => {
  expect(await git(tmpdir(), ['no-such-command'])).toMatchObject({
    ok: false,
    code: 1,
    message: expect.stringContaining("'no-such-command' is not a git command"),
  });
});

test('a process that a filter of the repository leaves behind is ended with the call', async () => {
  const folder = tempFolder();
  const pidFile = join(folder, '.git', 'left-behind');
  await git(folder, ['init', '--quiet']);
  await git(folder, ['config', 'filter.stays.clean', `(sleep 300 >/dev/null 2>&1 & echo $! >'${pidFile}'); cat`]);
  writeFileSync(join(folder, '.gitattributes'), 'notes.txt filter=stays\n');
  writeFileSync(join(folder, 'notes.txt'), 'text\n');
  expect(await git(folder, ['-c', 'core.trustctime=true', 'update-index', '--add', 'notes.txt'])).toMatchObject({ ok: true });
  expect(readProcess(Number(readFileSync(pidFile, 'utf8')))?.ended ?? true).toBe(true);
});

test('a folder outside of repositories is recognised without git; a link into a repository is left to git', () => {
  const folder = tempFolder();
  const inside = join(folder, 'repository', 'src');
  mkdirSync(inside, { recursive: true });
  mkdirSync(join(folder, 'repository', '.git'));
  symlinkSync(inside, join(folder, 'link'));
  expect(['.', 'repository/src', 'link', 'missing'].map((path) => isOutsideGit(join(folder, path)))).toEqual([true, false, false, false]);
});
