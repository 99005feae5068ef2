// Owns the folders of tests: a new one, which is removed when the test that made it, or else its file, has ended.

import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';
import { removeFolder } from '../src/process/remove-folder.ts';

/** Makes an empty folder and returns its real path. In a test or a `beforeEach` it is the test's, elsewhere the file's. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-test-')));
  const remove = (): Promise<void> => removeFolder(folder);
  if (TestRunner.getCurrentTest() === undefined) afterAll(remove);
  else onTestFinished(remove);
  return folder;
}
