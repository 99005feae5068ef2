import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { traitsIn } from '../../../../../test/gate-rig.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { anyOfCheck } from './check.ts';

const README = (cwd: string): void => writeFileSync(join(cwd, 'README.md'), '');

describeCheck(anyOfCheck, {
  passes: {
    config: {
      checks: [
        { check: 'file_exists', paths: ['LICENSE'] },
        { check: 'command', run: 'test -f README.md' },
      ],
    },
    arrange: README,
  },
  fails: {
    config: {
      checks: [
        { check: 'file_exists', paths: ['README.md'] },
        { check: 'command', run: 'false' },
      ],
    },
  },
  cannotDecide: {
    config: {
      checks: [
        { check: 'file_exists', paths: ['README.md'] },
        { check: 'command', argv: ['no-such-program-anywhere'] },
      ],
    },
  },
});

test('any_of declares its traits', () => {
  expect(traitsIn(anyOfCheck)).toEqual({ readsFiles: false, independentOfRun: true });
});
