// Owns describing how the subjects of a question changed since they were shown, and the data that an approval adds to the
// run.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { shortList } from '../base/short-text.ts';
import type { AttemptResult } from './attempt.ts';
import { judgedKey } from './workspace/judged-tree.ts';

const CHANGES_MAX = 10;
const TREE = 'the files of the workspace';

/** Describes the changes of a question's subjects. */
export function changesBetween(before: Json, after: Json): string {
  const [was, is] = [namedSubjects(before), namedSubjects(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).sort();
  const words = names.map((name) => {
    return `${name} ${!was.has(name) ? 'is new' : !is.has(name) ? 'is gone' : 'changed'}${name === TREE ? filesIn(after) : ''}`;
  });
  return `changed since it was shown: ${shortList(words, CHANGES_MAX)}`;
}

/** Lists the files that differ from those that passed the checks. */
function filesIn(subjects: Json): string {
  const tree = isJsonObject(subjects) ? subjects.tree : undefined;
  const stale = isJsonObject(tree) && Array.isArray(tree.stale) ? tree.stale.filter(isJsonObject) : [];
  const words = stale.map(
    ({ step, files }) => `since "${String(step)}": ${Array.isArray(files) ? files.slice(0, CHANGES_MAX).join(', ') : ''}`,
  );
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/** The subjects, by their names for people: `pull request 7`, `src/a.ts`. */
function namedSubjects(subjects: Json): Map<string, string> {
  const found = new Map<string, string>();
  const { pr, files, tree, problem } = isJsonObject(subjects) ? subjects : {};
  if (problem !== undefined) found.set('what could not be checked', JSON.stringify(problem));
  if (isJsonObject(pr)) found.set(`the head of pull request ${String(pr.number)}`, JSON.stringify(pr));
  if (isJsonObject(tree)) found.set(TREE, JSON.stringify(tree.id ?? tree.problem ?? null));
  for (const [path, digest] of Object.entries(isJsonObject(files) ? files : {})) found.set(path, JSON.stringify(digest));
  return found;
}

/** The data that a decision about these subjects adds to the run: the approved tree and pull request head. */
export function approvalOf(
  { tree, pr }: JsonObject,
  at: { readonly path: string; readonly step: string; readonly now: number },
): Omit<Extract<AttemptResult, { type: 'observed' }>, 'type' | 'subjects'> {
  const id = isJsonObject(tree) ? tree.id : undefined;
  const head = isJsonObject(pr) ? pr.head : undefined;
  const key = judgedKey(at.path);
  return {
    ...(typeof id === 'string'
      ? { approved: { [key]: { tree: id, by: 'approval', step: at.step, at: at.now } }, refused: { [key]: null } }
      : {}),
    ...(typeof head === 'string' ? { output: { approved_head: head } } : {}),
  };
}
