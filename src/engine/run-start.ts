// Owns the start of a run: its options, the history it reuses from another run, its first event, and its driver.

import type { Ref } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { createRunId } from '../base/id.ts';
import { type Json, type JsonObject, toPlain } from '../base/json.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { entryOf } from '../definition/model.ts';
import { bindParams } from '../definition/param/arg.ts';
import type { Assumption } from '../definition/question/assumption-record.ts';
import type { Override } from '../definition/skipped-steps.ts';
import { createRun } from '../kernel/apply.ts';
import type { EventOf } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { FlowRecord } from '../programs/flow.ts';
import type { RunOrigin } from '../store/store.ts';
import { beginningOf } from './beginning.ts';
import { suppliedRows } from './delta.ts';
import { RunDriver } from './driver.ts';
import type { EngineCore } from './engine.ts';
import { placeOf, storedOnlyHost } from './host.ts';
import { programOf } from './programs.ts';
import type { SuppliedResult } from './run-cache.ts';
import { type FrozenSigning, type Signer, signFirstEvent, signingAtStart } from './signature/signatures.ts';

/** Results of steps that a run is given instead of producing them, by the ids of the steps. */
export type SuppliedOutputs<Step extends string = string> = string extends Step
  ? Readonly<Record<string, Json>>
  : { readonly [Id in Step]?: Json };

/** The options of every new run. */
export interface NewRunOptions {
  readonly id?: string;
  /** Data from outside the run. Names that start with `$` are separate roots in expressions. */
  readonly facts?: JsonObject;
  /** Only puts the run on disk: another process that drives the runs of this store takes it. */
  readonly parked?: true;
  /** Signs, as the origin's actor, that the run does not start at its first step. */
  readonly sign?: Signer | undefined;
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
  /** The step where the fork starts. */
  readonly step: string;
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
  readonly supplied?: ReadonlyMap<string, Json>;
}

/** The parts of a first event. */
interface FirstEventParts {
  readonly id: string;
  readonly at: number;
  readonly options: StartOptions;
  readonly supplied: readonly SuppliedResult[];
  readonly params?: Ref;
  /** The steps that starting this way overrides. */
  readonly override?: Override;
  readonly signing: FrozenSigning;
}

/** Starts a run. Resolves when it is on disk. */
export async function startRun(
  core: EngineCore,
  workflow: CompiledWorkflow,
  start: { readonly params: unknown; readonly options: StartOptions },
): Promise<RunDriver> {
  const options = ownOptions(start.options);
  const { parts } = core;
  parts.source.add?.(workflow);
  const { definition } = workflow;
  const bound = bindParams(definition.params, start.params, `workflow "${definition.name}"`);
  const id = options.id ?? createRunId();
  core.assertFree(id);
  const { override, detour } = beginningOf(parts.facts, definition, options);
  const signing = signingAtStart(parts.signing, definition, options.signing);
  const program = programOf(parts, { workflow, params: bound }, options);
  const { concurrency } = definition;
  const { reads } = program.program;
  const cache = core.cacheFor(id, { reads, params: bound, fresh: true, concurrency, ...omitUndefined({ parked: options.parked }) });
  if (options.past !== undefined) cache.supplyPast(options.past);
  const params = Object.keys(bound).length === 0 ? undefined : cache.keep(bound);
  const supplied = Object.entries(options.outputs ?? {}).map(([step, value]) => cache.supply(step, value));
  const at = core.clock.now();
  const created = createFirstEvent(workflow, { id, at, options, supplied, signing, ...omitUndefined({ params, override }) });
  const { origin = {}, from, sign, past, facts } = options;
  assertPriority(origin);
  const by = omitUndefined({ actor: origin.actor, sign });
  const event = await signFirstEvent(parts.signing, created, { from, entry: entryOf(definition), ...by });
  const fork = past === undefined ? {} : { fork: { run: past.run, seq: past.seq } };
  const create = { owner: core.me, definition, codeHash: workflow.codeHash, origin, ...fork };
  const driver = new RunDriver(options.parked === true ? storedOnlyHost(core) : core, {
    state: createRun(event),
    epoch: 1,
    cache,
    ...program,
    creation: { create, event, supplied: suppliedRows(workflow, supplied, event.at) },
    proof: { keys: signing.keys, used: new Set() },
    place: placeOf(origin),
  });
  core.register(driver, program);
  driver.take({
    type: 'start',
    at: event.at,
    ...omitUndefined({ from, detour, facts: facts === undefined ? undefined : cache.keep(facts) }),
  });
  await driver.created;
  return driver;
}

/** Copies the options, because the caller may change its objects later. */
function ownOptions(options: StartOptions): StartOptions {
  const { outputs, facts } = options;
  return {
    ...options,
    ...(outputs === undefined ? {} : { outputs: toPlain(outputs, 'the outputs that the run was started with') as Record<string, Json> }),
    ...(facts === undefined ? {} : { facts: toPlain(facts, 'the facts that the run was started with') as JsonObject }),
  };
}

/** Creates the first event of a run. */
function createFirstEvent({ definition, hash }: CompiledWorkflow, parts: FirstEventParts): EventOf<'run.started'> {
  const { id, at, options, supplied, params, override, signing } = parts;
  const { past, parent, depth } = options;
  const refs = supplied.flatMap(({ step, ref }) => (ref === undefined ? [] : [[step, ref] as const]));
  const { name: workflow, form } = definition;
  return {
    type: 'run.started',
    at,
    run: {
      id,
      workflow,
      def: hash,
      form,
      ...omitUndefined({ params, parent, depth, signed: signing.signed }),
    },
    ...(past === undefined ? {} : { fork: { run: past.run, seq: past.seq, step: past.step }, counts: past.counts }),
    ...(past === undefined || past.assumptions.length === 0 ? {} : { assumptions: past.assumptions }),
    ...(refs.length === 0 ? {} : { supplied: Object.fromEntries(refs) }),
    ...omitUndefined({ override, keys: signing.keys }),
  };
}

/** Rejects a priority that is not a whole number from -1000 to 1000. */
function assertPriority({ priority = 0 }: RunOrigin): void {
  if (Number.isInteger(priority) && Math.abs(priority) <= PRIORITY_MAX) return;
  throw new EngineError(
    'USAGE',
    `a priority must be a whole number from -${PRIORITY_MAX} to ${PRIORITY_MAX}, not ${JSON.stringify(priority)}`,
  );
}

const PRIORITY_MAX = 1000;
