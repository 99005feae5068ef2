import { expect, test } from 'vitest';
import { isAccessRefused, isLoginRefused } from './git-remote.ts';

const AWAY = "fatal: unable to access 'https://github.com/octo/error-401-403.git/': Could not resolve host: github.com";

test.each([
  ["fatal: Authentication failed for 'https://github.com/octo/project.git/'", true, false],
  ["fatal: could not read Username for 'https://github.com': terminal prompts disabled", true, false],
  ["fatal: unable to access 'https://github.com/octo/project.git/': The requested URL returned error: 401", true, false],
  ["fatal: unable to access 'https://github.com/octo/project.git/': The requested URL returned error: 403", false, true],
  ['error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403', false, true],
  ['remote: Repository not found.', false, true],
  [AWAY, false, false],
  ["fatal: unable to access 'https://github.com/octo/p.git/': The requested URL returned error: 503", false, false],
])('a rejected login and a denied access are recognised in the message: %s', (message, login, access) => {
  expect([isLoginRefused(message), isAccessRefused(message)]).toEqual([login, access]);
});
