// Owns a run's data in memory while it is driven: values, named data, results and members that decisions read. It is a
// cache: all of it can be loaded again from the store.
//
// E1. Everything a decision reads is loaded before the decision, so that the kernel stays synchronous.
// E2. Memory is bounded by what the definition names and by live groups, unless a function asks for the whole record.
// E8. A value that is not on disk yet is never dropped: a queued input or a commit under way refers to it.

import { digestText } from '../base/digest.ts';
import { invariant } from '../base/invariant.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Concurrency, StepModel } from '../definition/model.ts';
import { hasResult } from '../definition/outcome.ts';
import type { Observation } from '../definition/question/asked-question.ts';
import { withoutOwnNames } from '../definition/scope/joining-data.ts';
import type { Activation, Path, Ref } from '../kernel/activation.ts';
import { heldBy, humanWaitOf } from '../kernel/activation.ts';
import { joiningData, mergedBy, type RunEvent } from '../kernel/event.ts';
import type { StepError } from '../kernel/input.ts';
import type { MemberResult, Need, View } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import { type EndedAttempt, memberResult } from '../kernel/turn.ts';
import type { Snapshot } from '../steps/attempt.ts';
import type { Delta, Store, StoredAttempt, StoredValue } from '../store/store.ts';
import { opensGroup } from './event-facts.ts';
import type { OutsideFacts } from './host.ts';

/** Options for opening a record. */
export interface RecordOptions {
  readonly store: Store;
  readonly run: string;
  readonly reads: readonly Need[];
  readonly outside: OutsideFacts;
  /** True for a run without history: there is nothing to load. */
  readonly fresh: boolean;
  readonly slots: (model: StepModel) => readonly string[];
  readonly kinds: View['kinds'];
  /** The current limit of a semaphore. */
  readonly limitOf: (key: string) => number;
  readonly holding: () => boolean;
}

/** A result that was supplied in place of running a step. */
export interface SuppliedResult {
  readonly step: string;
  readonly ref?: Ref;
}

interface FullRecord {
  data: Record<string, Json>;
  results: Record<string, Json>;
  completed: Set<string>;
}

type Change = (whole: FullRecord) => void;

/**
 * The record as functions see it. Until it is read, the changes that a reader of the store may not see yet are kept:
 * those since the last commit, or since the read started.
 */
type WholeRecord =
  | { readonly is: 'unread'; unseen: Change[] }
  | { readonly is: 'reading'; readonly unseen: Change[]; readonly read: Promise<ReadRecord> }
  | ReadRecord;

interface ReadRecord {
  readonly is: 'read';
  readonly full: FullRecord;
  /** What functions saw last. */
  shown?: { readonly state: RunState; readonly snapshot: Snapshot };
}

/** Values without a reference are dropped only when more than this many are kept. */
const KNOWN_MAX = 64;

/** What the record of one run needs, beside what all records of an engine share. */
export interface RecordWants {
  readonly reads: ConstructorParameters<typeof RunRecord>[0]['reads'];
  readonly fresh: boolean;
  readonly concurrency?: Concurrency | undefined;
  /** Set if another process will drive the run: its steps stay in the queue. */
  readonly parked?: true;
}

/** A run's data in memory while it is driven. */
export class RunRecord implements View {
  params: JsonObject = {};
  /** The evidence of the latest attempt whose end is not decided yet. */
  observed: { readonly path: Path; readonly evidence: Json | undefined } | undefined;
  private readonly options: RecordOptions;
  private readonly known = new Map<string, Json>();
  private readonly namedData = new Map<string, Json | undefined>();
  private readonly namedOutputs = new Map<string, Json | undefined>();
  private readonly groups = new Map<Path, Map<string, MemberResult>>();
  private whole: WholeRecord;
  private loaded: boolean;
  private fresh: StoredValue[] = [];
  private changedData = new Map<string, string>();

