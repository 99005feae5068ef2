// Owns the start of a run: its options, the history it reuses from another run, and its first event.

import { EngineError } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { type Json, type JsonObject, toPlain } from '../base/json.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { Override } from '../definition/passage.ts';
import type { Assumption } from '../definition/question/assumption-record.ts';
import type { Ref } from '../kernel/activation.ts';
import type { EventOf } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { FlowRecord } from '../programs/flow.ts';
import type { RunOrigin } from '../store/store.ts';
import type { SuppliedResult } from './record.ts';
import type { FrozenSigning, Signer } from './signature/signatures.ts';

/** Results of steps that a run is given instead of producing them, by the ids of the steps. */
export type SuppliedOutputs<Step extends string = string> = string extends Step
  ? Readonly<Record<string, Json>>
  : { readonly [Id in Step]?: Json };

/** The options of every new run. */
export interface NewRunOptions {
  readonly id?: string;
  /** Data from outside the run. Names that start with `$` are roots of their own in expressions. */
  readonly facts?: JsonObject;
  /** Only puts the run on disk: another process that drives the runs of this store takes it. */
  readonly parked?: true;
  /** Signs, as the origin's actor, that the run does not start at its first step. */
  readonly sign?: Signer;
}

/** Options for starting a run. */
export interface StartOptions extends NewRunOptions {
  readonly origin?: RunOrigin;
  readonly parent?: { readonly run: string; readonly path: string };
  readonly depth?: number;
  /** Starts at this step. Results of earlier steps come from `outputs`. */
  readonly from?: string;
  readonly outputs?: SuppliedOutputs;
  /** For a fork: the history of the original run before the step where this one starts. */
  readonly past?: ForkHistory;
  /** The signing rules of the run that this one was forked from or started by. */
  readonly signing?: FrozenSigning;
}

/** The history that a fork reuses, by reference. */
export interface ForkHistory {
  readonly run: string;
  readonly seq: number;
  readonly counts: RunState['counts'];
  /** The original's assumptions that the fork takes over. */
  readonly assumptions: readonly Assumption[];
  readonly data: ReadonlyMap<string, Json>;
  readonly results: ReadonlyMap<string, Json>;
  /** The steps that completed, in order. */
  readonly done: readonly { readonly step: string; readonly kind: string }[];
  /** For flows: the ended steps, to be replayed. */
  readonly history?: readonly FlowRecord[];
  /** For flows: results that were supplied in place of steps. */
  readonly given?: ReadonlyMap<string, Json>;
}

/** The parts of a first event. */
export interface FirstEventParts {
  readonly id: string;
  readonly at: number;
  readonly options: StartOptions;
  readonly supplied: readonly SuppliedResult[];
  readonly params?: Ref;
  /** The steps that starting this way overrides. */
  readonly override?: Override;
  readonly signing: FrozenSigning;
}

/** Copies the options, because the caller may change its objects later. */
export function ownOptions(options: StartOptions): StartOptions {
  const { outputs, facts } = options;
  return {
    ...options,
    ...(outputs === undefined ? {} : { outputs: toPlain(outputs, 'the outputs that the run was started with') as Record<string, Json> }),
    ...(facts === undefined ? {} : { facts: toPlain(facts, 'the facts that the run was started with') as JsonObject }),
  };
}

/** Creates the first event of a run. */
export function createFirstEvent({ definition, hash }: CompiledWorkflow, birth: FirstEventParts): EventOf<'run.started'> {
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
      ...present({ params, parent, signed: signing.signed }),
    },
    ...(past === undefined ? {} : { fork: { run: past.run, seq: past.seq, step: from }, counts: past.counts }),
    ...(past === undefined || past.assumptions.length === 0 ? {} : { assumptions: past.assumptions }),
    ...(given.length === 0 ? {} : { supplied: Object.fromEntries(given) }),
    ...present({ override, keys: signing.keys }),
  };
}

/** Returns where the steps of a run work, according to its origin. */
export function placeOf({ workspace, head, priority }: RunOrigin): Pick<RunOrigin, 'workspace' | 'head' | 'priority'> {
  return present({ workspace, head, priority });
}

/** Rejects a priority that is not a whole number from -1000 to 1000. */
export function assertPriority({ priority = 0 }: RunOrigin): void {
  if (Number.isInteger(priority) && Math.abs(priority) <= PRIORITY_MAX) return;
  throw new EngineError(
    'USAGE',
    `a priority must be a whole number from -${PRIORITY_MAX} to ${PRIORITY_MAX}, not ${JSON.stringify(priority)}`,
  );
}

const PRIORITY_MAX = 1000;
