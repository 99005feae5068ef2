// Describes how the subjects of a question changed since they were shown, and builds the data that an approval adds to
// the run.

import { shortList } from '../base/short-text.ts';
import { headIn, type Subjects, treeIn } from '../definition/question/subjects.ts';
import type { AttemptResult } from './attempt.ts';
import { APPROVED_HEADS, TREE_VERDICTS } from './run-records.ts';

const CHANGES_MAX = 10;
const TREE = 'the files of the workspace';

/** Describes the changes of a question's subjects. */
export function changesBetween(before: Subjects, after: Subjects): string {
  const [was, is] = [namedSubjects(before), namedSubjects(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).sort();
  const words = names.map((name) => {
    return `${name} ${!was.has(name) ? 'is new' : !is.has(name) ? 'was deleted' : 'changed'}${name === TREE ? filesIn(after) : ''}`;
  });
  return `changed since it was shown: ${shortList(words, CHANGES_MAX)}`;
}

/** Lists the files that differ from those that passed the checks. */
function filesIn(subjects: Subjects): string {
  const { stale = [] } = treeIn(subjects) ?? {};
  const words = stale.map(({ step, files }) => `since "${step}": ${files.slice(0, CHANGES_MAX).join(', ')}`);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/** The subjects, by their names in messages: `pull request 7`, `src/a.ts`. */
function namedSubjects(subjects: Subjects): Map<string, string> {
  if ('problem' in subjects) return new Map([['a subject that could not be checked', JSON.stringify(subjects.problem)]]);
  const { pr, files = {}, tree } = subjects;
  const found = new Map<string, string>();
  if (pr !== undefined) found.set(`the head of pull request ${pr.number}`, JSON.stringify(pr));
  if (tree !== undefined) found.set(TREE, JSON.stringify('problem' in tree ? tree.problem : tree.id));
  for (const [path, digest] of Object.entries(files)) found.set(path, JSON.stringify(digest));
  return found;
}

/** The data that a decision about these subjects adds to the run: the approved tree and pull request head. */
export function approvalOf(
  subjects: Subjects,
  at: { readonly path: string; readonly step: string; readonly now: number },
): Omit<Extract<AttemptResult, { type: 'observed' }>, 'type' | 'subjects'> {
  const { id } = treeIn(subjects) ?? {};
  const head = headIn(subjects);
  const record = TREE_VERDICTS.of(at.path);
  const tree = id === undefined ? undefined : record.with({ tree: id, by: 'approval', step: at.step, at: at.now });
  const approvedHead = head === undefined ? undefined : APPROVED_HEADS.of('approved_head').with(head);
  return {
    ...(tree === undefined && approvedHead === undefined ? {} : { approved: { ...tree, ...approvedHead } }),
    ...(tree === undefined ? {} : { refused: record.removed() }),
    ...(head === undefined ? {} : { output: { approved_head: head } }),
  };
}
