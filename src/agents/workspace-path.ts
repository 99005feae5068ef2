// Owns whether a path lies in the workspace of an agent, links followed: `..` and a link out of it lead elsewhere.

import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether a path, relative to the workspace or not, lies in it; a file that is yet to be written lies where its folder is. */
export function isInWorkspace(cwd: string, path: string): boolean {
  const way = relative(realpathSync(cwd), realPath(resolve(cwd, path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : resolve(realPath(folder), relative(folder, path));
  }
}
