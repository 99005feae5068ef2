import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeCheck } from '../../../proof/check-suite.ts';
import type { GateCheck } from '../../../steps/check.ts';
import { REGISTRY } from '../../registry.ts';

const { checks } = REGISTRY;

function checkOf(name: string): GateCheck {
  const check = checks[name];
  if (check === undefined) throw new Error(`there is no check ${name}`);
  return check;
}

const README = (cwd: string): void => writeFileSync(join(cwd, 'README.md'), '');

describeCheck(checkOf('command'), {
  passes: { config: { run: 'test -f README.md' }, arrange: README },
  fails: { config: { run: 'test -f README.md' } },
  cannotLook: { config: { argv: ['no-such-program-anywhere'] } },
});

describeCheck(checkOf('file_exists'), {
  passes: { config: { paths: ['README.md'] }, arrange: README },
  fails: { config: { paths: ['README.md'] } },
  cannotLook: { config: { paths: ['../README.md'] } },
});

const report = (text: string) => (cwd: string) => writeFileSync(join(cwd, 'lcov.info'), text);

describeCheck(checkOf('coverage'), {
  passes: { config: { minimum: '50%' }, arrange: report('SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n') },
  fails: { config: { minimum: 51 }, arrange: report('SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n') },
  cannotLook: { config: { minimum: 50 } },
});

test('every built-in check is listed under its own name', () => {
  const names = [
    'command',
    'file_exists',
    'pr_approval',
    'ci_status',
    'webhook',
    'coverage',
    'branch_up_to_date',
    'human_approved',
    'label_present',
    'no_changes_requested',
    'pr_approvals_met',
    'any_of',
  ];
  expect(Object.entries(checks).map(([name, check]) => [name, check.name])).toEqual(names.map((name) => [name, name]));
});
