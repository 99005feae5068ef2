// Owns whether a path matches a pattern. Patterns that are plain, or a folder with all below it, and paths that begin
// otherwise than the pattern, are told without the matcher of Node, which takes milliseconds to load.

import { posix } from 'node:path';
import { EngineError } from '../base/error.ts';
import { isPlain, patternCost } from '../definition/pattern.ts';

const BELOW = '/**';

/** Whether a path, relative and with slashes, matches a pattern. */
export function matches(path: string, pattern: string): boolean {
  if (isPlain(pattern)) return path === pattern;
  const folder = pattern.slice(0, -BELOW.length);
  // What Node's matcher makes of names that begin with a dot is left to it.
  if (pattern.endsWith(BELOW) && isPlain(folder) && path.startsWith(`${folder}/`) && !path.slice(folder.length).includes('/.')) return true;
  assertQuick(pattern);
  return !beginsOtherwise(path, pattern) && posix.matchesGlob(path, pattern);
}

/** Whether a pattern begins with characters that are not those of the path. Some systems do not tell upper case from lower. */
function beginsOtherwise(path: string, pattern: string): boolean {
  const [start = ''] = /^[\w.-]*/.exec(pattern) ?? [];
  // The matcher takes away a folder before "..".
  return !pattern.includes('..') && !path.toLowerCase().startsWith(start.toLowerCase());
}

const QUICK_MAX = 1000;
const quick = new Set<string>();

/** Throws for a pattern that could take minutes; patterns of settings and of older definitions come here unchecked. */
function assertQuick(pattern: string): void {
  if (quick.has(pattern)) return;
  const why = patternCost(pattern);
  if (why !== undefined) throw new EngineError('DEFINITION_INVALID', `the pattern "${pattern}" takes too long to match: ${why}`);
  if (quick.size >= QUICK_MAX) quick.clear();
  quick.add(pattern);
}
