// Owns the interface to forges (GitHub and similar): facts to read, actions, and events. Issues and pull requests share
// one sequence of numbers, as they do on GitHub.
//
// FG1. Every outcome of a request is a value; a method rejects only for bugs of ours.
// FG2. An action with a key is done once: repeating it returns the first value, also after a crash. A failure has no
// effect and is not remembered, so the same key can be tried again.
// FG3. Requesting a state that already exists is ok: a label that is there, an issue that is closed, a branch that was
// merged.
// FG4. A merge lands the expected head or nothing.
// FG5. Approvals count for the current head, at most one for each person: their latest review.
// FG6. Text is kept byte for byte. Text that may come from an agent must be disarmed first (`outgoing-text.ts`).
// FG7. A push adds to a branch or creates a new one. It replaces commits only if the branch is still at the commit that
// the caller names, so no work is lost. The forge logs in; agents need no login.
// FG8. A pull request is tied to its head: work on it starts from that commit, fetched by its hash from `fetchRef`.
// FG9. Events have a cursor. Watching from a cursor delivers every later event, also those from before. An
// event keeps its id, so a receiver can process it once.

import { omitUndefined } from '../base/fields.ts';
import type { CONCLUSIONS } from '../definition/forge/conclusion.ts';

/** Why a forge request failed. `message` is for people. */
export type ForgeFailure =
  /** `denied`: missing rights, or against a rule of the forge; a retry does not help. */
  | { readonly result: 'conflict' | 'ci_failure' | 'not_found' | 'denied'; readonly message: string }
  /** A retry may help; from `until` on, in milliseconds since 1970, if the forge or its driver knows a time. */
  | { readonly result: 'unavailable'; readonly message: string; readonly until?: number }
  /** A merge in progress: in a merge queue, or waiting for checks. Repeating the request returns its result. */
  | { readonly result: 'queued'; readonly message: string; readonly until: number }
  /** `head` is where it is now; absent if it no longer exists. */
  | { readonly result: 'stale_head'; readonly message: string; readonly head?: string }
  /** `until` is the time, in milliseconds since 1970, from which a retry makes sense. */
  | { readonly result: 'rate_limited'; readonly message: string; readonly until: number };

/** Whether a failed request may succeed later, and from when on. */
export interface RetryHint {
  readonly isTransient: boolean;
  readonly until?: number;
  /** Set while the forge is working on it: the next event about it is a reason to repeat the request immediately. */
  readonly wakeOnSignal?: true;
}

/** Returns whether and when a failed request may succeed. */
export function retryHintOf({ result, until }: { readonly result: string; readonly until?: number }): RetryHint {
  return {
    isTransient: result === 'unavailable' || result === 'rate_limited' || result === 'queued',
    ...omitUndefined({ until }),
    ...(result === 'queued' ? { wakeOnSignal: true } : {}),
  };
}

/** The result of a forge request. */
export type ForgeAnswer<T> = { readonly result: 'ok'; readonly value: T } | ForgeFailure;

/** Converts the value of an answer; a failure stays. */
export function mapAnswer<T, U>(answer: ForgeAnswer<T>, convert: (value: T) => U): ForgeAnswer<U> {
  return answer.result === 'ok' ? { result: 'ok', value: convert(answer.value) } : answer;
}

/** The facts of a repository. */
export interface RepositoryFacts {
  readonly name: string;
  readonly defaultBranch: string;
  /** Where people see it: `https://github.com/octo/project`. */
  readonly url?: string;
}

/** The facts of an issue. */
export interface IssueFacts {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** In the order in which they were added. */
  readonly labels: readonly string[];
  readonly state: 'open' | 'closed';
  readonly author: string;
  /** Whether the author is a program. */
  readonly bot: boolean;
  readonly assignees: readonly string[];
  /** The title of its milestone. */
  readonly milestone: string | null;
}

/** The facts of a pull request. */
export interface PullRequestFacts extends Omit<IssueFacts, 'state'> {
  readonly state: 'open' | 'closed' | 'merged';
  /** The people who were asked for a review and have not given one. */
  readonly reviewers: readonly string[];
  /** The branch with the changes; in the repository of a fork if `fork` is true. */
  readonly headBranch: string;
  readonly headSha: string;
  /** The ref of this repository from which git can fetch the head, also for forks: `refs/pull/7/head`. */
  readonly fetchRef: string;
  /** Whether the head branch is in another repository. Nothing can be pushed to it from here. */
  readonly fork: boolean;
  /** The repository of the head; undefined if it was deleted, or where repositories have no names. */
  readonly headRepository?: { readonly owner: string; readonly name: string };
  /** A draft cannot be merged. */
  readonly draft: boolean;
  readonly baseBranch: string;
  /** The head of the base branch, unless the branch was deleted; after a merge, the one it was merged into. */
  readonly baseSha?: string;
  /** Null while the forge does not know yet, which is not the same as false. */
  readonly mergeable: boolean | null;
}

