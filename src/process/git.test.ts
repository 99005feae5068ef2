import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { git } from './git.ts';

test('an answer that is longer than what is read is no answer', async () => {
  expect(await git(tmpdir(), ['--version'], { outputMax: 4 })).toEqual({
    ok: false,
    message: 'it printed more than the 4 bytes that are read',
    stdout: '',
  });
});

test('git that failed says why, with its exit code', async () => {
  expect(await git(tmpdir(), ['no-such-command'])).toMatchObject({
    ok: false,
    code: 1,
    message: expect.stringContaining("'no-such-command' is not a git command"),
  });
});
