// Owns the contract of a store: how a run is made durable. A host decides with the kernel, hands the store one
// delta, and acts only when the delta is on disk. These are the only writers of run state.
//
// T1. A delta is applied whole or not at all: checkpoint, one event row, attempts, values, data, mail, slots.
// T2. A delta of an owner whose epoch or position is stale changes nothing.
// T3. A run has at most one owner; a new claim raises the epoch, so that a stale owner is fenced off.
// T4. Mail is unique per run and dedupe key, and is consumed in the commit that acts on it, or taken back before.
// T5. Every event row carries a hash over the row before it, so that a missing, swapped or changed row is found.

import type { Json } from '../base/json.ts';
import type { Definition, StepKind } from '../definition/model.ts';
import type { WorkHead } from '../definition/work-head.ts';
import type { Activation, Path, Ref } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunInput, StepError } from '../kernel/input.ts';
import type { RunState, RunStatus } from '../kernel/run-state.ts';

/** A value's text and its reference. The text is JSON; the digest is over the text. */
export interface StoredValue {
  readonly ref: Ref;
  readonly text: string;
}

/** What was decided about an attempt that has ended: a row of history. */
export interface AttemptRow {
  readonly path: Path;
  readonly step: string;
  readonly kind: StepKind;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Absent when the attempt failed and the activation is tried again. */
  readonly outcome?: string | undefined;
  readonly status: 'completed' | 'failed' | 'skipped' | 'cancelled';
  readonly openedAt: number;
  readonly startedAt?: number | undefined;
  readonly endedAt: number;
  readonly output?: Ref | undefined;
  readonly error?: StepError | undefined;
  /** What the worker claimed, where that is not what was observed. */
  readonly claim?: Ref | undefined;
  /** What the engine observed: contract checks, process ends. */
  readonly evidence?: Ref | undefined;
  /** Who did it: a role, a person, a program. */
  readonly actor?: string | undefined;
  readonly group?: Path | undefined;
  readonly key?: string | undefined;
  readonly index?: number | undefined;
  /** flow: digest of what was yielded. */
  readonly input?: string | undefined;
  readonly checks: readonly CheckRow[];
}

/** One check of a gate, as it was made. */
export interface CheckRow {
  readonly type: string;
  readonly config: Json;
  readonly passed: boolean | null;
  readonly result: Json;
  readonly error?: string;
  readonly at: number;
}

/** A message to a run from any process. `dedupe` makes a repeated one harmless. */
export interface Mail {
  readonly run: string;
  readonly dedupe: string;
  readonly input: RunInput;
  readonly values: readonly StoredValue[];
}

/** A message as it lies in the inbox. */
export interface ReceivedMail {
  readonly id: number;
  readonly dedupe: string;
  readonly input: RunInput;
}

/** Where a run came from; kept beside it for people. */
export interface RunOrigin {
  readonly event?: string;
  readonly deliveryId?: string;
  readonly issue?: number;
  readonly pr?: number;
  readonly actor?: string;
  readonly repository?: string;
  /** The file its definition was loaded from. */
  readonly file?: string;
  /** Where its steps work, when that is not the workspace of the engine. */
  readonly workspace?: string;
  /** The branch that is checked out there, and where its commits go. */
  readonly head?: WorkHead;
}

/** What the first delta of a run creates. */
export interface RunCreation {
  /** Who creates the run and owns it from then on. */
  readonly owner: string;
  readonly definition: Definition;
  readonly codeHash: string;
  readonly origin: RunOrigin;
  /** Copies history up to this row of another run: a fork. */
  readonly fork?: { readonly run: string; readonly seq: number };
}

/** Everything one decision changes. */
export interface Delta {
  readonly run: string;
  readonly epoch: number;
  /** The position the owner believes the run is at; the delta makes it one more. */
  readonly seq: number;
  /** The checkpoint after the delta (`state.seq === seq + 1`). */
  readonly state: RunState;
  /** The derived status, for lists. */
  readonly status: RunStatus;
  readonly due: number | undefined;
  readonly at: number;
  readonly events: readonly RunEvent[];
  readonly attempts: readonly AttemptRow[];
  readonly values: readonly StoredValue[];
  /** Keys of the checkpoint's data that changed. */
  readonly data: readonly { readonly key: string; readonly text: string }[];
  /** Live members of groups are rows of their own: which to write, which to drop. */
  readonly members: { readonly put: readonly Activation[]; readonly drop: readonly Path[] };
  readonly consumed: readonly number[];
  readonly post: readonly Mail[];
  /** `free`: paths that let go of what they hold, or of their place in a queue. A run that becomes final lets go of all. */
  readonly slots: { readonly take: readonly SlotClaim[]; readonly free: readonly Path[] };
  readonly create?: RunCreation;
  /** The run goes on with other functions than it began with: their digest. */
  readonly codeHash?: string;
  /** Gives the run up in the same transaction, unless mail lies in the inbox that this delta does not consume. */
  readonly release?: boolean;
}

