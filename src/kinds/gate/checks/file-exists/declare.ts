// Owns what the check `file_exists` declares: files that must be there.

import type { CheckDeclaration } from '../../../../definition/check.ts';
import { isTextList } from '../../../../definition/kind.ts';

/** `{ paths }`. */
export const fileExistsCheck: CheckDeclaration = {
  name: 'file_exists',
  title: ({ paths }) => `file_exists ${Array.isArray(paths) ? paths.join(', ') : ''}`,
  validate({ paths }, report) {
    if (!isTextList(paths)) report.fault('it names no files', 'write them as paths: ["dist/index.js"]');
  },
};
