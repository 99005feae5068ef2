import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeCheck } from '../../proof/check-suite.ts';
import { commandCheck } from './command-check.ts';
import { coverageCheck } from './coverage-check.ts';
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

const report = (text: string) => (cwd: string) => writeFileSync(join(cwd, 'lcov.info'), text);

describeCheck(coverageCheck, {
  passes: { config: { minimum: '50%' }, arrange: report('SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n') },
  fails: { config: { minimum: 51 }, arrange: report('SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n') },
  cannotLook: { config: { minimum: 50 } },
});

test('every built-in check is listed under its own name', () => {
  const names = ['command', 'file_exists', 'coverage', 'webhook', 'pr_approval', 'ci_status', 'any_of'];
  expect(Object.entries(BUILT_IN_CHECKS).map(([name, check]) => [name, check.name])).toEqual(names.map((name) => [name, name]));
});
