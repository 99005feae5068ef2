// Owns the interface between a forge and its contract suite: the forge, and functions to act as its people and its CI.

import type { CheckRun, Forge, ForgeAnswer, ForgeApproval, Permission } from '../../forge/forge.ts';

/** A forge that was opened for one test, with an empty list of issues and a default branch that has one commit. */
export interface ForgeStage {
  readonly forge: Forge;
  /** The same forge as another process sees it; closed by the stage. */
  reopen(): Promise<Forge>;
  /** Commits files on a branch, which is made from the default branch if it is new. Gives the commit. */
  commit(branch: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** The text of a file at the head of a branch; undefined where there is no such branch or file. */
  read(branch: string, path: string): Promise<string | undefined>;
  /** A person with write access reviews the current head. */
  review(pr: number, actor: string, state: ForgeApproval['state']): Promise<void>;
  /** CI reports on a branch's head. */
  check(branch: string, check: CheckRun): Promise<void>;
  /** Somebody comments. Gives the id of the comment. */
  comment(number: number, actor: string, body: string): Promise<string>;
  /** What people see as reactions to a comment: who, and which. */
  reactions(comment: string): Promise<readonly { readonly actor: string; readonly reaction: string }[]>;
  /** An account gets rights here, or is a program. */
  account(login: string, account: { readonly permission?: Permission; readonly bot?: boolean }): Promise<void>;
  /** A team gets members. */
  team(name: string, people: readonly string[]): Promise<void>;
  /** Somebody assigns people, or sets a milestone. */
  assign(number: number, assignment: { readonly people?: readonly string[]; readonly milestone?: string }): Promise<void>;
  /** Somebody protects a branch: these checks have to be green. */
  requireChecks(branch: string, names: readonly string[]): Promise<void>;
  /** Somebody opens a discussion. Gives its number. */
  discussion(title: string): Promise<number>;
  /** The forge takes no requests until a time, in whole seconds; 0 ends it. */
  limit(until: number): Promise<void>;
  /** A clone of the repository, in a separate folder; the forge is not asked. */
  clone(): Promise<StageClone>;
  /** Somebody opens a pull request from a branch of their fork, with one new file that is named after the branch. */
  openFromFork(branch: string): Promise<{ readonly number: number; readonly head: string }>;
  close(): Promise<void>;
}

/** A clone in which somebody works. */
export interface StageClone {
  readonly folder: string;
  /** Commits files on what is checked out, and gives the commit. Nothing is pushed. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
  /** Runs git there and gives what it prints. */
  git(...args: readonly string[]): Promise<string>;
}

/** The value of an answer, or a failed test. */
export function valueIn<T>(answer: ForgeAnswer<T>): T {
  if (answer.result !== 'ok') throw new Error(`the forge answered ${answer.result}: ${answer.message}`);
  return answer.value;
}

/** Opens a pull request from a branch with one new file, and gives its number and head. */
export async function openSample({ forge, commit }: ForgeStage, branch: string): Promise<{ number: number; head: string }> {
  const head = await commit(branch, { [`${branch}.txt`]: `${branch}\n` });
  const { defaultBranch: base } = valueIn(await forge.repository());
  const request = { title: `Add ${branch}`, body: 'As discussed.', head: branch, base };
  return { number: valueIn(await forge.openPullRequest(request, `open-${branch}`)).number, head };
}
