// Owns reading a file that a project brings. An agent or an archive can put a named pipe or a device in its place, and
// opening one of those would wait for ever.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** The content of a regular file; anything else is refused without waiting for it. */
export function readPlainFile(file: string): Buffer {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a regular file');
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
