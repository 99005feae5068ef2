// Owns the state of the GitHub of the tests: the data of a repository besides git, in memory, with times in whole seconds
// as at GitHub.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Permission } from '../../src/forge/forge.ts';
import { createLocalGit, type LocalGit } from '../../src/forge/local/git.ts';

/** The repository of the tests. */
export const OWNER = 'octo';
export const NAME = 'project';

/** An issue or a pull request. */
export interface Item {
  readonly number: number;
  readonly pull?: Pull;
  title: string;
  body: string;
  open: boolean;
  readonly user: string;
  labels: string[];
  assignees: string[];
  milestone: string | null;
  readonly createdAt: string;
  updatedAt: string;
}

/** The part of a pull request that an issue does not have. */
export interface Pull {
  readonly head: string;
  readonly base: string;
  headSha: string;
  baseSha: string;
  /** The owner of the head's repository. */
  readonly from: string;
  draft: boolean;
  mergeSha: string | null;
  merged: boolean;
  reviewers: string[];
}

/** A pull request. */
export type PullItem = Item & { readonly pull: Pull };

/** A reaction to a comment. */
export interface StoredReaction {
  readonly id: number;
  readonly comment: number;
  readonly user: string;
  readonly content: string;
  readonly createdAt: string;
}

/** A comment. */
export interface StoredComment {
  readonly id: number;
  readonly number: number;
  readonly user: string;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
}

/** A review. */
export interface StoredReview {
  readonly id: number;
  readonly number: number;
  readonly user: string;
  readonly body: string;
  state: string;
  readonly sha: string;
  readonly at: string;
}

/** A check run. */
export interface StoredCheck {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  readonly app: string;
  readonly suite: number;
  status: string;
  conclusion: string | null;
  completedAt: string | null;
}

/** An event of an issue. */
export interface StoredEvent {
  readonly id: number;
  readonly event: string;
  readonly number: number;
  readonly actor: string;
  readonly at: string;
  readonly label?: string;
}

/** A webhook, with its deliveries, oldest first. */
export interface StoredHook {
  readonly id: number;
  readonly url: string;
  contentType: string;
  active: boolean;
  readonly events: readonly string[];
  readonly deliveries: { id: number; guid: string; delivered_at: string; event: string; status: string; status_code: number }[];
}

/** Everything that the server holds. */
export class GitHubState {
  readonly items = new Map<number, Item>();
  readonly comments: StoredComment[] = [];
  readonly reactions: StoredReaction[] = [];
  readonly reviews: StoredReview[] = [];
  readonly checks: StoredCheck[] = [];
  readonly statuses: { sha: string; context: string; state: string; description: string | null; id?: number; at?: string }[] = [];
  readonly events: StoredEvent[] = [];
  readonly hooks: StoredHook[] = [];
  readonly discussions: { number: number; id: string; title: string; replies: { id: string; user: string; body: string }[] }[] = [];
  readonly workflowRuns: { suite: number; name: string; sha: string }[] = [];
  readonly accounts = new Map<string, { permission: Permission; bot: boolean }>();
  readonly teams = new Map<string, string[]>();
  readonly required = new Map<string, string[]>();
  /** The branches with a merge queue, and the pull requests in it, by number. */
  readonly queues = new Map<string, number[]>();
  /** How often a head entered a queue, and the message with which GitHub rejects it. */
  enqueued = 0;
  queueRefusal: string | undefined;
  /** Whom a token stands for. */
  readonly tokens = new Map<string, string>();
  readonly git: LocalGit;
  readonly folder: string;
  defaultBranch = 'main';
  /** The name of the repository; another one after it was renamed. */
  name = NAME;
  /** How far the server's clock is ahead, for tokens that run out. */
  aheadMs = 0;
  /** Whether the owner archived the repository: nothing can be written. */
  archived = false;
  /** How many reads of a pull request say that its mergeability is not known yet. */
  unknownMergeability = 0;
  /** Why GitHub rejects every merge, such as a rule of the branch. */
  mergeRefusal: string | undefined;
  private lastId = 1000;
  private lastNumber = 0;

  constructor(folder: string) {
    this.folder = folder;
    this.git = createLocalGit(folder, Date.now);
  }

  id(): number {
    this.lastId += 1;
    return this.lastId;
  }

  addDiscussion(title: string): { readonly number: number } {
    this.lastNumber += 1;
    const made = { number: this.lastNumber, id: `D_${this.id()}`, title, replies: [] };
    this.discussions.push(made);
    return made;
  }

  /** A new issue or pull request. */
  add(item: Omit<Item, 'number' | 'open' | 'assignees' | 'milestone' | 'createdAt' | 'updatedAt' | 'labels'>): Item {
    this.lastNumber += 1;
    const at = stamp();
    const made: Item = {
      ...item,
      number: this.lastNumber,
      open: true,
      labels: [],
      assignees: [],
      milestone: null,
      createdAt: at,
      updatedAt: at,
    };
    this.items.set(made.number, made);
    return made;
  }

  record(item: Item, event: string, { actor, label }: { readonly actor: string; readonly label?: string }): void {
    this.touch(item);
    this.events.push({ id: this.id(), event, number: item.number, actor, at: stamp(), ...(label === undefined ? {} : { label }) });
  }

  touch(item: Item): void {
    item.updatedAt = stamp();
  }

  account(login: string): { permission: Permission; bot: boolean } {
    return this.accounts.get(login.toLowerCase()) ?? { permission: 'write', bot: false };
  }

  /** The head of a branch, read from its file: the server asks for it at every request. */
  headOf(branch: string): string | undefined {
    const file = join(this.folder, 'refs', 'heads', branch);
    return existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8').trim() : undefined;
  }

  /** Updates the heads of open pull requests from git, as GitHub does after a push. */
  async refresh(): Promise<void> {
    const open = [...this.items.values()].filter(({ open: isOpen, pull }) => isOpen && pull?.from === OWNER);
    if (open.length === 0) return;
    for (const item of open) {
      const { pull } = item;
      const head = pull === undefined ? undefined : this.headOf(pull.head);
      if (pull === undefined || head === undefined || head === pull.headSha) continue;
      pull.headSha = head;
      this.touch(item);
      await this.git.setRef(`refs/pull/${item.number}/head`, head);
    }
  }
}

/** The current time as GitHub writes it. */
export function stamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