/** A comment on an issue or a pull request. */
export interface ForgeComment {
  readonly id: string;
  readonly author: string;
  /** Whether the author is a program, which cannot decide anything. */
  readonly bot: boolean;
  readonly body: string;
  readonly at: number;
  /** Whether it was changed after it was written. */
  readonly edited: boolean;
}

/** A reply in a discussion. */
export interface DiscussionReply {
  readonly id: string;
  readonly author: string;
  readonly body: string;
}

/** The rights of a person in a repository. */
export type Permission = 'admin' | 'write' | 'read' | 'none';

/** The latest review of one person on the current head of a pull request. */
export interface ForgeApproval {
  readonly actor: string;
  readonly headSha: string;
  readonly state: 'approved' | 'changes_requested';
  readonly at: number;
  readonly permission: Permission;
  readonly bot: boolean;
}

/**
 * One check of a commit. The conclusion is null until it is completed. A commit status of the older kind is a check too:
 * `pending` is in progress, `error` is a failure.
 */
export interface CheckRun {
  readonly name: string;
  /** The CI workflow it belongs to, if it has one; gates can name either. */
  readonly workflow?: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: (typeof CONCLUSIONS)[number] | null;
  /** Set if the forge's own identity reported it (`setCheck`). Such a check shows the state of a run, so no gate counts it. */
  readonly own?: true;
}

/** The prefix of the names of checks that the forge's own identity reports. */
export const OWN_CHECK_PREFIX = 'pawl: ';

/** The reactions to a command in a comment: received, done, rejected, not understood. */
export const REACTIONS = ['eyes', '+1', '-1', 'confused'] as const;

/** A reaction to a comment. */
export interface CommentReactionRequest {
  /** The id of the comment. */
  readonly id: string;
  readonly reaction: (typeof REACTIONS)[number];
}

/** A new comment on an issue, a pull request or a discussion. */
export interface CommentRequest {
  readonly number: number;
  readonly body: string;
}

/** A comment that was written: its id and, if known, the time that the forge gave to its text. */
export interface PostedComment {
  readonly id: string;
  readonly at?: number;
}

/** A path that differs from the merge base of the branch. */
export type ChangedFile =
  | { readonly path: string; readonly status: 'added' | 'modified' | 'removed' }
  /** `from` is the path it had before; it is not listed as removed. */
  | { readonly path: string; readonly status: 'renamed'; readonly from: string };

/** The pull request or branch to read changes of. A branch is compared with `base`, by default the default branch. */
export type ChangeSource = { readonly pr: number } | { readonly branch: string; readonly base?: string };

