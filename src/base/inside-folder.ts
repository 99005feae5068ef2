// Decides whether a path is inside a folder: by its text, or once `..` and links are resolved.

import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether an absolute path is below a folder, by its text: links are not followed. */
export function isBelowFolder(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '' && !leadsOut(below);
}

function leadsOut(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** Whether a path, relative or absolute, is inside a folder. For a file that does not exist yet, its folder decides. */
export function isInsideFolder(folder: string, path: string): boolean {
  return !leadsOut(relative(realpathSync(folder), realPath(resolve(folder, path))));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : resolve(realPath(above), relative(above, path));
  }
}
