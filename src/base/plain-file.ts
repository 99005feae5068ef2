// Opens a file of a project or of the state folder. An agent or an archive can replace it with a named pipe or a
// device, which would block forever when it is opened, or with a link, through which another file would be written.

import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, readFileSync, type Stats, writeFileSync } from 'node:fs';
import { systemCodeOf } from './error.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants;
const PRIVATE = 0o600;

/** What is at a path, without following links; undefined if there is nothing, or if one of its folders is a file. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCodeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Opens a regular file to read; throws for anything else without blocking. */
export function openPlainFile(file: string): number {
  return assertPlain(openSync(file, O_RDONLY | O_NONBLOCK));
}

/** Opens a regular file of the user to append to, and creates it; throws for anything else, links included. */
export function appendPlainFile(file: string): number {
  return assertPlain(openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, PRIVATE));
}

/** Writes a regular file of the user, and creates it; throws for anything else, links included. */
export function writePlainFile(file: string, text: string): void {
  const fd = assertPlain(openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, PRIVATE));
  try {
    ftruncateSync(fd);
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** The content of a regular file; throws for anything else without blocking. */
export function readPlainFile(file: string): Buffer {
  const fd = openPlainFile(file);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function assertPlain(fd: number): number {
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error('it is not a regular file');
}
