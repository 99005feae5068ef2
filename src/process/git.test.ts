import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { git } from './git.ts';

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
