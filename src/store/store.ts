// Owns the contract of a store, which makes runs durable. A host decides with the kernel, commits one delta to the store,
// and acts only when the delta is on disk. Nothing else writes run state.
//
// T1. A delta is applied whole or not at all: checkpoint, one event row, attempts, values, data, mail, slots.
// T2. A delta whose epoch or position is stale changes nothing.
// T3. A run has at most one owner; a new claim raises the epoch, so that a stale owner is fenced off.
// T4. Mail is unique per run and dedupe key, and is consumed in the commit that acts on it, or withdrawn before.
// T5. Every event row carries a hash over the row before it, so that a missing, swapped or changed row is found.

import type { Ref } from '../base/digest.ts';
import type { Json } from '../base/json.ts';
import type { NumberQuery } from '../definition/forge/run-numbers.ts';
import type { WorkHead } from '../definition/forge/work-head.ts';
import type { Definition } from '../definition/model.ts';
import type { RunStatus } from '../definition/run-status.ts';
import type { Activation, Path, Visit } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunInput, StepError } from '../kernel/input.ts';
import type { RunState } from '../kernel/run-state.ts';

/** A value's text and its reference. The text is JSON; the digest is over the text. */
export interface StoredValue {
  readonly ref: Ref;
  readonly text: string;
}

/** An attempt that has ended. */
export interface AttemptRow extends Pick<Visit, 'path' | 'step' | 'kind' | 'attempt' | 'openedAt' | 'input'> {
  readonly maxAttempts: number;
  /** Absent when the attempt failed and the activation is tried again. */
  readonly outcome?: string | undefined;
  readonly status: 'completed' | 'failed' | 'skipped' | 'cancelled';
  readonly startedAt?: number | undefined;
  readonly endedAt: number;
  readonly output?: Ref | undefined;
  readonly error?: StepError | undefined;
  /** The worker's claim, if the engine observed something else. */
  readonly claim?: Ref | undefined;
  /** The engine's observations: contract checks, process ends. */
  readonly evidence?: Ref | undefined;
  /** Who did it: a role, a person, a program. */
  readonly actor?: string | undefined;
  readonly group?: Path | undefined;
  readonly key?: string | undefined;
  readonly index?: number | undefined;
  readonly checks: readonly CheckRow[];
}

/** The result of one gate check. */
export interface CheckRow {
  readonly type: string;
  readonly config: Json;
  readonly passed: boolean | null;
  readonly result: Json;
  readonly error?: string;
  readonly at: number;
}

/** A message to a run from any process. A second message with the same `dedupe` has no effect. */
export interface Mail {
  readonly run: string;
  readonly dedupe: string;
  readonly input: RunInput;
  readonly values: readonly StoredValue[];
}

/** A message in the inbox. */
export interface ReceivedMail {
  readonly id: number;
  readonly dedupe: string;
  readonly input: RunInput;
}

/** The origin of a run, for people. */
export interface RunOrigin {
  readonly event?: string;
  readonly deliveryId?: string;
  readonly issue?: number;
  readonly pr?: number;
  readonly actor?: string;
  /** The run whose action at the forge started this one. */
  readonly cause?: string;
  readonly repository?: string;
  /** The file its definition was loaded from. */
  readonly file?: string;
  /** The folder its steps work in, if that is not the workspace of the engine. */
  readonly workspace?: string;
  /** The branch that is checked out there, and where its commits are pushed. */
  readonly head?: WorkHead;
  /** Labels that lists can be filtered by. */
  readonly tags?: readonly string[];
  /** Among steps that wait for the same semaphore, those of the run with the highest go first, then the oldest. Default: 0. */
  readonly priority?: number;
  /** The OpenTelemetry span it was started under, as a `traceparent`: later events of the run belong to the same trace. */
  readonly trace?: string;
}

