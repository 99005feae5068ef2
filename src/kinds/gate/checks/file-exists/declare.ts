// Owns what the check `file_exists` declares: files that must exist.

import type { CheckDeclaration, CheckOf } from '../../../../definition/check.ts';
import { isTextList } from '../../../../definition/kind.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    file_exists: { readonly paths: readonly string[] };
  }
}

/** Files that must exist. */
export const fileExistsCheck: CheckDeclaration = {
  name: 'file_exists',
  sameInEveryRun: true,
  title: ({ paths }: CheckOf<'file_exists'>) => `file_exists ${paths.join(', ')}`,
  validate({ paths }: CheckOf<'file_exists'>, report) {
    if (!isTextList(paths)) report.fault('`paths` must name at least one file', 'write it as paths: ["dist/index.js"]');
  },
};
