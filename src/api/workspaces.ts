// Owns where the runs of an engine work: one that was triggered, and that agents are driven in, gets a worktree of its
// own, so that it neither disturbs what people have checked out nor is disturbed by it. An attended run works in place.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EngineError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import type { Forge } from '../forge/forge.ts';
import { addWorktree, checkoutOf, removeWorktree } from '../process/worktree.ts';
import { ATTENDED } from '../steps/handover.ts';
import type { RunOrigin } from '../store/store.ts';

/** A run that is about to start. */
export interface Beginning {
  readonly id: string;
  readonly origin: RunOrigin;
  readonly facts: JsonObject;
}

/** Where worktrees belong and lie, and who knows the branches of pull requests. */
export interface WorkspacePlace {
  readonly cwd: string;
  readonly folder: string;
  readonly forge: Forge | undefined;
}

/** The worktrees of an engine, each in a folder and on a branch named after its run. */
export class Workspaces {
  private readonly place: WorkspacePlace;
  /** The worktrees that are being removed. */
  private readonly leaving = new Map<string, Promise<unknown>>();

  constructor(place: WorkspacePlace) {
    this.place = place;
  }

  /** The worktree of a run that is about to start; undefined where it works in place. */
  async prepare({ id, origin, facts }: Beginning): Promise<string | undefined> {
    const isTriggered = origin.event !== undefined || origin.issue !== undefined || origin.pr !== undefined;
    if (!isTriggered || facts[ATTENDED] === true || origin.workspace !== undefined) return undefined;
    return this.make(id, await this.headOf(origin));
  }

  /** Sees to it that the worktree of an earlier run is there again, with what was committed in it. */
  async restore(workspace: string): Promise<void> {
    await this.leaving.get(workspace);
    if (existsSync(workspace)) return;
    await this.make(basename(workspace), []);
  }

  private async make(id: string, from: readonly string[]): Promise<string | undefined> {
    const { cwd, folder } = this.place;
    const checkout = await checkoutOf(cwd);
    if (checkout === undefined) return undefined;
    const path = join(folder, id);
    const trouble = await addWorktree({ checkout, folder: path, branch: `pawl/${id}`, from });
    if (trouble === undefined) return path;
    throw new EngineError('WORKSPACE_FAILED', `run ${id} has no workspace: git could not make the worktree ${path}: ${trouble}`);
  }

  /** The branch of the pull request that a run is about. */
  private async headOf({ pr }: RunOrigin): Promise<string[]> {
    const answer = pr === undefined ? undefined : await this.place.forge?.pullRequest(pr);
    return answer?.result === 'ok' ? [answer.value.headBranch] : [];
  }

  /** The run has ended: its worktree goes, unless it holds something that nobody committed. */
  retire(run: string): void {
    const path = join(this.place.folder, run);
    if (!existsSync(path)) return;
    const gone = removeWorktree(path).catch(() => undefined);
    this.leaving.set(path, gone);
    gone.finally(() => this.leaving.delete(path));
  }

  /** Resolves when nothing is being removed any more. */
  async settled(): Promise<void> {
    await Promise.all(this.leaving.values());
  }
}
