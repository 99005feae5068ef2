// Owns the diff at an approval: what the work changed, according to git, and what is new since the person last looked.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../base/error.ts';
import type { PendingApproval } from '../../control/approvals.ts';
import { agoText } from '../../control/time-text.ts';
import { readSubjects } from '../../definition/question/subjects.ts';
import { git } from '../../process/git.ts';
import { changesOfTrees, diffOfTrees, TreeReader } from '../../process/git-tree.ts';
import { CACHES } from '../../steps/workspace/workspace-tree.ts';
import type { Store } from '../../store/store.ts';
import { nearestParent } from '../project.ts';
import type { Shell } from '../shell.ts';
import { counted, firstNames, oneLine } from '../terminal.ts';
import type { ApprovalDiff } from './diff-lines.ts';
import { type ApprovalSetup, type ApprovalView, contentOf, lastView, recordView } from './last-view.ts';

const FILES_SHOWN = 5;

/** An approval, and where to find its work. */
export interface DiffSource {
  readonly shell: Shell;
  readonly setup: ApprovalSetup;
  readonly store: Store;
  readonly asked: PendingApproval;
}

/** Whether the work is in a git checkout, so that there can be a diff. */
export async function hasDiff(source: DiffSource): Promise<boolean> {
  const { folder } = await workspaceOf(source);
  return nearestParent(folder, (parent) => existsSync(join(parent, '.git'))) !== undefined;
}

/** The diff of an approval: all of the work, or what changed since `view`. */
export async function readDiff(source: DiffSource, view?: ApprovalView): Promise<ApprovalDiff> {
  if (view !== undefined && view.tree === undefined)
    return { title: `the content that you saw ${momentText(view.at)} was not kept; --diff shows all of the work` };
  try {
    const { folder, from } = await workspaceOf(source);
    const subjects = readSubjects(source.asked.approval.subjects);
    const paths = Object.keys('problem' in subjects ? {} : (subjects.files ?? {}));
    const now = contentOf(source.asked).tree ?? (await currentTree(folder));
    const base = view?.tree ?? from ?? (await headCommit(folder));
    if (now === undefined || base === undefined) return { title: 'there is no commit to compare with' };
    const before = view?.tree ?? (await mergeBase(folder, base, now));
    recordView(source.shell, source.setup, { asked: source.asked, content: { ...contentOf(source.asked), tree: now } });
    const text = await diffOfTrees(folder, { before, after: now, paths });
    const since = view === undefined ? `since commit ${before.slice(0, 12)}` : `since you looked ${momentText(view.at)}`;
    return { title: `${text === '' ? 'nothing changed' : 'changes'} ${since}`, text };
  } catch (error) {
    return { title: `the diff could not be read: ${oneLine(messageOf(error))}` };
  }
}

/** The commit to compare with: the branch may have moved on since the work started. */
async function mergeBase(folder: string, base: string, now: string): Promise<string> {
  const found = await git(folder, ['merge-base', base, now]);
  return found.ok ? found.stdout.trim() : base;
}

async function workspaceOf({ setup, store, asked }: DiffSource) {
  const { origin } = await store.load(asked.run);
  return { folder: origin.workspace ?? setup.project.root, from: origin.head?.from };
}

async function currentTree(folder: string): Promise<string | undefined> {
  const reader = await TreeReader.open(folder, () => CACHES);
  if (reader === undefined) return undefined;
  try {
    return await reader.read(await reader.list());
  } finally {
    await reader.close();
  }
}

async function headCommit(folder: string): Promise<string | undefined> {
  const answer = await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return answer.ok ? answer.stdout.trim() : undefined;
}

/** What changed since this user last saw the approval, as a line; undefined if they have not seen it, or nothing changed. */
export async function newSinceView(source: DiffSource): Promise<{ readonly view: ApprovalView; readonly line: string } | undefined> {
  const { shell, setup, asked } = source;
  const view = lastView(shell, setup, asked);
  if (view === undefined) return undefined;
  const changed = await changedFiles(source, view);
  if (changed === undefined || changed.length === 0) return undefined;
  const count = counted(changed.length, 'file');
  return { view, line: `changed since you looked ${momentText(view.at)}: ${count}: ${firstNames(changed.map(oneLine), FILES_SHOWN)}` };
}

function momentText(at: number): string {
  const text = agoText(at);
  return text === 'now' ? 'a moment ago' : text;
}

async function changedFiles(source: DiffSource, view: ApprovalView): Promise<readonly string[] | undefined> {
  const now = contentOf(source.asked);
  if (now.tree !== undefined && view.tree !== undefined) {
    if (now.tree === view.tree) return [];
    const { folder } = await workspaceOf(source);
    // If git has removed the old objects, it is only known that the trees differ.
    return (await changesOfTrees(folder, view.tree, now.tree).catch(() => [])).map(({ path }) => path);
  }
  if (now.files === undefined || view.files === undefined) return undefined;
  const [before, after] = [view.files, now.files];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => JSON.stringify(before[path]) !== JSON.stringify(after[path]),
  );
}
