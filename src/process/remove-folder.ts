// Owns the removal of folders that programs worked in. A program that was just killed, or one that escaped, can still add
// a file while the folder is being removed, which makes the removal fail with ENOTEMPTY. It is repeated for a short time;
// then the rest stays, because a temporary folder that could not be removed must not fail a step.
//
// There is no synchronous form: `rmSync` does not return while a program adds files faster than they are removed.

import { rm } from 'node:fs/promises';
import { systemCodeOf } from '../base/error.ts';

const IN_USE: ReadonlySet<string | undefined> = new Set(['ENOTEMPTY', 'EBUSY']);

/** Removes a folder with its content. Resolves even if a program that still runs keeps writing to it. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    if (!IN_USE.has(systemCodeOf(error))) throw error;
  }
}
