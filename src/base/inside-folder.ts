// Checks whether a path is inside a folder once `..` and links are resolved.

import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether a path, relative or absolute, is inside a folder. For a file that does not exist yet, its folder decides. */
export function isInsideFolder(folder: string, path: string): boolean {
  const inside = relative(realpathSync(folder), realPath(resolve(folder, path)));
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : resolve(realPath(above), relative(above, path));
  }
}
