// Owns the changes of a question's outside subjects since they were shown, and what their approval means for the rest of
// the run.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { AttemptResult } from './attempt.ts';
import { JUDGED_TREES } from './run-records.ts';

const CHANGES_MAX = 10;
const TREE = 'the files of the workspace';

/** What has changed about the subjects of a question, as text. */
export function changesBetween(before: Json, after: Json): string {
  const [was, is] = [leaves(before), leaves(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).sort();
  const words = names.map((name) => {
    return `${name} ${!was.has(name) ? 'is new' : !is.has(name) ? 'is gone' : 'changed'}${name === TREE ? filesIn(after) : ''}`;
  });
  return `changed since it was shown: ${words.slice(0, CHANGES_MAX).join(', ')}${words.length > CHANGES_MAX ? ` and ${words.length - CHANGES_MAX} more` : ''}`;
}

/** Which files differ from those that the checks passed. */
function filesIn(subjects: Json): string {
  const tree = isJsonObject(subjects) ? subjects.tree : undefined;
  const stale = isJsonObject(tree) && Array.isArray(tree.stale) ? tree.stale.filter(isJsonObject) : [];
  const words = stale.map(
    ({ step, files }) => `since "${String(step)}": ${Array.isArray(files) ? files.slice(0, CHANGES_MAX).join(', ') : ''}`,
  );
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/** Subjects by the name that people know: `pull request 7`, `src/a.ts`. */
function leaves(subjects: Json): Map<string, string> {
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
  const record = JUDGED_TREES.of(at.path);
  return {
    ...(typeof id === 'string'
      ? { approved: record.with({ tree: id, by: 'approval', step: at.step, at: at.now }), refused: record.removed() }
      : {}),
    ...(typeof head === 'string' ? { output: { approved_head: head } } : {}),
  };
}
