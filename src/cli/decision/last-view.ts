// Owns the record of what a person last saw of each approval, a small file in their state folder. It only serves to show
// what is new: no decision depends on it, and a file that cannot be read is ignored.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestText } from '../../base/digest.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { PendingApproval } from '../../control/approvals.ts';
import { headIn, readSubjects, treeIn } from '../../definition/question/subjects.ts';
import type { Shell } from '../shell.ts';

/** The content of an approval when a person saw it. */
export interface ApprovalView {
  readonly at: number;
  /** The tree of the workspace, or the head commit of the pull request. */
  readonly tree?: string;
  readonly files?: Readonly<Record<string, Json>>;
}

/** The project of an approval, its database, and the person's state folder. */
export interface ApprovalSetup {
  readonly project: { readonly root: string };
  readonly file: string;
  readonly state: string | undefined;
}

const VIEWS_MAX = 200;

/** What this user last saw of an approval; later visits of the step share the record. */
export function lastView(shell: Shell, setup: ApprovalSetup, asked: PendingApproval): ApprovalView | undefined {
  return readViews(setup).get(keyOf(shell, setup, asked));
}

/** Records what this user sees now. */
export function recordView(
  shell: Shell,
  setup: ApprovalSetup,
  { asked, content }: { readonly asked: PendingApproval; readonly content: Omit<ApprovalView, 'at'> },
): void {
  // Without a terminal, a program reads the approval, not a person.
  if (setup.state === undefined || Object.keys(content).length === 0 || !shell.isInteractive) return;
  const views = readViews(setup);
  const key = keyOf(shell, setup, asked);
  const before = views.get(key);
  const isSame = before?.tree !== undefined && JSON.stringify(before.files) === JSON.stringify(content.files);
  views.delete(key);
  views.set(key, { ...(isSame ? { tree: before.tree } : {}), ...content, at: Date.now() });
  const file = fileOf(setup.state);
  try {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries([...views].slice(-VIEWS_MAX))), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next view is then compared with an older one.
  }
}

/** The current content of an approval, to compare with later. */
export function contentOf({ approval }: PendingApproval): Omit<ApprovalView, 'at'> {
  const subjects = readSubjects(approval.subjects);
  if ('problem' in subjects) return {};
  const { tree, files } = subjects;
  return omitUndefined({ tree: tree === undefined ? headIn(subjects) : treeIn(subjects)?.id, files });
}

function keyOf(shell: Shell, setup: ApprovalSetup, { run, approval }: PendingApproval): string {
  return digestText(JSON.stringify([setup.file, run, approval.step, shell.actor])).slice(0, 32);
}

function readViews({ state }: ApprovalSetup): Map<string, ApprovalView> {
  if (state === undefined) return new Map();
  try {
    const read = JSON.parse(readFileSync(fileOf(state), 'utf8')) as Json;
    const entries = Object.entries(isJsonObject(read) ? read : {}).filter(([, view]) => isJsonObject(view) && typeof view.at === 'number');
    return new Map(entries as unknown as [string, ApprovalView][]);
  } catch {
    return new Map();
  }
}

function fileOf(state: string): string {
  return join(state, 'looks.json');
}
