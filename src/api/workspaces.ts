// Decides where the runs of an engine work: a triggered run with driven agents gets its own worktree, so that it and
// the people's checkout do not disturb each other. An attended run works in place. A run about a pull request works on
// its head, fetched from the forge; it does not start without it.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { JsonObject } from '../base/json.ts';
import type { Forge, PullRequestFacts } from '../forge/forge.ts';
import { addWorktree, checkedOut, checkoutOf, removeWorktree } from '../process/worktree.ts';
import { ATTENDED } from '../steps/run-records.ts';
import type { RunOrigin } from '../store/store.ts';

/** How often to fetch a head that moves meanwhile. */
const FETCHES_MAX = 3;

/** A run that is about to start. */
export interface NewRun {
  readonly id: string;
  readonly origin: RunOrigin;
  readonly facts: JsonObject;
}

/** The location of worktrees, and the forge that knows the branches of pull requests. */
export interface WorkspaceLocation {
  readonly cwd: string;
  readonly folder: string;
  readonly forge: Forge | undefined;
}

/** The worktrees of an engine, each in a folder and on a branch named after its run. */
export class Workspaces {
  private readonly place: WorkspaceLocation;
  /** The worktrees that are being removed. */
  private readonly leaving = new Map<string, Promise<unknown>>();

  constructor(place: WorkspaceLocation) {
    this.place = place;
  }

  /** Returns the worktree of a run that is about to start, and its branch. Returns undefined if it works in place. */
  async prepare({ id, origin, facts }: NewRun): Promise<Pick<RunOrigin, 'workspace' | 'head'> | undefined> {
    const isTriggered = origin.event !== undefined || origin.issue !== undefined || origin.pr !== undefined;
    if (!isTriggered || origin.workspace !== undefined) return undefined;
    const checkout = await checkoutOf(this.place.cwd);
    if (ATTENDED.in(facts) === true) {
      if (checkout !== undefined && origin.pr !== undefined) await this.assertOnHead({ id, checkout, number: origin.pr });
      return undefined;
    }
    if (checkout === undefined) {
      if (origin.pr === undefined || this.place.forge === undefined) return undefined;
      throw noWorkspace(id, `it is about pull request #${origin.pr}, but ${this.place.cwd} is not a git checkout with a commit`);
    }
    const pr = origin.pr === undefined ? undefined : await this.fetchHead({ id, checkout, number: origin.pr });
    const { workspace, at } = await this.make(id, checkout, pr?.headSha);
    const local = branchOf(id);
    const tied =
      pr === undefined ? { branch: local } : { branch: pr.headBranch, pr: pr.number, ...(pr.fork ? { fork: true as const } : {}) };
    return { workspace, head: { local, from: at, ...tied } };
  }

  /** Restores the worktree of an earlier run, with its commits. */
  async restore(workspace: string): Promise<void> {
    await this.leaving.get(workspace);
    if (existsSync(workspace)) return;
    const checkout = await checkoutOf(this.place.cwd);
    if (checkout !== undefined) await this.make(basename(workspace), checkout, undefined);
  }

  private async make(id: string, checkout: string, from: string | undefined): Promise<{ readonly workspace: string; readonly at: string }> {
    const workspace = join(this.place.folder, id);
    const made = await addWorktree({ checkout, folder: workspace, branch: branchOf(id), ...omitUndefined({ from }) });
    if ('problem' in made) throw noWorkspace(id, `git could not create the worktree ${workspace}: ${made.problem}`);
    return { workspace, at: made.at };
  }

  /** An attended agent works in its own checkout, which must have the head. */
  private async assertOnHead({ id, checkout, number }: Fetching): Promise<void> {
    const { forge } = this.place;
    if (forge === undefined) return;
    const [pr, found] = [await forge.pullRequest(number), await checkedOut(checkout)];
    if (pr.result !== 'ok')
      throw noWorkspace(id, `it is about pull request #${number}, which the ${forge.name} forge could not read: ${pr.message}`);
    const { headSha, headBranch } = pr.value;
    if (found?.sha === headSha) return;
    throw noWorkspace(
      id,
      `it is about pull request #${number}, but ${checkout} is at ${found?.sha} instead of its head ${headSha}; check out "${headBranch}" at that commit first`,
    );
  }

  /** Fetches the head of a pull request into the checkout, by its commit. */
  private async fetchHead({ id, checkout, number }: Fetching): Promise<PullRequestFacts> {
    const { forge } = this.place;
    const about = `it is about pull request #${number}`;
    if (forge === undefined) throw noWorkspace(id, `${about}, but no forge is configured; set "forge" in .pawl/config.yaml`);
    let problem = '';
    for (let round = 0; round < FETCHES_MAX; round += 1) {
      const pr = await forge.pullRequest(number);
      if (pr.result !== 'ok') throw noWorkspace(id, `${about}, which the ${forge.name} forge could not read: ${pr.message}`);
      const { fetchRef: ref, headSha: sha } = pr.value;
      const fetched = await forge.fetch({ folder: checkout, ref, sha });
      if (fetched.result === 'ok') return pr.value;
      problem = `${about}, but its head ${sha} could not be fetched from ${ref}: ${fetched.message}`;
      if (fetched.result !== 'stale_head') break;
    }
    throw noWorkspace(id, problem);
  }

  /** Called when the run has ended: removes its worktree, unless it has uncommitted changes. */
  retire(run: string): void {
    const path = join(this.place.folder, run);
    if (!existsSync(path)) return;
    const branch = branchOf(run);
    const gone = removeWorktree({ folder: path, branch, isNeeded: () => this.hasPullRequest(branch) }).catch(() => undefined);
    this.leaving.set(path, gone);
    gone.finally(() => this.leaving.delete(path));
  }

  /** Whether a pull request is open from a branch. If the forge cannot answer, it may be. */
  private async hasPullRequest(branch: string): Promise<boolean> {
    const found = await this.place.forge?.pullRequestsFrom(branch);
    return found !== undefined && (found.result !== 'ok' || found.value.length > 0);
  }

  /** Resolves when no removal is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.leaving.values());
  }
}

interface Fetching {
  readonly id: string;
  readonly checkout: string;
  readonly number: number;
}

function branchOf(run: string): string {
  return `pawl/${run}`;
}

function noWorkspace(run: string, why: string): EngineError {
  return new EngineError('WORKSPACE_FAILED', `run ${run} was not started because it has no workspace: ${why}`, { details: { run } });
}
