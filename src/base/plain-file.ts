// Owns reading a file of a project or of the state folder. An agent or an archive can replace it with a named pipe or a device, and opening one
// of those would block forever.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** The content of a regular file; throws for anything else without blocking. */
export function readPlainFile(file: string): Buffer {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a regular file');
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