/** How a pull request is merged into its base branch. */
export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** A new issue. */
export interface IssueRequest {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

/** A new pull request. */
export interface PullRequestRequest {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  readonly draft?: boolean;
}

/** A commit of the forge's repository to fetch into the repository of a folder. */
export interface FetchRequest {
  readonly folder: string;
  /** The ref that contains it, such as the `fetchRef` of a pull request. */
  readonly ref: string;
  readonly sha: string;
}

/** A commit of a folder's repository that a branch of the forge's repository should point to. */
export interface PushRequest {
  readonly folder: string;
  readonly branch: string;
  readonly sha: string;
  /** A commit that may be replaced: if the branch is still at it, the push need not contain it. */
  readonly replaces?: string;
}

/** What to merge, and the head that was approved. */
export interface MergeRequest {
  readonly number: number;
  /** By default the forge's usual method. */
  readonly method?: MergeMethod;
  readonly deleteBranch: boolean;
  readonly expectedHead: string;
  /** How long to wait for a merge queue or unfinished checks. `visit` is the same for all requests of one merge. */
  readonly waits?: { readonly visit: string; readonly forMs: number };
}

/** A message to people. `target` is the name of their group, `people` are its members if known. */
export interface ForgeNotification {
  readonly target: string;
  readonly people: readonly string[];
  readonly message: string;
  /** The issue or pull request that it is about. */
  readonly number?: number;
}

/** The account that a forge uses. */
export interface ForgeIdentity {
  readonly login: string;
  readonly bot: boolean;
  readonly permission: Permission;
  /** How checks are shown: as check runs, or as commit statuses, which have no text. */
  readonly checks: 'check_runs' | 'statuses';
  /** Whether only Pawl uses the account, or also a person. */
  readonly account: 'own' | 'person';
}

/** A remark about one line of a changed file. */
export interface LineComment {
  readonly path: string;
  /** In the file as it is at the head. */
  readonly line: number;
  readonly body: string;
}

/** A review by the forge's own identity. */
export interface ReviewRequest {
  readonly number: number;
  /** The head that was reviewed; for another one the review is rejected. */
  readonly head: string;
  readonly state: 'commented' | 'approved' | 'changes_requested';
  readonly body: string;
  readonly comments?: readonly LineComment[];
}

/** A check of a commit as the forge should show it. The latest report under a name replaces the one before. */
export interface CheckReport extends Omit<CheckRun, 'own'> {
  readonly sha: string;
  /** One line about the result. */
  readonly title?: string;
  /** More text; a forge that shows checks as statuses leaves it out. */
  readonly summary?: string;
  readonly url?: string;
}

/** People to ask for a review, or to assign. */
export interface ReviewersRequest {
  readonly number: number;
  readonly people: readonly string[];
}

/** An action that was done, by its key. */
export interface CompletedAction {
  readonly key: string;
  /** The name of the method: `comment`, `mergePullRequest`. */
  readonly action: string;
  readonly at: number;
  readonly value: object;
}

/** An event at a forge. It carries no facts: the receiver reads them again. */
export interface ForgeEvent {
  /** Unique in its forge, and the same in every delivery of the event. */
  readonly id: string;
  /** The position after this event, if watching found it; see `watch`. */
  readonly cursor?: string;
  /** As GitHub names it: `issues.labeled`, `pull_request_review.submitted`, `check_run.completed`. */
  readonly event: string;
  readonly at: number;
  /** The login that caused it. Undefined if the forge does not say, or the account was deleted; then there are no rights. */
  readonly actor?: string;
  readonly issue?: number;
  readonly pr?: number;
  readonly label?: string;
  readonly sha?: string;
  /** The branch that was pushed to, or that a merge queue tests. */
  readonly branch?: string;
  /** The id of the comment that was written or changed. */
  readonly comment?: string;
}

/** Where to start watching. */
export interface WatchOptions {
  /** The cursor of the last event that was processed. Default: only events from now on. */
  readonly after?: string;
  /** Called once if there is no `after`, with the cursor from which events are delivered. Must not throw. */
  readonly begun?: (cursor: string) => void;
}

/** Reads facts. Every unknown number is `not_found`. */
export interface ForgeReader {
  repository(): Promise<ForgeAnswer<RepositoryFacts>>;
  issue(number: number): Promise<ForgeAnswer<IssueFacts>>;
  pullRequest(number: number): Promise<ForgeAnswer<PullRequestFacts>>;
  /** The open pull requests from a branch of this repository, newest first. */
  pullRequestsFrom(branch: string): Promise<ForgeAnswer<readonly PullRequestFacts[]>>;
  /** The numbers of the open pull requests whose head is a commit, also from forks, lowest first. */
  pullRequestsAt(sha: string): Promise<ForgeAnswer<readonly number[]>>;
  /** The numbers of the open pull requests from or into a branch of this repository, or that a merge queue tests on it, lowest first. */
  pullRequestsOn(branch: string): Promise<ForgeAnswer<readonly number[]>>;
  /** Oldest first. */
  comments(number: number): Promise<ForgeAnswer<readonly ForgeComment[]>>;
  /** The comments of a discussion, oldest first. */
  discussionReplies(number: number): Promise<ForgeAnswer<readonly DiscussionReply[]>>;
  approvals(pr: number): Promise<ForgeAnswer<readonly ForgeApproval[]>>;
  /** The checks of a branch's head or of a commit, by name. */
  checks(ref: string): Promise<ForgeAnswer<readonly CheckRun[]>>;
  changedFiles(source: ChangeSource): Promise<ForgeAnswer<readonly ChangedFile[]>>;
  /** Whether the head of a pull request has every commit of its base branch. */
  isUpToDate(pr: number): Promise<ForgeAnswer<boolean>>;
  /** The names of the checks that must be green before something is merged into a branch. */
  requiredChecks(branch: string): Promise<ForgeAnswer<readonly string[]>>;
  /** The rights of a person here; of an unknown one, those of the public. */
  permission(actor: string): Promise<ForgeAnswer<Permission>>;
  /** The people of a team of the forge. */
  members(team: string): Promise<ForgeAnswer<readonly string[]>>;
  whoami(): Promise<ForgeAnswer<ForgeIdentity>>;
  /** The actions that were done under keys that begin with `prefix`, oldest first. */
  done(prefix: string): Promise<ForgeAnswer<readonly CompletedAction[]>>;
}

/** Performs actions. Each has a unique key; see FG2. */
export interface ForgeActor {
  createIssue(request: IssueRequest, key: string): Promise<ForgeAnswer<{ readonly number: number }>>;
  closeIssue(request: { readonly number: number }, key: string): Promise<ForgeAnswer<{ readonly number: number }>>;
  /** On an issue or a pull request. Returns the labels afterwards. */
  addLabels(request: LabelRequest, key: string): Promise<ForgeAnswer<LabelRequest>>;
  removeLabels(request: LabelRequest, key: string): Promise<ForgeAnswer<LabelRequest>>;
  comment(request: CommentRequest, key: string): Promise<ForgeAnswer<PostedComment>>;
  /** Adds a comment to a discussion; `denied` where the forge has no discussions. */
  replyToDiscussion(request: CommentRequest, key: string): Promise<ForgeAnswer<{ readonly id: string }>>;
  /** Replaces the text of a comment of the forge's own identity; for others' it is `denied`. */
  editComment(request: { readonly id: string; readonly body: string }, key: string): Promise<ForgeAnswer<PostedComment>>;
  /** A reaction that already exists is ok. */
  react(request: CommentReactionRequest, key: string): Promise<ForgeAnswer<{ readonly id: string }>>;
  /** `stale_head` if the head has changed. Approving one's own pull request is `denied`. */
  submitReview(request: ReviewRequest, key: string): Promise<ForgeAnswer<{ readonly id: string }>>;
  setCheck(request: CheckReport, key: string): Promise<ForgeAnswer<{ readonly name: string }>>;
  /** Returns everyone who is asked afterwards. */
  requestReviewers(request: ReviewersRequest, key: string): Promise<ForgeAnswer<{ readonly reviewers: readonly string[] }>>;
  /** Assigns people to an issue or a pull request; those who cannot be assigned are left out. Returns everyone who is assigned. */
  assign(request: ReviewersRequest, key: string): Promise<ForgeAnswer<{ readonly assignees: readonly string[] }>>;
  /** If one is already open from this head to this base, it is returned, whatever its title. */
  openPullRequest(request: PullRequestRequest, key: string): Promise<ForgeAnswer<{ readonly number: number }>>;
  /** `sha` is the head of the base branch afterwards. */
  mergePullRequest(request: MergeRequest, key: string): Promise<ForgeAnswer<MergeResult>>;
  notify(request: ForgeNotification, key: string): Promise<ForgeAnswer<{ readonly target: string }>>;
}

/** Moves commits between the forge's repository and that of a folder. Requesting an existing state is ok (FG3). */
export interface ForgeGit {
  /** `stale_head` if the ref is at another commit, `not_found` if there is no such ref. */
  fetch(request: FetchRequest): Promise<ForgeAnswer<{ readonly sha: string }>>;
  /** `stale_head` if the branch has commits that would be lost (FG7). */
  push(request: PushRequest): Promise<ForgeAnswer<{ readonly sha: string }>>;
}

/** Labels of an issue or a pull request: to add or to remove, or those it has afterwards. */
export interface LabelRequest {
  readonly number: number;
  readonly labels: readonly string[];
}

/** The result of a merge. */
export interface MergeResult {
  /** The commit on the base branch, unless the forge does not say. */
  readonly sha?: string;
  readonly branchDeleted: boolean;
}

/** A forge. Every one passes the same suite (`describeForge` in pawl/testing/suites). */
export interface Forge extends ForgeReader, ForgeActor, ForgeGit {
  readonly name: string;
  /** Calls back for events, in order, from any process. The callback must not throw. Returns a function that stops it. */
  watch(callback: (event: ForgeEvent) => void, options?: WatchOptions): () => void;
  /** How far the forge's clock is ahead of the local one, in milliseconds. Without this method, they are the same. */
  aheadMs?(): number;
  close(): Promise<void>;
}

/** The longest title or body that a forge accepts, in characters; GitHub's limit. */
export const TEXT_MAX = 65_536;