  constructor(options: RecordOptions) {
    this.options = options;
    this.loaded = options.fresh;
    for (const need of options.reads) {
      if (need.read === 'data') this.namedData.set(need.key, undefined);
      if (need.read === 'outside') for (const key of options.outside.dependsOn) this.namedData.set(key, undefined);
      if (need.read === 'output') this.namedOutputs.set(need.step, undefined);
    }
    this.whole = options.fresh
      ? { is: 'read', full: { data: bare([]), results: bare([]), completed: new Set() } }
      : { is: 'unread', unseen: [] };
  }

  get kinds(): View['kinds'] {
    return this.options.kinds;
  }

  get holding(): boolean {
    return this.options.holding();
  }

  data(key: string): Json | undefined {
    return this.namedData.get(key);
  }

  /** Returns several keys of the data at once. */
  named<K extends string>(keys: readonly K[]): { readonly [key in K]: Json | undefined } {
    return Object.fromEntries(keys.map((key) => [key, this.namedData.get(key)])) as { [key in K]: Json | undefined };
  }

  output(step: string): Json | undefined {
    return this.namedOutputs.get(step);
  }

  evidence(path: Path): Json | undefined {
    return this.observed?.path === path ? this.observed.evidence : undefined;
  }

  value(ref: Ref): Json {
    const value = this.known.get(ref.digest);
    invariant(value !== undefined, 'E1: a value is loaded before it is read', ref.digest);
    return value;
  }

  members(group: Path): readonly MemberResult[] {
    return [...(this.groups.get(group)?.values() ?? [])];
  }

  slots(model: StepModel): readonly string[] {
    return this.options.slots(model);
  }

  limitOf(key: string): number {
    return this.options.limitOf(key);
  }

  keep(value: Json): Ref | undefined {
    if (value === null) return undefined;
    const text = JSON.stringify(value);
    const ref = { digest: digestText(text), bytes: Buffer.byteLength(text) };
    this.known.set(ref.digest, value);
    this.fresh.push({ ref, text });
    return ref;
  }

  /** Supplies the result of a step that is not run, for a run that starts in the middle. */
  supply(step: string, value: Json): SuppliedResult {
    if (isJsonObject(value)) this.mergeData(withoutOwnNames(value));
    this.noteResult(step, value);
    const ref = this.keep(value);
    return ref === undefined ? { step } : { step, ref };
  }

  /** Adds a result of the run this one was forked from. The store copies its row. */
  supplyResult(step: string, value: Json): void {
    this.noteResult(step, value);
  }

  /** Adds data of the run this one was forked from. */
  supplyData(key: string, value: Json): void {
    this.mergeData(Object.fromEntries([[key, value]]));
  }

  /** Loads what the next decisions may read: named data and results once, values, and members of live groups. */
  async load(refs: readonly Ref[], groups: readonly Path[]): Promise<void> {
    const missing = refs.filter((ref) => !this.known.has(ref.digest)).map((ref) => ref.digest);
    if (missing.length > 0) {
      for (const [digest, text] of await this.options.store.values(missing)) this.known.set(digest, JSON.parse(text) as Json);
    }
    if (!this.loaded) await this.loadNamed();
    for (const group of groups) if (!this.groups.has(group)) await this.loadMembers(group);
  }

  /** True if `load` has nothing to do, so that the hot path can skip it. */
  has(refs: readonly Ref[], groups: readonly Path[]): boolean {
    return this.loaded && refs.every((ref) => this.known.has(ref.digest)) && groups.every((group) => this.groups.has(group));
  }

  private async loadNamed(): Promise<void> {
    const { store, run } = this.options;
    if (this.namedData.size > 0) {
      for (const [key, value] of await store.data(run, [...this.namedData.keys()])) this.namedData.set(key, value);
    }
    if (this.namedOutputs.size > 0) {
      const rows = await store.latest(run, [...this.namedOutputs.keys()]);
      for (const [step, value] of await this.outputsOf(rows)) this.namedOutputs.set(step, value);
    }
    this.loaded = true;
  }

