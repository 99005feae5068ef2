// Owns a run's data in memory while it is driven: values, named data, results and members that decisions read. It is a
// cache: all of it can be loaded again from the store.
//
// E1. Everything a decision reads is loaded before the decision, so that the kernel stays synchronous.
// E2. Memory is bounded by what the definition names and by live groups, unless a function asks for the whole record.

import type { Ref } from '../base/digest.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Concurrency, StepModel } from '../definition/model.ts';
import { hasResult } from '../definition/outcome.ts';
import type { Observation } from '../definition/question/asked-question.ts';
import { withoutOwnNames } from '../definition/scope/joining-data.ts';
import type { Path } from '../kernel/activation.ts';
import { heldBy, humanWaitOf } from '../kernel/activation.ts';
import { joiningData, mergedBy, type RunEvent } from '../kernel/event.ts';
import type { MemberResult, Need, View } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import { type EndedAttempt, memberResult } from '../kernel/turn.ts';
import type { Snapshot } from '../steps/attempt.ts';
import type { Delta, Store, StoredAttempt, StoredValue } from '../store/store.ts';
import { opensGroup } from './event-facts.ts';
import type { ExternalFacts } from './host.ts';
import { KnownValues, readValues } from './values.ts';
import { resultsOf, WholeRecord } from './whole-record.ts';

/** Options for the cache of a run. */
export interface RunCacheOptions {
  readonly store: Store;
  readonly run: string;
  readonly reads: readonly Need[];
  readonly outside: ExternalFacts;
  readonly params: JsonObject;
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

/** The data and results that the program names, with their latest values. */
interface NamedValues {
  readonly data: Map<string, Json | undefined>;
  readonly outputs: Map<string, Json | undefined>;
}

/** The options that differ between the caches of an engine. */
export interface RunCacheRequest extends Pick<RunCacheOptions, 'reads' | 'params' | 'fresh'> {
  readonly concurrency?: Concurrency | undefined;
  /** Set if another process will drive the run: its steps stay in the queue. */
  readonly parked?: true;
}

/** A run's data in memory while it is driven. */
export class RunCache implements View {
  /** The evidence of the latest attempt whose end is not decided yet. */
  observed: { readonly path: Path; readonly evidence: Json | undefined } | undefined;
  private readonly options: RunCacheOptions;
  private readonly values = new KnownValues();
  private readonly whole: WholeRecord;
  /** Undefined until they are loaded. */
  private named: NamedValues | undefined;
  private readonly groups = new Map<Path, Map<string, MemberResult>>();
  /** The data that the next delta writes. */
  private changedData = new Map<string, string>();

  constructor(options: RunCacheOptions) {
    this.options = options;
    this.whole = new WholeRecord(options);
    if (options.fresh) this.named = namesIn(options);
  }

  get params(): JsonObject {
    return this.options.params;
  }

  get kinds(): View['kinds'] {
    return this.options.kinds;
  }

  get holding(): boolean {
    return this.options.holding();
  }

  data(key: string): Json | undefined {
    return this.named?.data.get(key);
  }

  output(step: string): Json | undefined {
    return this.named?.outputs.get(step);
  }

  evidence(path: Path): Json | undefined {
    return this.observed?.path === path ? this.observed.evidence : undefined;
  }

