// The check `licences` follows the rules for gate checks: in these workspaces it passes, fails, and cannot decide.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeCheck } from '../../src/proof/suites/index.ts';
import { licences } from './licences.ts';

const lockfile = (license: string) => (cwd: string) =>
  writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ packages: { a: { license } } }));

describeCheck(licences, {
  passes: { config: { allow: ['MIT'] }, arrange: lockfile('MIT') },
  fails: { config: { allow: ['MIT'] }, arrange: lockfile('GPL-3.0') },
  cannotDecide: { config: { allow: 'MIT' }, arrange: lockfile('MIT') },
});