  private async loadMembers(group: Path): Promise<void> {
    const members = new Map<string, MemberResult>();
    const rows = (await this.options.store.attempts(this.options.run, group)).filter((row) => row.outcome !== undefined);
    const outputs = await this.options.store.values(rows.flatMap((row) => (row.output === undefined ? [] : [row.output.digest])));
    for (const row of rows) {
      const text = row.output === undefined ? undefined : outputs.get(row.output.digest);
      members.set(row.key ?? '', memberOf(row, text === undefined ? null : (JSON.parse(text) as Json)));
    }
    this.groups.set(group, members);
  }

  private async outputsOf(rows: readonly StoredAttempt[]): Promise<[string, Json][]> {
    const texts = await this.options.store.values(rows.flatMap((row) => (row.output === undefined ? [] : [row.output.digest])));
    return rows.map((row) => [row.step, row.output === undefined ? null : (JSON.parse(texts.get(row.output.digest) as string) as Json)]);
  }

  /** Applies the events of a decision, so that the next one sees them. */
  absorb(events: readonly RunEvent[], ended: readonly EndedAttempt[]): void {
    for (const event of events) {
      const merged = mergedBy(event);
      if (merged !== undefined) this.mergeData(joiningData(event, this.value(merged)));
      if (opensGroup(event)) this.groups.set(event.activation.path, new Map());
    }
    for (const { event, activation } of ended) {
      if (this.observed?.path === activation.path) this.observed = undefined;
      if (event.type !== 'step.settled') continue;
      const output = event.output === undefined ? null : this.value(event.output);
      const { member } = activation;
      if (member !== undefined) {
        this.groups.get(member.group)?.set(member.key, memberResult(event, member, output));
        continue;
      }
      if (hasResult(event.outcome)) this.noteResult(activation.step, output);
    }
  }

  private noteResult(step: string, output: Json): void {
    if (this.namedOutputs.has(step)) this.namedOutputs.set(step, output);
    this.changeFullRecord((full) => {
      full.results[step] = output;
      full.completed.add(step);
    });
  }

  private mergeData(patch: JsonObject): void {
    for (const [key, value] of Object.entries(patch)) {
      this.changedData.set(key, JSON.stringify(value));
      if (this.namedData.has(key)) this.namedData.set(key, value);
      this.changeFullRecord((full) => {
        full.data[key] = value;
      });
    }
  }

  private changeFullRecord(change: Change): void {
    if (this.whole.is === 'read') change(this.whole.full);
    else this.whole.unseen.push(change);
  }

  /** Returns the values and data that changed since the last call, for the delta. */
  takeChanges(): { values: readonly StoredValue[]; data: readonly { key: string; text: string }[] } {
    const values = this.fresh;
    this.fresh = [];
    if (this.changedData.size === 0) return { values, data: [] };
    const data = Array.from(this.changedData, ([key, text]) => ({ key, text }));
    this.changedData = new Map();
    return { values, data };
  }

  /** Restores changes that were not written, so that the next delta contains them. */
  putBack({ values, data }: Pick<Delta, 'values' | 'data'>): void {
    this.fresh = [...values, ...this.fresh];
    this.changedData = new Map([...data.map(({ key, text }) => [key, text] as const), ...this.changedData]);
  }

  /** Drops values that can be loaded again and that nothing live refers to (E8). Call it right after a commit. */
  forget(state: RunState): void {
    if (this.whole.is === 'unread') this.whole.unseen = [];
    if (this.known.size < KNOWN_MAX) return;
    const kept = new Set(refsOf(state).map((ref) => ref.digest));
    for (const { ref } of this.fresh) kept.add(ref.digest);
    for (const digest of this.known.keys()) if (!kept.has(digest)) this.known.delete(digest);
    for (const group of this.groups.keys()) if (state.groups[group] === undefined && state.halt?.path !== group) this.groups.delete(group);
  }