/** The rows that the first delta of a run creates. */
export interface RunCreation {
  /** The first owner of the run. */
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
  /** The position the owner expects the run to be at; the delta increases it by one. */
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
  /** The live members of groups that changed, and the paths of those that are no longer live. */
  readonly members: { readonly put: readonly Activation[]; readonly drop: readonly Path[] };
  readonly consumed: readonly number[];
  readonly post: readonly Mail[];
  /** `free`: paths that release what they hold, or leave a queue. A run that becomes final releases everything. */
  readonly slots: { readonly take: readonly SlotClaim[]; readonly free: readonly Path[] };
  readonly create?: RunCreation | undefined;
  /** The digest of the run's functions, if they changed and a person accepted the change. */
  readonly codeHash?: string | undefined;
  /** Releases the run in the same transaction, unless the inbox has mail that this delta does not consume. */
  readonly release?: boolean;
}

/** Semaphores that one activation acquires, all or none, with their current limits. */
export interface SlotClaim {
  readonly path: Path;
  readonly keys: readonly { readonly key: string; readonly limit: number }[];
}

/** How a commit ended. `full`: a semaphore had no room; nothing was changed, and the run is woken when there is room. */
export type CommitResult =
  | { readonly result: 'committed'; readonly released: boolean }
  | { readonly result: 'stale' }
  | { readonly result: 'full'; readonly path: Path; readonly key: string };

/** A successful claim, with the data that a host needs to continue the run. */
export interface SuccessfulClaim {
  readonly claimed: true;
  readonly epoch: number;
  readonly state: RunState;
  readonly mail: readonly ReceivedMail[];
  readonly definition: Definition;
  readonly codeHash: string;
  readonly origin: RunOrigin;
}

/** Who owns a run, and the claim counter. The epoch alone is ambiguous: two processes that start the same run both have epoch 1. */
export interface Ownership {
  readonly owner: string;
  readonly epoch: number;
}

/** A claim that found a live owner. */
export interface RefusedClaim {
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
  /** Its place in lists: a run that was created later has a larger one. */
  readonly place: number;
  /** Why the run could not be read; the other runs are listed as usual. */
  readonly damaged?: string;
}

/** Which runs a list shows, newest first. */
export interface RunQuery {
  readonly status?: readonly RunStatus[];
  readonly workflow?: string;
  readonly parent?: string;
  readonly id?: string;
  readonly idPrefix?: string;
  /** Only runs whose workers assumed something instead of asking, answered or not. */
  readonly assumes?: true;
  /** Leaves out most runs that do not wait for a person, and none that does. */
  readonly mayAsk?: true;
  /** Leaves out most runs whose workflow names no circuit breakers, and none whose workflow does. */
  readonly mayBreak?: true;
  /** Only runs that are, or were, about one of these issues and pull requests; other runs are not read. */
  readonly about?: NumberQuery;
  /** The maximum number; all by default. */
  readonly limit?: number;
  /** Only runs that were created before `before`, and at `since` or later. */
  readonly before?: number;
  readonly since?: number;
  /** Only runs with a place from `from` to below `below`, which is where the last page of a list ended. */
  readonly below?: number;
  readonly from?: number;
  /** Only runs with all of these tags. */
  readonly tags?: readonly string[];
  /** Only runs that were started with these values: a string, or the JSON of another value. */
  readonly params?: Readonly<Record<string, string>>;
  /** Only runs with this text in their id, workflow, tags or parameters, in whatever case. */
  readonly text?: string;
}

/** The position of a run: the number of its last log row, its status, and its owner. */
export interface RunHead {
  readonly run: string;
  readonly place: number;
  readonly seq: number;
  readonly status: RunStatus;
  readonly owner: string | undefined;
}

/** Which heads to read: of runs with an owner, of the given runs, or of all runs (with some status) in the order of their places. */
export type HeadQuery =
  | { readonly of: 'owned' }
  | { readonly of: readonly string[] }
  | { readonly of: 'all'; readonly after: number; readonly limit: number; readonly status?: readonly RunStatus[] };

/** The activity of agents and runs in one period. */
export interface UsageBucket {
  /** When it begins. */
  readonly at: number;
  readonly workflow: string;
  /** Undefined for work without an agent. */
  readonly role: string | undefined;
  /** How many runs were started. */
  readonly runs: number;
  readonly attempts: number;
  readonly costUsd: number;
  readonly unknownCost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly ms: number;
  /** How often the engine's observations contradicted the claim of a worker of these runs. */
  readonly refusals: number;
}

