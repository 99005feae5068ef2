// Owns whether a path is inside an agent's workspace after links are followed: `..` and links may lead out of it.

import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether a path, relative or absolute, is inside the workspace. For a file that does not exist yet its folder decides. */
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
