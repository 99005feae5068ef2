// Owns what a person saw when they last looked at an approval: a small file in their state folder. It only helps them to
// see what is new; no decision depends on it, and a file that cannot be read counts as none.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestText } from '../../base/digest.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { PendingApproval } from '../../control/approvals.ts';
import { headIn, readSubjects, treeIn } from '../../definition/question/subjects.ts';
import { userActor } from '../actor.ts';
import type { Shell } from '../shell.ts';

/** What an approval was about when a person looked. */
export interface ApprovalLook {
  readonly at: number;
  /** The tree of the workspace, or the head of the pull request. */
  readonly tree?: string;
  /** The digests of files by their path. */
  readonly files?: Readonly<Record<string, Json>>;
}

/** Where the work of an approval is: the folder of its project, the database, and the person's state folder. */
export interface ApprovalPlace {
  readonly project: { readonly root: string };
  readonly file: string;
  readonly state: string | undefined;
}

const KEPT = 200;

/** What the person of this command saw last of an approval; a later visit of the same step counts as the same one. */
export function lastLook(shell: Shell, place: ApprovalPlace, asked: PendingApproval): ApprovalLook | undefined {
  return readLooks(place).get(keyOf(shell, place, asked));
}

/** Records what the person sees now. */
export function recordLook(
  shell: Shell,
  place: ApprovalPlace,
  { asked, seen }: { readonly asked: PendingApproval; readonly seen: Omit<ApprovalLook, 'at'> },
): void {
  // What a program reads is not a look of a person.
  if (place.state === undefined || Object.keys(seen).length === 0 || !shell.isInteractive) return;
  const looks = readLooks(place);
  const key = keyOf(shell, place, asked);
  const before = looks.get(key);
  const isSame = before?.tree !== undefined && JSON.stringify(before.files) === JSON.stringify(seen.files);
  looks.delete(key);
  looks.set(key, { ...(isSame ? { tree: before.tree } : {}), ...seen, at: Date.now() });
  const file = fileOf(place.state);
  try {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries([...looks].slice(-KEPT))), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next look is then compared with an earlier one, or with none.
  }
}

/** What an approval is about now, to compare with a later look. */
export function seenOf({ gate }: PendingApproval): Omit<ApprovalLook, 'at'> {
  const subjects = readSubjects(gate.subjects);
  if ('problem' in subjects) return {};
  const { tree, files } = subjects;
  return present({ tree: tree === undefined ? headIn(subjects) : treeIn(subjects)?.id, files });
}

function keyOf(shell: Shell, place: ApprovalPlace, { run, gate }: PendingApproval): string {
  return digestText(JSON.stringify([place.file, run, gate.step, userActor(shell)])).slice(0, 32);
}

function readLooks({ state }: ApprovalPlace): Map<string, ApprovalLook> {
  if (state === undefined) return new Map();
  try {
    const read = JSON.parse(readFileSync(fileOf(state), 'utf8')) as Json;
    const entries = Object.entries(isJsonObject(read) ? read : {}).filter(([, look]) => isJsonObject(look) && typeof look.at === 'number');
    return new Map(entries as unknown as [string, ApprovalLook][]);
  } catch {
    return new Map();
  }
}

function fileOf(state: string): string {
  return join(state, 'looks.json');
}
