// Resolves a path: it leads into the workspace, out of it, or nowhere.

import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { systemCodeOf } from '../../base/error.ts';
import { isBelow } from '../../base/inside-folder.ts';

/** Where a path leads; `real` is the file after following all links. */
export type WorkspacePlace = { readonly kind: 'inside'; readonly real: string } | { readonly kind: 'outside' | 'missing' };

/** Follows a path from the root of the workspace, which is a real path itself. */
export async function locateInWorkspace(root: string, path: string): Promise<WorkspacePlace> {
  const target = resolve(root, path);
  if (isAbsolute(path) || !isBelow(root, target)) return { kind: 'outside' };
  try {
    const real = await realpath(target);
    return isBelow(root, real) ? { kind: 'inside', real } : { kind: 'outside' };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    throw error;
  }
}
