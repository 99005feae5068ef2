import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeCheck } from '../../proof/check-suite.ts';
import { commandCheck } from './command-check.ts';
import { fileExistsCheck } from './file-exists-check.ts';
import { BUILT_IN_CHECKS } from './registry.ts';

const README = (cwd: string): void => writeFileSync(join(cwd, 'README.md'), '');

describeCheck(commandCheck, {
  passes: { config: { run: 'test -f README.md' }, arrange: README },
  fails: { config: { run: 'test -f README.md' } },
  cannotLook: { config: { argv: ['no-such-program-anywhere'] } },
});

describeCheck(fileExistsCheck, {
  passes: { config: { paths: ['README.md'] }, arrange: README },
  fails: { config: { paths: ['README.md'] } },
  cannotLook: { config: { paths: ['../README.md'] } },
});

test('every built-in check is listed under its own name', () => {
  expect(Object.entries(BUILT_IN_CHECKS).map(([name, check]) => name === check.name)).toEqual([true, true]);
});