  value(ref: Ref): Json {
    return this.values.get(ref);
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

  keep(value: NonNullable<Json>): Ref;
  keep(value: Json): Ref | undefined;
  keep(value: Json): Ref | undefined {
    return value === null ? undefined : this.values.add(value);
  }

  /** Supplies the result of a step that is not run, for a run that starts in the middle. */
  supply(step: string, value: Json): SuppliedResult {
    if (isJsonObject(value)) this.mergeData(withoutOwnNames(value));
    this.noteResult(step, value);
    const ref = this.keep(value);
    return ref === undefined ? { step } : { step, ref };
  }

  /** Adds the data and results of the run this one was forked from. The store copies the rows of the results. */
  supplyPast(past: { readonly data: ReadonlyMap<string, Json>; readonly results: ReadonlyMap<string, Json> }): void {
    this.mergeData(Object.fromEntries(past.data));
    for (const [step, value] of past.results) this.noteResult(step, value);
  }

  /** Loads what the next decisions may read: named data and results once, values, and members of live groups. */
  async load(refs: readonly Ref[], groups: readonly Path[]): Promise<void> {
    if (!this.values.has(refs)) await this.values.load(this.options.store, refs);
    this.named ??= await readNamed(this.options);
    for (const group of groups) if (!this.groups.has(group)) this.groups.set(group, await readMembers(this.options, group));
  }

  /** True if `load` has nothing to do, so that the hot path can skip it. */
  has(refs: readonly Ref[], groups: readonly Path[]): boolean {
    return this.named !== undefined && this.values.has(refs) && groups.every((group) => this.groups.has(group));
  }

  /** Applies the events of a decision, so that the next one sees them. */
  applyEvents(events: readonly RunEvent[], ended: readonly EndedAttempt[]): void {
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
    if (this.named?.outputs.has(step)) this.named.outputs.set(step, output);
    this.whole.setResult(step, output);
  }

  private mergeData(patch: JsonObject): void {
    for (const [key, value] of Object.entries(patch)) {
      this.changedData.set(key, JSON.stringify(value));
      if (this.named?.data.has(key)) this.named.data.set(key, value);
      this.whole.setData(key, value);
    }
  }

  /** Returns the values and data that changed since the last call, for the delta. */
  takeChanges(): { values: readonly StoredValue[]; data: readonly { key: string; text: string }[] } {
    const values = this.values.takeUnwritten();
    if (this.changedData.size === 0) return { values, data: [] };
    const data = Array.from(this.changedData, ([key, text]) => ({ key, text }));
    this.changedData.clear();
    return { values, data };
  }

  /** Restores changes that were not written, so that the next delta contains them. */
  putBack({ values, data }: Pick<Delta, 'values' | 'data'>): void {
    this.values.putBack(values);
    this.changedData = new Map([...data.map(({ key, text }) => [key, text] as const), ...this.changedData]);
  }

  /** Drops values and groups that can be loaded again and that nothing live refers to. Call it right after a commit. */
  forget(state: RunState): void {
    this.whole.committed();
    if (!this.values.isFull) return;
    this.values.keepOnly(refsOf(state));
    for (const group of this.groups.keys()) if (state.groups[group] === undefined && state.halt?.path !== group) this.groups.delete(group);
  }

  /** Returns the run's record as functions see it. It is read from the store once and kept up to date after that. */
  snapshot(state: RunState): Snapshot | Promise<Snapshot> {
    return this.whole.snapshot(state);
  }
}

function namesIn({ reads, outside }: RunCacheOptions): NamedValues {
  const named: NamedValues = { data: new Map(), outputs: new Map() };
  for (const need of reads) {
    if (need.read === 'data') named.data.set(need.key, undefined);
    if (need.read === 'outside') for (const key of outside.dependsOn) named.data.set(key, undefined);
    if (need.read === 'output') named.outputs.set(need.step, undefined);
  }
  return named;
}

async function readNamed(options: RunCacheOptions): Promise<NamedValues> {
  const { store, run } = options;
  const named = namesIn(options);
  if (named.data.size > 0) for (const [key, value] of await store.data(run, [...named.data.keys()])) named.data.set(key, value);
  if (named.outputs.size > 0) {
    const rows = await store.latest(run, [...named.outputs.keys()]);
    for (const [step, value] of await resultsOf(store, rows)) named.outputs.set(step, value);
  }
  return named;
}

async function readMembers({ store, run }: RunCacheOptions, group: Path): Promise<Map<string, MemberResult>> {
  const rows = (await store.attempts(run, group)).filter((row) => row.outcome !== undefined);
  const read = await readValues(
    store,
    rows.map(({ output }) => output),
  );
  return new Map(rows.flatMap((row) => (row.key === undefined ? [] : [[row.key, memberOf(row, row.key, read(row.output))] as const])));
}

function memberOf({ path, index = 0, attempt, outcome = 'cancelled', error }: StoredAttempt, key: string, output: Json): MemberResult {
  return { path, key, index, attempt, outcome, output, ...omitUndefined({ error }) };
}

/** Returns the values that an observation refers to. */
export function observedRefs({ subjects, approved, refused, output }: Observation): Ref[] {
  return [subjects, approved, refused, output].flatMap((ref) => ref ?? []);
}

/** Returns the values that a checkpoint refers to and that decisions may read. */
export function refsOf(state: RunState): Ref[] {
  const refs: Ref[] = [];
  for (const path in state.live) {
    const activation = state.live[path];
    if (activation === undefined) continue;
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
