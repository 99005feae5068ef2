// Owns the diff at an approval: what the work changed, according to git, and what is new since the person last looked.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../base/error.ts';
import type { PendingApproval } from '../../control/approvals.ts';
import { agoText } from '../../control/time-text.ts';
import { readSubjects } from '../../definition/question/subjects.ts';
import { git } from '../../process/git.ts';
import { changesOfTrees, diffOfTrees, TreeReader } from '../../process/git-tree.ts';
import { CACHES } from '../../steps/workspace/workspace-tree.ts';
import type { Store } from '../../store/store.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import type { ApprovalDiff } from './diff-lines.ts';
import { type ApprovalLook, type ApprovalPlace, lastLook, recordLook, seenOf } from './looks.ts';

const FILES_SHOWN = 5;

/** An approval with where its work is. */
export interface DiffSource {
  readonly shell: Shell;
  readonly place: ApprovalPlace;
  readonly store: Store;
  readonly asked: PendingApproval;
}

/** Whether there can be a diff: the work is in a checkout of git. */
export async function hasDiff(source: DiffSource): Promise<boolean> {
  const { folder } = await workspaceOf(source);
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (dirname(at) === at) return false;
  }
}

/** The diff of an approval: all of the work, or with `look` what changed since then. */
export async function readDiff(source: DiffSource, look?: ApprovalLook): Promise<ApprovalDiff> {
  if (look !== undefined && look.tree === undefined)
    return { title: `the content that you saw ${momentText(look.at)} was not kept; --diff shows all of the work`, text: '' };
  try {
    const { folder, from } = await workspaceOf(source);
    const subjects = readSubjects(source.asked.gate.subjects);
    const paths = Object.keys('problem' in subjects ? {} : (subjects.files ?? {}));
    const since = look === undefined ? '' : ` since you looked ${momentText(look.at)}`;
    const now = seenOf(source.asked).tree ?? (await treeNow(folder));
    const base = from ?? (await headOf(folder));
    if (now === undefined || (look === undefined && base === undefined)) return { title: 'there is no commit to compare with', text: '' };
    const before = look?.tree ?? ((await commonBase(folder, base as string, now)) as string);
    recordLook(source.shell, source.place, { asked: source.asked, seen: { ...seenOf(source.asked), tree: now } });
    const text = await diffOfTrees(folder, { before, after: now, paths });
    return { title: `${text === '' ? 'nothing changed' : 'changes'}${since || ` since commit ${before.slice(0, 12)}`}`, text };
  } catch (error) {
    return { title: `the diff could not be read: ${oneLine(messageOf(error))}`, text: '' };
  }
}

/** A pull request may be behind the branch that it was started from. */
async function commonBase(folder: string, base: string, now: string): Promise<string> {
  const found = await git(folder, ['merge-base', base, now]);
  return found.ok ? found.stdout.trim() : base;
}

async function workspaceOf({ place, store, asked }: DiffSource): Promise<{ readonly folder: string; readonly from: string | undefined }> {
  const { origin } = await store.load(asked.run);
  return { folder: origin.workspace ?? place.project.root, from: origin.head?.from };
}

async function treeNow(folder: string): Promise<string | undefined> {
  const reader = await TreeReader.open(folder, () => CACHES);
  if (reader === undefined) return undefined;
  try {
    return await reader.read(await reader.list());
  } finally {
    await reader.close();
  }
}

async function headOf(folder: string): Promise<string | undefined> {
  const answer = await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return answer.ok ? answer.stdout.trim() : undefined;
}

/** What is new since this person last looked, as a line; undefined if they have not, or if nothing is. */
export async function newSinceLook(source: DiffSource): Promise<{ readonly look: ApprovalLook; readonly line: string } | undefined> {
  const { shell, place, asked } = source;
  const look = lastLook(shell, place, asked);
  if (look === undefined) return undefined;
  const changed = await changedSince(source, look);
  if (changed === undefined || changed.length === 0) return undefined;
  const names = changed.slice(0, FILES_SHOWN).map(oneLine).join(', ');
  const more = changed.length > FILES_SHOWN ? ', …' : '';
  const count = `${changed.length} ${changed.length === 1 ? 'file' : 'files'}`;
  return { look, line: `changed since you looked ${momentText(look.at)}: ${count}: ${names}${more}` };
}

function momentText(at: number): string {
  const text = agoText(at);
  return text === 'now' ? 'a moment ago' : text;
}

async function changedSince(source: DiffSource, look: ApprovalLook): Promise<readonly string[] | undefined> {
  const now = seenOf(source.asked);
  if (now.tree !== undefined && look.tree !== undefined) {
    if (now.tree === look.tree) return [];
    const { folder } = await workspaceOf(source);
    // After a cleanup of git's objects, only that they differ is known.
    return (await changesOfTrees(folder, look.tree, now.tree).catch(() => [])).map(({ path }) => path);
  }
  if (now.files === undefined || look.files === undefined) return undefined;
  const [before, after] = [look.files, now.files];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => JSON.stringify(before[path]) !== JSON.stringify(after[path]),
  );
}