/** A period, and the length of the buckets it is divided into. */
export interface UsageSpan {
  readonly since: number;
  readonly until: number;
  readonly bucketMs: number;
  readonly workflow?: string;
}

/** A semaphore that a step holds or waits for. */
export interface SlotUse {
  readonly key: string;
  readonly run: string;
  readonly path: Path;
  readonly isHeld: boolean;
}

/** A run that needs a driver: something is due, it has mail, or its owner died. */
export interface ReadyRun {
  readonly run: string;
  readonly because: 'due' | 'mail' | 'orphaned';
}

/** The result of checking the whole store. */
export interface StoreReport {
  readonly ok: boolean;
  readonly file: string;
  readonly schemaVersion: number;
  readonly problems: readonly {
    readonly run?: string;
    readonly seq?: number;
    readonly what: string;
    /** Set if the data is sound, and others can read one of its files. */
    readonly isReadable?: true;
  }[];
}

/** Which runs to remove, each together with the runs it started. */
export interface PruneRequest {
  /** Only runs in which nothing happened since. */
  readonly before: number;
  /** Only runs with one of these statuses; an open run is never removed. */
  readonly status: readonly RunStatus[];
  /** Keeps this many of the newest runs of each workflow. */
  readonly keep?: number;
  /** Removes nothing and returns what would be removed. */
  readonly dryRun?: boolean;
  /** Returns the free space to the disk. */
  readonly vacuum?: boolean;
}

/** A run that was removed, or would be. */
export type PrunedRun = Pick<RunSummary, 'id' | 'workflow' | 'status' | 'createdAt' | 'updatedAt'>;

/** The runs and values that a prune removed. */
export interface PruneReport {
  readonly runs: readonly PrunedRun[];
  /** How many values were removed because nothing refers to them. */
  readonly values: number;
}

/** An agent that is about to be called, and on which account. */
export interface AgentUse {
  readonly run: string;
  readonly path: Path;
  readonly step: string;
  readonly attempt: number;
  readonly role: string;
  readonly account: string;
  readonly at: number;
}

/** The usage of an agent. An unknown amount is absent, never 0. */
export interface UsedAmounts {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
  /** How long it worked. */
  readonly ms: number;
}

/** One row of the ledger. Without `ms` the agent is still working, or a crash left no record of its end. */
export interface RecordedAgentUse extends Omit<AgentUse, 'run'>, Partial<UsedAmounts> {}

/** Which rows of the ledger to sum up. */
export interface UsageQuery {
  readonly run?: string;
  /** With the runs that the run started, and those that they started. */
  readonly withChildren?: boolean;
  readonly step?: string;
  readonly role?: string;
  /** Only agents that were called from this time on. */
  readonly since?: number;
  /** The agents that work now: their rows are not unknown yet. Without it, every row without an end counts as unknown. */
  readonly working?: WorkingAgents;
}

/** The agents that work now: `rows` of the asking process, and those of other runs that some process owns. */
export interface WorkingAgents {
  /** The run that the asking process owns. A row of it that is not among `rows` was interrupted by a crash. */
  readonly run: string;
  readonly rows: readonly number[];
}

/** Sums of the known amounts, and how many attempts have unknown ones. */
export interface UsageTotal {
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly turns: number;
  readonly ms: number;
  readonly unknownCost: number;
  readonly unknownTokens: number;
  readonly unknownTurns: number;
}

/** Nothing was used. */
export const NO_USAGE: UsageTotal = {
  attempts: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  turns: 0,
  ms: 0,
  unknownCost: 0,
  unknownTokens: 0,
  unknownTurns: 0,
};

/** The ancestors of a run, nearest first, and how many runs its tree has. */
export interface RunTreeSummary {
  readonly ancestors: readonly string[];
  readonly runs: number;
}

/** An account without capacity until a time. */
export interface ClosedAccount {
  readonly account: string;
  readonly until: number;
  readonly why: string;
}

