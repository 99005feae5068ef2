// Owns the smallest host there can be: a checkpoint and what decisions read, in memory, without a clock or a store.
// It folds every decision from its events, as a host that lost its memory would, and freezes what it hands out.

import type { Ref } from '../../src/base/digest.ts';
import { digestText } from '../../src/base/digest.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import type { GraphDefinition, StepModel } from '../../src/definition/model.ts';
import type { HumanWait } from '../../src/definition/question/asked-question.ts';
import { opensGroup } from '../../src/engine/event-facts.ts';
import type { Activation, Membership, Path, PendingResult, Visit, Wait } from '../../src/kernel/activation.ts';
import { apply, applyRow, draftOf } from '../../src/kernel/apply.ts';
import { decide } from '../../src/kernel/decide.ts';
import { type EventOf, mergedBy, type RunEvent } from '../../src/kernel/event.ts';
import type { RunInput } from '../../src/kernel/input.ts';
import type { MemberResult, Program, View } from '../../src/kernel/program.ts';
import type { RunState } from '../../src/kernel/run-state.ts';
import { memberResult } from '../../src/kernel/turn.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { graphProgram } from '../../src/programs/graph.ts';

const NOT_A_RESULT = ['error', 'timeout', 'cancelled', 'skip'];

/** What decisions read beside the checkpoint. */
class MemoryView implements View {
  holding = false;
  readonly kinds = REGISTRY.kinds;
  readonly params: JsonObject;
  readonly values: Map<string, Json>;
  readonly merged: Map<string, Json>;
  readonly results: Map<string, Json>;
  readonly groups: Map<Path, Map<string, MemberResult>>;

  constructor(params: JsonObject, from?: MemoryView) {
    this.params = params;
    this.holding = from?.holding ?? false;
    this.values = new Map(from?.values);
    this.merged = new Map(from?.merged);
    this.results = new Map(from?.results);
    this.groups = new Map([...(from?.groups ?? [])].map(([path, members]) => [path, new Map(members)]));
  }

  data(key: string): Json | undefined {
    return this.merged.get(key);
  }

  output(step: string): Json | undefined {
    return this.results.get(step);
  }

  value(ref: Ref): Json {
    const value = this.values.get(ref.digest);
    if (value === undefined) throw new Error(`the value ${ref.digest} was never kept`);
    return value;
  }

  members(group: Path): readonly MemberResult[] {
    return [...(this.groups.get(group)?.values() ?? [])];
  }

  slots(model: StepModel): readonly string[] {
    return model.slots;
  }

  keep(value: Json): Ref | undefined {
    if (value === null) return undefined;
    const text = JSON.stringify(value);
    const ref = { digest: digestText(text), bytes: Buffer.byteLength(text) };
    if (!this.values.has(ref.digest)) this.values.set(ref.digest, value);
    return ref;
  }

  /** Takes in one fact; `activation` is what it is about, as it was before. */
  absorb(event: RunEvent, activation: Activation | undefined): void {
    if (opensGroup(event)) this.groups.set(event.activation.path, new Map());
    const merged = mergedBy(event);
    if (merged !== undefined) this.merge(this.value(merged));
    if (event.type !== 'step.settled' || activation === undefined) return;
    const output = event.output === undefined ? null : this.value(event.output);
    if (activation.member !== undefined) return this.absorbMember(event, activation.member, output);
    if (!NOT_A_RESULT.includes(event.outcome)) this.results.set(activation.step, output);
  }

  private absorbMember(event: Extract<RunEvent, { type: 'step.settled' }>, member: Membership, output: Json): void {
    this.groups.get(member.group)?.set(member.key, memberResult(event, member, output));
  }

  private merge(patch: Json): void {
    if (isJsonObject(patch)) for (const [key, value] of Object.entries(patch)) this.merged.set(key, value);
  }
}

/** What a run in memory is made of. */
export interface MemoryRunOptions {
  readonly program: Program;
  readonly form: 'graph' | 'flow';
  readonly params?: JsonObject;
}

/** An activation with all fields that it has in any state, for tests that know which state they expect. */
export interface SeenActivation extends Visit {
  readonly state: Activation['state'];
  readonly startedAt?: number;
  readonly due?: number;
  readonly until?: number;
  readonly slots?: readonly string[];
  readonly held?: PendingResult;
  readonly wait?: Omit<HumanWait, 'kind'> & { readonly kind: Wait['kind']; readonly name?: string; readonly run?: string };
}

/** One run in memory. */
export class MemoryHost {
  state: RunState;
  readonly rows: (readonly RunEvent[])[] = [];
  readonly view: MemoryView;
  /** A flow's program is live: whoever tests a crash puts a new one here. */
  program: Program;

  constructor(options: MemoryRunOptions, from?: MemoryHost) {
    this.program = options.program;
    this.view = new MemoryView(options.params ?? {}, from?.view);
    if (from !== undefined) {
      this.state = from.state;
      return;
    }
    const first: EventOf<'run.started'> = {
      type: 'run.started',
      at: 0,
      run: { id: 'r', workflow: 'w', def: 'd', form: options.form },
    };
    this.state = deepFreeze(applyRow(undefined, [first]));
    this.rows.push([first]);
  }

  /** The facts that follow from an input, without taking them. */
  wouldTake(input: RunInput): readonly RunEvent[] {
    return decide({ program: this.program, view: this.view }, draftOf(this.state), input).events;
  }

  /** Decides, and folds the facts into the checkpoint. */
  take(input: RunInput): readonly RunEvent[] {
    return this.commit(this.wouldTake(input));
  }

  /** Folds the facts of a decision into the checkpoint and into what later decisions read. */
  commit(events: readonly RunEvent[]): readonly RunEvent[] {
    const draft = draftOf(this.state);
    for (const event of events) {
      const activation = event.type === 'step.settled' ? draft.live[event.path] : undefined;
      this.view.absorb(event, activation);
      apply(draft, event);
    }
    draft.seq += 1;
    this.state = deepFreeze(draft);
    this.rows.push(events);
    return events;
  }

  /** The live activation at a path, which must be there. */
  at(path: Path): SeenActivation {
    const found = this.state.live[path];
    if (found === undefined) throw new Error(`${path} is not live; live are ${Object.keys(this.state.live).join(', ') || 'none'}`);
    return found as SeenActivation;
  }

  /** A copy that goes its own way; its log begins where this one stands. */
  fork(): MemoryHost {
    return new MemoryHost({ program: this.program, form: this.state.form, params: this.view.params }, this);
  }
}

/** A new run of a graph, not started yet. */
export function openGraph(definition: GraphDefinition, params: JsonObject = {}): MemoryHost {
  return new MemoryHost({ program: graphProgram(definition), form: 'graph', params });
}

/** A run of a graph that has taken its first step. */
export function startGraph(definition: GraphDefinition, params: JsonObject = {}): MemoryHost {
  const host = openGraph(definition, params);
  host.take({ type: 'start', at: 0 });
  return host;
}

/** Freezes a value and everything in it; parts that are frozen already are left alone. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
