import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { guardCredentials } from './credentials.ts';

let cwd: string;
beforeEach(() => {
  cwd = tempFolder();
  mkdirSync(join(cwd, '.git'));
});

const guard = (more: object = {}) => guardCredentials({ cwd, hides: false, ...more });

test.each([
  ['[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic abc\n', true],
  ['[remote "origin"]\n\turl = https://x:secret@github.com/octo/project\n', true],
  ['[remote "origin"]\n\turl = https://github.com/octo/project\n', false],
  ['[http]\n\textraheader =\n', false],
])('CR3: a login in the configuration of the repository is reported: %j', (config, isReported) => {
  writeFileSync(join(cwd, '.git', 'config'), config);
  expect(guard().left.includes(`${join(cwd, '.git', 'config')} holds a login`)).toBe(isReported);
});

test('CR3: a variable that is passed on is reported, and so is a readable file', () => {
  const file = join(cwd, 'secret.txt');
  writeFileSync(file, 'x');
  process.env.PAWL_TEST_SECRET = 'x';
  const { left, wrap } = guard({ inheritEnv: ['PAWL_TEST_*'], variables: ['PAWL_TEST_SECRET'], files: [file] });
  delete process.env.PAWL_TEST_SECRET;
  expect(left).toContain('the variable PAWL_TEST_SECRET is passed on');
  expect(left).toContain(`${file} can be read`);
  expect(wrap(['ls'])).toEqual(['ls']);
});

test('CR4: if files cannot be hidden, writable files of the runner are reported', () => {
  const folder = join(cwd, '_runner_file_commands');
  mkdirSync(folder);
  const files = ['set_env_1', 'add_path_1'].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, '');
  const before = { ...process.env };
  Object.assign(process.env, { GITHUB_ENV: files[0], GITHUB_PATH: files[1], GITHUB_OUTPUT: join(cwd, 'gone') });
  const { left } = guard();
  process.env = before;
  expect(left.filter((text) => text.endsWith('can be written'))).toEqual([`${folder} can be written`]);
});