/** Semaphores one activation takes, all or none, with their limits as they are now. */
export interface SlotClaim {
  readonly path: Path;
  readonly keys: readonly { readonly key: string; readonly limit: number }[];
}

/** How a commit ended. `full`: a semaphore had no room; nothing was changed, and the run is told when there is. */
export type CommitResult =
  | { readonly result: 'committed'; readonly released: boolean }
  | { readonly result: 'stale' }
  | { readonly result: 'full'; readonly path: Path; readonly key: string };

/** A claim that succeeded, with all that a host needs to go on. */
export interface Claimed {
  readonly claimed: true;
  readonly epoch: number;
  readonly state: RunState;
  readonly mail: readonly ReceivedMail[];
  readonly definition: Definition;
  readonly codeHash: string;
  readonly origin: RunOrigin;
}

/** Who holds a run, and for the how-manieth time it is held: two that start the same run have the same first epoch. */
export interface Ownership {
  readonly owner: string;
  readonly epoch: number;
}

/** A claim that found a live owner. */
export interface Held {
  readonly claimed: false;
  readonly owner: string;
}

/** One row of the log. */
export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly events: readonly RunEvent[];
  readonly hash: string;
}

/** A run as lists show it. */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly currentStep: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly due: number | undefined;
  readonly owner: string | undefined;
  readonly parent: string | undefined;
  readonly origin: RunOrigin;
  /** Set when the row could not be read; the others are shown all the same. */
  readonly damaged?: string;
}

/** Which runs a list shows, newest first. */
export interface RunQuery {
  readonly status?: readonly RunStatus[];
  readonly workflow?: string;
  readonly parent?: string;
  readonly idPrefix?: string;
  /** At most so many; all of them where nobody says. */
  readonly limit?: number;
  readonly before?: number;
}

/** A run that somebody should drive: something is due, mail waits, or its owner died. */
export interface ReadyRun {
  readonly run: string;
  readonly because: 'due' | 'mail' | 'orphaned';
}

/** What a look at the whole store found. */
export interface StoreReport {
  readonly ok: boolean;
  readonly file: string;
  readonly schemaVersion: number;
  readonly problems: readonly { readonly run?: string; readonly seq?: number; readonly what: string }[];
}

/** Which runs a prune removes, each together with the runs it started. */
export interface PruneRequest {
  /** Only runs in which nothing happened since. */
  readonly before: number;
  /** Only runs that ended so; one that is open is never removed. */
  readonly status: readonly RunStatus[];
  /** Keeps the newest so many of each workflow. */
  readonly keep?: number;
  /** Removes nothing and says what would go. */
  readonly dryRun?: boolean;
  /** Gives the room back to the disk. */
  readonly vacuum?: boolean;
}

/** A run that was removed, or would be. */
export type PrunedRun = Pick<RunSummary, 'id' | 'workflow' | 'status' | 'updatedAt'>;

/** What a prune removed. */
export interface PruneReport {
  readonly runs: readonly PrunedRun[];
  /** How many values nobody referred to any more. */
  readonly values: number;
}

/** An agent that is about to be asked, and on whose account. */
export interface AgentUse {
  readonly run: string;
  readonly path: Path;
  readonly step: string;
  readonly attempt: number;
  readonly role: string;
  readonly account: string;
  readonly at: number;
}

/** What an agent used. What is not known is absent, never 0. */
export interface Used {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
  /** How long it was at work. */
  readonly ms: number;
}

/** One row of the ledger. Without `ms` it is at work, or a crash left no record of its end. */
export interface AgentUsed extends Omit<AgentUse, 'run'>, Partial<Used> {}

/** Which rows of the ledger are summed up. */
export interface UsageQuery {
  readonly run?: string;
  /** With the runs that the run started, and those that they started. */
  readonly withChildren?: boolean;
  readonly step?: string;
  readonly role?: string;
  /** Only agents that were asked from this time on. */
  readonly since?: number;
}

/** Sums of what is known, and how many attempts are not in them because it is not. */
export interface UsageTotal {
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly turns: number;
  readonly ms: number;
  readonly unknownCost: number;
  readonly unknownTokens: number;
}

/** A run's ancestors, nearest first, and how many runs its root has with all that descend from it. */
export interface Family {
  readonly ancestors: readonly string[];
  readonly runs: number;
}

