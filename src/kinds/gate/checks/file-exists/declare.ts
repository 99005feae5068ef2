// Owns what the check `file_exists` declares: files that must exist.

import { type CheckDeclaration, declareCheck } from '../../../../definition/check.ts';
import { isTextList } from '../../../../definition/kind.ts';
import type { FileExistsCheck } from './spec.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    file_exists: FileExistsCheck;
  }
}

/** Files that must exist. */
export const fileExistsCheck: CheckDeclaration = declareCheck({
  name: 'file_exists',
  sameInEveryRun: true,
  title: ({ paths }) => `file_exists ${paths.join(', ')}`,
  fields: ({ required }) => ({
    paths: required('paths', isTextList, ['`paths` must name at least one file', 'write it as paths: ["dist/index.js"]']) ?? [],
  }),
});
