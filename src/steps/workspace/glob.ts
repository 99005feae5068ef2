// Matches paths with patterns. Plain patterns, whole folders, and paths with another beginning are decided without
// Node's matcher, which takes milliseconds to load.

import { posix } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { isPlain, patternCost } from '../../definition/pattern.ts';

const BELOW = '/**';

/** Whether a path, relative and with slashes, matches a pattern. */
export function matches(path: string, pattern: string): boolean {
  if (isPlain(pattern)) return path === pattern;
  const folder = pattern.slice(0, -BELOW.length);
  // Names that begin with a dot follow the rules of Node's matcher.
  if (pattern.endsWith(BELOW) && isPlain(folder) && path.startsWith(`${folder}/`) && !path.slice(folder.length).includes('/.')) return true;
  assertQuick(pattern);
  return !hasOtherBeginning(path, pattern) && posix.matchesGlob(path, pattern);
}

/** Whether a path cannot match because it begins differently. Case is ignored, because some systems ignore it. */
function hasOtherBeginning(path: string, pattern: string): boolean {
  const [start = ''] = /^[\w.-]*/.exec(pattern) ?? [];
  // The matcher resolves "..".
  return !pattern.includes('..') && !path.toLowerCase().startsWith(start.toLowerCase());
}

const QUICK_MAX = 1000;
const quick = new Set<string>();

/** Throws for a pattern that could take minutes. Patterns of settings and of older definitions were not checked before. */
function assertQuick(pattern: string): void {
  if (quick.has(pattern)) return;
  const why = patternCost(pattern);
  if (why !== undefined) throw new EngineError('DEFINITION_INVALID', `the pattern "${pattern}" takes too long to match: ${why}`);
  if (quick.size >= QUICK_MAX) quick.clear();
  quick.add(pattern);
}
