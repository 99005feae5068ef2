// Owns where a path of a check leads: into the workspace, out of it, or nowhere.

import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Where a path leads; `real` is the file itself, behind all links. */
export type WorkspacePlace = { readonly kind: 'inside'; readonly real: string } | { readonly kind: 'outside' | 'missing' };

/** Follows a path from the root of the workspace, which is a real path itself. */
export async function locateInWorkspace(root: string, path: string): Promise<WorkspacePlace> {
  const target = resolve(root, path);
  if (isAbsolute(path) || isOutside(root, target)) return { kind: 'outside' };
  try {
    const real = await realpath(target);
    return isOutside(root, real) ? { kind: 'outside' } : { kind: 'inside', real };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    throw error;
  }
}

function isOutside(root: string, target: string): boolean {
  const way = relative(root, target);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
