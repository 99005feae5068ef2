import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { traitsIn } from '../../../../../test/gate-rig.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { fileExistsCheck } from './check.ts';

const README = (cwd: string): void => writeFileSync(join(cwd, 'README.md'), '');

describeCheck(fileExistsCheck, {
  passes: { config: { paths: ['README.md'] }, arrange: README },
  fails: { config: { paths: ['README.md'] } },
  cannotDecide: { config: { paths: ['../README.md'] } },
});

test('file_exists declares its traits', () => {
  expect(traitsIn(fileExistsCheck)).toEqual({ independentOfRun: true });
});
