// Declares the check `file_exists`: files that must exist.

import { type CheckConfigs, type CheckDeclaration, declareCheck } from '../../../../definition/check.ts';
import { isTextList } from '../../../../definition/kind.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    file_exists: { readonly paths: readonly string[] };
  }
}

/** Files that must exist. */
export type FileExistsCheck = CheckConfigs['file_exists'];

/** Files that must exist. */
export const fileExistsCheck: CheckDeclaration = declareCheck({
  name: 'file_exists',
  independentOfRun: true,
  title: ({ paths }) => `file_exists ${paths.join(', ')}`,
  fields: ({ required }) => ({
    paths: required('paths', isTextList, ['`paths` must name at least one file', 'write it as paths: ["dist/index.js"]']) ?? [],
  }),
});
