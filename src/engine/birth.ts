// Owns how a run comes into the world: what it is started with, what it takes over from another run, and its first
// event.

import { type Json, type JsonObject, toPlain } from '../base/json.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { Ref } from '../kernel/activation.ts';
import type { Override, RunStarted } from '../kernel/event.ts';
import type { FlowRecord } from '../kernel/flow-program.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { RunOrigin } from '../store/store.ts';
import type { Supplied } from './record.ts';
import type { FrozenSigning, Signer } from './signatures.ts';

/** How a run is started. */
export interface StartOptions {
  readonly id?: string;
  readonly origin?: RunOrigin;
  readonly parent?: { readonly run: string; readonly path: string };
  readonly depth?: number;
  /** Begins at this step; what comes before it is taken from `outputs`. */
  readonly from?: string;
  readonly outputs?: Readonly<Record<string, Json>>;
  /** Data the run is given from outside; names with a `$` are roots of their own in expressions. */
  readonly facts?: JsonObject;
  /** What another run had done before the step this one begins at: a fork. */
  readonly past?: Past;
  /** What the run that it comes from asks of signatures. */
  readonly signing?: FrozenSigning;
  /** Signs, as the actor of the origin, that it begins behind its first step. */
  readonly sign?: Signer;
}

/** The history that a fork takes over, by reference. */
export interface Past {
  readonly run: string;
  readonly seq: number;
  readonly counts: RunState['counts'];
  readonly data: ReadonlyMap<string, Json>;
  readonly results: ReadonlyMap<string, Json>;
  /** Its steps that had settled well, in order. */
  readonly done: readonly { readonly step: string; readonly kind: string }[];
  /** flow: the ended steps, to be replayed. */
  readonly history?: readonly FlowRecord[];
  /** flow: results that were given in place of steps. */
  readonly given?: ReadonlyMap<string, Json>;
}

/** What a first event is made of. */
export interface Birth {
  readonly id: string;
  readonly at: number;
  readonly options: StartOptions;
  readonly supplied: readonly Supplied[];
  readonly params?: Ref;
  /** What is passed by hand by beginning so. */
  readonly override?: Override;
  readonly signing: FrozenSigning;
}

/** What a run is started with is copied: the caller may go on to change it. */
export function ownOptions(options: StartOptions): StartOptions {
  const { outputs, facts } = options;
  return {
    ...options,
    ...(outputs === undefined ? {} : { outputs: toPlain(outputs, 'the outputs that the run was started with') as Record<string, Json> }),
    ...(facts === undefined ? {} : { facts: toPlain(facts, 'the facts that the run was started with') as JsonObject }),
  };
}

/** The first event of a run. */
export function birthOf({ definition, hash }: CompiledWorkflow, birth: Birth): RunStarted {
  const { id, at, options, supplied, params, override, signing } = birth;
  const { past, parent, depth = 0, from = '' } = options;
  const given = supplied.flatMap(({ step, ref }) => (ref === undefined ? [] : [[step, ref] as const]));
  const { name: workflow, form } = definition;
  return {
    type: 'run.started',
    at,
    run: {
      id,
      workflow,
      def: hash,
      form,
      flags: [],
      depth,
      ...(params === undefined ? {} : { params }),
      ...(parent === undefined ? {} : { parent }),
      ...(signing.signed === undefined ? {} : { signed: signing.signed }),
    },
    ...(past === undefined ? {} : { fork: { run: past.run, seq: past.seq, step: from }, counts: past.counts }),
    ...(given.length === 0 ? {} : { supplied: Object.fromEntries(given) }),
    ...(override === undefined ? {} : { override }),
    ...(signing.keys === undefined ? {} : { keys: signing.keys }),
  };
}

/** Where the steps of a run work, as its origin says. */
export function placeOf({ workspace, head }: RunOrigin): Pick<RunOrigin, 'workspace' | 'head'> {
  return { ...(workspace === undefined ? {} : { workspace }), ...(head === undefined ? {} : { head }) };
}