/** An account without capacity until a time. */
export interface ClosedAccount {
  readonly account: string;
  readonly until: number;
  readonly why: string;
}

/** Where runs live. Every store passes the same suite (`describeStore` in pawl/testing). */
export interface Store {
  /** Takes the run when it has no owner, one that is provably dead, or `me` itself; an earlier claim is fenced off. */
  claim(run: string, me: string): Promise<Claimed | Held>;
  commit(delta: Delta): Promise<CommitResult>;
  /** Gives the run up, unless mail newer than `seenMail` lies there; what is not held so is `stale`, and left alone. */
  release(run: string, held: Ownership, seenMail: number): Promise<'released' | 'mail' | 'stale'>;
  post(mail: Mail): Promise<'posted' | 'duplicate'>;
  /**
   * Takes mail back that nobody acted on, and frees its key. `held`: somebody alive other than `me` owns the run and may
   * have read it. `gone`: it was acted on, or there is none.
   */
  withdraw(mail: Pick<Mail, 'run' | 'dedupe'>, me: string): Promise<'withdrawn' | 'held' | 'gone'>;
  /** Mail of a run that this owner has not seen yet. */
  inbox(run: string, after: number): Promise<readonly ReceivedMail[]>;

  /** A run's checkpoint without taking it. */
  load(run: string): Promise<{
    readonly state: RunState;
    readonly status: RunStatus;
    readonly owner: string | undefined;
    readonly epoch: number;
    readonly definition: Definition;
    readonly codeHash: string;
    readonly origin: RunOrigin;
  }>;
  /** Texts of values by digest, verified; a missing or changed one is an error. */
  values(digests: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The checkpoint's data: the given keys, or all of it. Params are not part of it. */
  data(run: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Json>>;
  /** The latest completed attempt of the given steps (or of all), top-level and members alike. */
  latest(run: string, steps?: readonly string[]): Promise<readonly StoredAttempt[]>;
  /** All ended attempts of a run, oldest first; of one group when it is named. */
  attempts(run: string, group?: Path): Promise<readonly StoredAttempt[]>;
  /** The log after a position; the hash chain is verified as it is read. */
  events(run: string, after: number, limit?: number): Promise<readonly EventRow[]>;
  list(query: RunQuery): Promise<readonly RunSummary[]>;
  /** Full ids that begin with a prefix; at most `limit`. */
  resolve(prefix: string, limit: number): Promise<readonly string[]>;

  ready(now: number, limit: number): Promise<readonly ReadyRun[]>;
  /** The nearest due time of a run that nobody drives; later than `after`, when that is given. */
  nextDue(after?: number): Promise<number | undefined>;
  /** Calls back when mail was posted to a run or a slot came free for it, by any process. */
  watch(ring: (run: string) => void): () => void;
  /** Calls back after commits of any process, at least once per burst. */
  follow(committed: () => void): () => void;

  /** Puts down that an agent is about to be asked: an attempt that a crash cuts off is on the books all the same. */
  beginUse(use: AgentUse): Promise<number>;
  /** Completes the row that `beginUse` gave the number of. */
  endUse(id: number, used: Used): Promise<void>;
  usage(query: UsageQuery): Promise<UsageTotal>;
  /** What each attempt of a run used, oldest first. */
  uses(run: string): Promise<readonly AgentUsed[]>;
  family(run: string): Promise<Family>;
  /** Closes an account for every run and process on this store; a later time than the present one extends it. */
  closeAccount(closed: ClosedAccount): Promise<void>;
  /** The accounts that are closed at a time. */
  closedAccounts(now: number): Promise<readonly ClosedAccount[]>;
  /** Opens all accounts: somebody says that there is capacity again. */
  openAccounts(): Promise<void>;

  /** Whose store this is: the id it was created under; undefined where none was given. */
  origin(): Promise<string | undefined>;
  /** Records whose store this is, unless that is recorded already; gives what is recorded. */
  bind(origin: string): Promise<string>;

  /** Copies the whole store to a file while runs go on, and records it. */
  backup(file: string, run?: string): Promise<{ readonly path: string; readonly bytes: number }>;
  /** Verifies the file, every chain, every value and every checkpoint against its folded log. */
  check(): Promise<StoreReport>;
  /** Removes runs that ended and that nothing open refers to, and the values that only they used. */
  prune(request: PruneRequest): Promise<PruneReport>;
  close(): Promise<void>;
}

/** An ended attempt as it lies in the store. */
export interface StoredAttempt extends Omit<AttemptRow, 'checks'> {
  readonly id: number;
  readonly seq: number;
}
