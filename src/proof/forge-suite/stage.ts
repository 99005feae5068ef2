// Owns the interface between a forge and its contract suite: the forge, and functions to act as its people and its CI.

import type { CheckRun, Forge, ForgeAnswer, ForgeApproval, Permission } from '../../forge/forge.ts';

/** A forge that was opened for one test, with an empty list of issues and a default branch that has one commit. */
export interface ForgeStage {
  readonly forge: Forge;
  /** The same forge as another process sees it; closed by the stage. */
  reopen(): Promise<Forge>;
  /** Commits files on a branch, which is created from the default branch if it is new. Returns the commit. */
  commit(branch: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** The text of a file at the head of a branch; undefined if there is no such branch or file. */
  read(branch: string, path: string): Promise<string | undefined>;
  /** A person with write access reviews the current head. */
  review(pr: number, actor: string, state: ForgeApproval['state']): Promise<void>;
  /** CI reports on a branch's head. */
  check(branch: string, check: CheckRun): Promise<void>;
  /** A person comments. Returns the id of the comment. */
  comment(number: number, actor: string, body: string): Promise<string>;
  /** The reactions to a comment: who, and which. */
  reactions(comment: string): Promise<readonly { readonly actor: string; readonly reaction: string }[]>;
  /** Gives an account rights, or marks it as a program. */
  account(login: string, account: { readonly permission?: Permission; readonly bot?: boolean }): Promise<void>;
  /** Sets the members of a team. */
  team(name: string, people: readonly string[]): Promise<void>;
  /** A person assigns people, or sets a milestone. */
  assign(number: number, assignment: { readonly people?: readonly string[]; readonly milestone?: string }): Promise<void>;
  /** A person protects a branch: these checks must succeed. */
  requireChecks(branch: string, names: readonly string[]): Promise<void>;
  /** A person opens a discussion. Returns its number. */
  discussion(title: string): Promise<number>;
  /** The forge rejects all requests until this time, in whole seconds; 0 ends the outage. */
  limit(until: number): Promise<void>;
  /** A clone of the repository, in a separate folder, without a request to the forge. */
  clone(): Promise<StageClone>;
  /** A person opens a pull request from a branch of their fork, with one new file that is named after the branch. */
  openFromFork(branch: string): Promise<{ readonly number: number; readonly head: string }>;
  close(): Promise<void>;
}

/** A clone in which a person works. */
export interface StageClone {
  readonly folder: string;
  /** Commits files on what is checked out, and returns the commit. Nothing is pushed. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
  /** Runs git there, and returns its output. */
  git(...args: readonly string[]): Promise<string>;
}

/** The value of an answer, or a failed test. */
export function valueIn<T>(answer: ForgeAnswer<T>): T {
  if (answer.result !== 'ok') throw new Error(`the forge answered ${answer.result}: ${answer.message}`);
  return answer.value;
}

/** Opens a pull request from a branch with one new file, and returns its number and head. */
export async function openSample({ forge, commit }: ForgeStage, branch: string): Promise<{ number: number; head: string }> {
  const head = await commit(branch, { [`${branch}.txt`]: `${branch}\n` });
  const { defaultBranch: base } = valueIn(await forge.repository());
  const request = { title: `Add ${branch}`, body: 'As discussed.', head: branch, base };
  return { number: valueIn(await forge.openPullRequest(request, `open-${branch}`)).number, head };
}
