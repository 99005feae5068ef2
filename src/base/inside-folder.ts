// Checks whether a path is inside a folder: by their names alone, or once `..` and links are resolved.

import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether an absolute path is a folder itself or below it, by their names alone. */
export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/** Whether a path, relative or absolute, is inside a folder. For a file that does not exist yet, its folder decides. */
export function isInsideFolder(folder: string, path: string): boolean {
  return isBelow(realpathSync(folder), realPath(resolve(folder, path)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : resolve(realPath(above), relative(above, path));
  }
}