/** Where runs live. Every store passes the same suite (`describeStore` in pawl/testing/suites). */
export interface Store {
  /** Claims the run if it has no owner, a provably dead one, or `me` itself; an earlier claim becomes stale. */
  claim(run: string, me: string): Promise<SuccessfulClaim | RefusedClaim>;
  commit(delta: Delta): Promise<CommitResult>;
  /** Releases the run, unless it has mail newer than `seenMail`. `stale`: it is not held like this, and nothing changes. */
  release(run: string, held: Ownership, seenMail: number): Promise<'released' | 'mail' | 'stale'>;
  post(mail: Mail): Promise<'posted' | 'duplicate'>;
  /** Withdraws unread mail; a dead owner's claim becomes stale. `held`: a live owner, not `me`, may have read it. */
  withdraw(mail: Pick<Mail, 'run' | 'dedupe'>, me: string): Promise<'withdrawn' | 'held' | 'gone'>;
  /** Mail of a run with a larger id than `after`. */
  inbox(run: string, after: number): Promise<readonly ReceivedMail[]>;

  /** A run's checkpoint, without claiming the run. */
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
  /** The latest attempt with a result of the given steps (or of all), members too: a `fail` has one, an error has none. */
  latest(run: string, steps?: readonly string[]): Promise<readonly StoredAttempt[]>;
  /** All ended attempts of a run, oldest first; of one group when it is named. */
  attempts(run: string, group?: Path): Promise<readonly StoredAttempt[]>;
  /** The log after a position; the hash chain is verified as it is read. */
  events(run: string, after: number, limit?: number): Promise<readonly EventRow[]>;
  list(query: RunQuery): Promise<readonly RunSummary[]>;
  /** How many runs there are of each status. */
  statusCounts(): Promise<ReadonlyMap<RunStatus, number>>;
  /** Positions of runs without their checkpoints, cheap enough to read after each change when following many runs. */
  heads(query: HeadQuery): Promise<readonly RunHead[]>;
  /** Full ids that begin with a prefix; at most `limit`. */
  resolve(prefix: string, limit: number): Promise<readonly string[]>;

  ready(now: number, limit: number): Promise<readonly ReadyRun[]>;
  /** The nearest due time of a run without an owner; later than `after`, if given. */
  nextDue(after?: number): Promise<number | undefined>;
  /** Calls back when any process posts mail to a run or frees a slot for it. */
  watch(ring: (run: string) => void): () => void;
  /** Calls back after commits of any process, at least once per burst. */
  follow(committed: () => void): () => void;

  /** Records that an agent is about to be called, so that an attempt that a crash interrupts is recorded, too. */
  beginUse(use: AgentUse): Promise<number>;
  /** Completes the row whose id `beginUse` returned. */
  endUse(id: number, used: UsedAmounts): Promise<void>;
  usage(query: UsageQuery): Promise<UsageTotal>;
  /** The usage of each attempt of a run, oldest first. */
  uses(run: string): Promise<readonly RecordedAgentUse[]>;
  /** The usage of agents and the number of started runs over time, oldest first. */
  usageOver(span: UsageSpan): Promise<readonly UsageBucket[]>;
  tree(run: string): Promise<RunTreeSummary>;
  /** The semaphores that are held or waited for, those of each key in order; at most `limit`. */
  slots(limit: number): Promise<readonly SlotUse[]>;
  /** Closes an account for every run and process on this store; a later time extends an earlier one. */
  closeAccount(closed: ClosedAccount): Promise<void>;
  /** The accounts that are closed at a time. */
  closedAccounts(now: number): Promise<readonly ClosedAccount[]>;
  /** Opens all accounts again. */
  openAccounts(): Promise<void>;

  /** The id of the machine and user that the store was created by; undefined if none was given. */
  origin(): Promise<string | undefined>;
  /** Records the origin unless one is recorded already; returns the recorded one. */
  bind(origin: string): Promise<string>;
  /** Copies the whole store to a file while runs continue, and records it. */
  backup(file: string, run?: string): Promise<{ readonly path: string; readonly bytes: number }>;
  /** Verifies the file, every chain, every value and every checkpoint against its folded log. */
  check(): Promise<StoreReport>;
  /** Removes runs that ended and that nothing open refers to, and the values that only they used. */
  prune(request: PruneRequest): Promise<PruneReport>;
  close(): Promise<void>;
}

/** An ended attempt in the store. */
export interface StoredAttempt extends Omit<AttemptRow, 'checks'> {
  readonly id: number;
  readonly seq: number;
}
