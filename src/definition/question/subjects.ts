// Owns the observed state of the outside subjects of a question, as a run stores it: files, a pull request, the tree of
// the workspace.

import { isJsonObject, type Json } from '../../base/json.ts';

/** Why something is not known. */
export type Problem = { readonly problem: string };

/** The subjects of a question as they were observed, or why they could not be. */
export type Subjects = Problem | SeenSubjects;

/** Each subject that the question has, or why it could not be read. */
export type SeenSubjects = {
  /** Digests of files by path. */
  readonly files?: Readonly<Record<string, string | Problem>>;
  readonly pr?: { readonly number: number; readonly head: string } | ({ readonly number: number } & Problem);
  readonly tree?: SeenTree | Problem;
};

/** The tree of the workspace, and which verdicts are about another one by now. */
type SeenTree = { readonly id: string; readonly stale?: readonly StaleVerdict[] };

/** The step of a verdict, and which files have changed since. */
type StaleVerdict = { readonly step: string; readonly files: readonly string[] };

/** The subjects that a run has stored; none where the value was left out. */
export function readSubjects(stored: Json | undefined): Subjects {
  // Only `observeSubjects` and the failure to do so are stored there.
  return stored !== undefined && isJsonObject(stored) && !('$omitted' in stored) ? (stored as Subjects) : {};
}

/** The tree of the workspace among subjects, if it could be read. */
export function treeIn(subjects: Subjects): SeenTree | undefined {
  return 'problem' in subjects || subjects.tree === undefined || 'problem' in subjects.tree ? undefined : subjects.tree;
}

/** The head of the pull request among subjects, if it could be read. */
export function headIn(subjects: Subjects): string | undefined {
  return 'problem' in subjects || subjects.pr === undefined || 'problem' in subjects.pr ? undefined : subjects.pr.head;
}
