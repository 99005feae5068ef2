// Protects the files that decide what a gate's command runs, in a flow. The gates of a flow are known only when it reaches
// them, so each agent's changes are recorded as two trees, and the gate checks whether they affect its commands. Reverted
// and allowed changes do not count.

import { checksIn } from '../../definition/check.ts';
import { git } from '../../process/git.ts';
import { entriesBetween, TreeError } from '../../process/git-tree.ts';
import { CHANGED } from '../run-records.ts';
import type { Job, Work } from '../work.ts';
import { matches } from '../workspace/glob.ts';
import { treeNow } from '../workspace/workspace-tree.ts';
import { partOf } from './file-part.ts';
import { commandsIn, type GateCommand, gateGuards } from './gate-files.ts';
import { type Guard, gitFolder } from './protected-files.ts';
import { isGuarded } from './protected-guards.ts';

/** The changes of an agent, between two trees. */
export interface AgentChange {
  readonly step: string;
  readonly from: string;
  readonly tree: string;
  readonly mayChange: readonly string[];
}

/** Runs the work of an agent; in a flow in a git checkout, its changes are recorded. */
export async function recordChanges(job: Job, work: () => Promise<Work> | Work): Promise<Work> {
  const { activation, sideWork, bound, want, workflow } = job.request;
  if (workflow.definition.form !== 'flow' || sideWork !== undefined || want !== 'execute') return await work();
  const from = await treeId(job);
  const done = await work();
  const tree = from === undefined || job.request.signal.aborted ? undefined : await treeId(job);
  if (from === undefined || tree === undefined || from === tree) return done;
  const change = { step: bound.model.id, from, tree, mayChange: [...(bound.model.mayChange ?? [])] };
  return { ...done, remember: { ...done.remember, ...CHANGED.of(activation).with(change) } };
}

async function treeId(job: Job): Promise<string | undefined> {
  if ((await gitFolder(job.runner.services.cwd)) === undefined) return undefined;
  try {
    return (await treeNow(job))?.id;
  } catch (thrown) {
    if (thrown instanceof TreeError) return undefined;
    throw thrown;
  }
}

/** The files that decide what a gate's commands run on this tree and that agents of a flow changed, with the steps. */
export async function tamperedFiles(job: Job, tree: string | undefined): Promise<string[]> {
  const changes = CHANGED.allIn(job.context.snapshot.data);
  const { model } = job.request.bound;
  const commands = changes.length === 0 ? [] : commandsIn(checksIn(model));
  if (commands.length === 0) return [];
  if (tree === undefined) throw new TreeError('the workspace is not in a git checkout any more');
  const { cwd } = job.runner.services;
  const prefix = await git(cwd, ['rev-parse', '--show-prefix']);
  const search = new TamperedFileSearch(cwd, prefix.ok ? prefix.stdout.trim() : '');
  const found = new Set<string>();
  for (const change of changes)
    for (const path of await search.filesIn(change, { tree, commands })) found.add(`${path} (by "${change.step}")`);
  return [...found].sort();
}

/** The patterns that the agents of a flow that changed files were allowed to change. */
export function changesAllowed(job: Job): string[] {
  return CHANGED.allIn(job.context.snapshot.data).flatMap(({ mayChange }) => mayChange);
}

class TamperedFileSearch {
  private readonly cwd: string;
  private readonly prefix: string;

  constructor(cwd: string, prefix: string) {
    this.cwd = cwd;
    this.prefix = prefix;
  }

  async filesIn(
    { from, tree: after, mayChange }: AgentChange,
    { tree, commands }: { readonly tree: string; readonly commands: readonly GateCommand[] },
  ): Promise<string[]> {
    const guards = await gateGuards(commands, (path) => this.text(from, path));
    const found: string[] = [];
    for (const { path: whole } of await entriesBetween(this.cwd, from, after)) {
      if (!whole.startsWith(this.prefix)) continue;
      const path = whole.slice(this.prefix.length);
      const matching = mayChange.some((pattern) => matches(path, pattern)) ? [] : guards.filter((guard) => isGuarded(path, guard));
      if (matching.length === 0) continue;
      const [before, now] = [await this.text(from, path), await this.text(tree, path)];
      if (matching.some((guard) => differs(guard, before, now))) found.push(path);
    }
    return found;
  }

  private async text(tree: string, path: string): Promise<string | undefined> {
    const answer = await git(this.cwd, ['cat-file', 'blob', `${tree}:${this.prefix}${path}`]);
    return answer.ok ? answer.stdout : undefined;
  }
}

function differs({ part, isClosed }: Guard, before: string | undefined, now: string | undefined): boolean {
  if (part === 'link' || (before === undefined && isClosed !== true) || (part === 'python-module' && before !== undefined)) return false;
  const counts = (text: string | undefined): string | undefined => (text === undefined || part === undefined ? text : partOf(text, part));
  return counts(before) !== counts(now);
}
