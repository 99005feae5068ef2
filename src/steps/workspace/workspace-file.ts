// Opens files of a workspace. All readers in `src/steps` use this file, so that files that must never be opened are
// rejected in one place.
//
// - Only regular files are opened: a named pipe would block the engine until something is written to it, and opening a device
//   can have side effects.
// - A file of a database that this process has open is never opened, because closing it would drop the locks of SQLite.
// - A link in the last part of a path is never followed; callers that follow links resolve them first.

import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { systemCodeOf } from '../../base/error.ts';
import { isStoreFile } from '../../base/store-files.ts';

const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a regular file; undefined if there is none at this path. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  const facts = await ifExists(lstat(path));
  if (facts?.isFile() !== true || isStoreFile(path, facts)) return undefined;
  const handle = await ifExists(open(path, READ_ONLY));
  if (handle === undefined) return undefined;
  // It may have been replaced since the check.
  const opened = await handle.stat();
  if (opened.isFile() && opened.ino === facts.ino && opened.dev === facts.dev) return handle;
  await handle.close();
  return undefined;
}

/** The content of a regular file; undefined if `openFile` opens none. */
export async function readWorkspaceFile(path: string): Promise<Buffer | undefined> {
  await using handle = await openFile(path);
  return await handle?.readFile();
}

/** The result of a file system call; undefined if nothing exists there, or a link instead of a file. */
export async function ifExists<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw error;
  }
}