  /** Returns the run's record as functions see it. It is read from the store once and kept up to date after that. */
  snapshot(state: RunState): Snapshot | Promise<Snapshot> {
    if (this.whole.is === 'read') return snapshotAt(this.whole, state);
    const { read } = this.whole.is === 'reading' ? this.whole : this.startReading(this.whole.unseen);
    return read.then((whole) => snapshotAt(whole, state));
  }

  private startReading(unseen: Change[]): { readonly read: Promise<ReadRecord> } {
    const read = this.readWhole(unseen);
    this.whole = { is: 'reading', unseen, read };
    read.catch(() => {
      this.whole = { is: 'unread', unseen };
    });
    return this.whole;
  }

  private async readWhole(unseen: Change[]): Promise<ReadRecord> {
    const { store, run } = this.options;
    const [data, rows] = await Promise.all([store.data(run), store.latest(run)]);
    const own = rows.filter((row) => row.group === undefined);
    const results = bare(await this.outputsOf(own));
    const full = { data: bare(data), results, completed: new Set(own.map((row) => row.step)) };
    // The run continued while this was read: apply what was settled meanwhile, in order.
    for (const change of unseen) change(full);
    const whole: ReadRecord = { is: 'read', full };
    this.whole = whole;
    return whole;
  }
}

/** Cached per position of the run: the members of a fan-out share one snapshot. */
function snapshotAt(whole: ReadRecord, state: RunState): Snapshot {
  if (whole.shown?.state !== state) whole.shown = { state, snapshot: snapshotOf(whole.full, state) };
  return whole.shown.snapshot;
}

/** Creates an object without a prototype, so that a key such as `__proto__` stays data. */
function bare(entries: Iterable<readonly [string, Json]>): Record<string, Json> {
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Record<string, Json>;
}

function memberOf(row: StoredAttempt, output: Json): MemberResult {
  const error: StepError | undefined = row.error;
  return {
    path: row.path,
    key: row.key ?? '',
    index: row.index ?? 0,
    attempt: row.attempt,
    outcome: row.outcome ?? 'cancelled',
    output,
    ...(error === undefined ? {} : { error }),
  };
}

function snapshotOf(whole: FullRecord, state: RunState): Snapshot {
  return {
    data: whole.data,
    results: whole.results,
    completedSteps: whole.completed,
    iterationCounts: state.counts,
    gateDecision: state.decision,
  };
}

/** Returns the values that an observation refers to. */
export function observedRefs({ subjects, approved, refused, output }: Observation): Ref[] {
  return [subjects, approved, refused, output].flatMap((ref) => ref ?? []);
}

/** Returns the values that a checkpoint refers to and that decisions may read. */
export function refsOf(state: RunState): Ref[] {
  const refs: Ref[] = [];
  for (const path in state.live) {
    const activation = state.live[path] as Activation;
    if (activation.answers !== undefined) refs.push(...activation.answers);
    if (activation.saved !== undefined) refs.push(activation.saved);
    const held = heldBy(activation)?.output;
    if (held !== undefined) refs.push(held);
    const outside = humanWaitOf(activation)?.outside;
    if (outside?.seen !== undefined) refs.push(...observedRefs(outside.seen));
    for (const { output } of outside?.decided ?? []) if (output !== undefined) refs.push(output);
  }
  for (const path in state.groups) {
    const items = state.groups[path]?.items;
    if (items !== undefined) refs.push(items);
  }
  for (const name in state.signals) for (const ref of state.signals[name] ?? []) if (ref !== null) refs.push(ref);
  if (state.halt?.group?.items !== undefined) refs.push(state.halt.group.items);
  refs.push(...refsOfAnswers(state));
  return refs;
}

/** Returns the references to assumptions and their answers. */
export function refsOfAnswers({ assumptions = [] }: RunState): Ref[] {
  return assumptions.flatMap(({ answer, list }) =>
    answer === undefined ? [] : [list, ...(answer.text === undefined ? [] : [answer.text])],
  );
}
