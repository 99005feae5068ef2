// Owns whether a path matches a pattern. Patterns that are plain, or a folder with all below it, are told without the
// matcher of Node, which takes milliseconds to load.

import { posix } from 'node:path';
import { isPlain } from '../definition/pattern.ts';

const BELOW = '/**';

/** Whether a path, relative and with slashes, matches a pattern. */
export function matches(path: string, pattern: string): boolean {
  if (isPlain(pattern)) return path === pattern;
  const folder = pattern.slice(0, -BELOW.length);
  // What Node's matcher makes of names that begin with a dot is left to it.
  if (pattern.endsWith(BELOW) && isPlain(folder) && path.startsWith(`${folder}/`) && !path.slice(folder.length).includes('/.')) return true;
  return posix.matchesGlob(path, pattern);
}
