// Owns what a step's functions see: the engine's facts about the attempt, the run's record, and the fields of the
// application's own context. Most functions read little of it, so each part is built when it is first read.

import { EngineError, messageOf } from '../base/error.ts';
import { deepFreeze, type Json, type JsonObject } from '../base/json.ts';
import { bindParams } from '../definition/arg.ts';
import type { CheckpointView, StepContext } from '../definition/code.ts';
import { isPromise, untilStopped } from './abort.ts';
import type { AttemptRequest, Snapshot } from './attempt.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The context of one attempt. Its data is frozen: a handler returns changes, it does not make them. */
export class AttemptContext implements StepContext {
  readonly #request: AttemptRequest;
  readonly #app: Fields | undefined;
  readonly #result: unknown;
  #snapshot: Snapshot | undefined;
  #stepState: JsonObject | undefined;
  #checkpoint: CheckpointView | undefined;
  #results: StepContext['results'] | undefined;

  constructor(request: AttemptRequest, parts: { readonly snapshot?: Snapshot; readonly app?: Fields; readonly result?: unknown }) {
    this.#request = request;
    this.#snapshot = parts.snapshot;
    this.#result = parts.result;
    this.#app = parts.app;
    Object.defineProperties(this, OWN);
    if (parts.app !== undefined) for (const name of Object.keys(parts.app)) Object.defineProperty(this, name, fieldOf(parts.app, name));
  }

  /** The same context after the work: postconditions see its result. */
  after(result: unknown): AttemptContext {
    return new AttemptContext(this.#request, { snapshot: this.snapshot, ...(this.#app === undefined ? {} : { app: this.#app }), result });
  }

  /** The same context with more data in the run's record. */
  knowing(data: JsonObject): AttemptContext {
    const snapshot = { ...this.snapshot, data: { ...this.snapshot.data, ...data } };
    return new AttemptContext(this.#request, { snapshot, ...(this.#app === undefined ? {} : { app: this.#app }), result: this.#result });
  }

  get runId(): string {
    return this.#request.runId;
  }

  get workflow(): string {
    return this.#request.workflow.definition.name;
  }

  get stepId(): string {
    return this.#request.bound.model.id;
  }

  get path(): string {
    return this.#request.activation.path;
  }

  get attempt(): number {
    return this.#request.activation.attempt;
  }

  get idempotencyKey(): string {
    return keyOf(this.#request);
  }

  get params(): JsonObject {
    return deepFreeze(this.#request.params);
  }

  get workflowParams(): JsonObject {
    return this.params;
  }

  get stepState(): JsonObject {
    this.#stepState ??= deepFreeze({ ...this.#request.params, ...ownData(this.snapshot) });
    return this.#stepState;
  }

  get args(): JsonObject {
    const { id, args } = this.#request.bound.model;
    const known = Object.entries(this.stepState).filter(([name]) => Object.hasOwn(args, name));
    return bindParams(args, Object.fromEntries(known), `step "${id}"`);
  }

  get checkpoint(): CheckpointView {
    this.#checkpoint ??= deepFreeze(checkpointOf(this.#request.params, this.snapshot));
    return this.#checkpoint;
  }

  get results(): StepContext['results'] {
    this.#results ??= deepFreeze(
      Object.fromEntries(Object.entries(this.snapshot.results).map(([name, output]): [string, { output: Json }] => [name, { output }])),
    );
    return this.#results;
  }

  get result(): unknown {
    return deepFreeze(this.#result);
  }

  get item(): unknown {
    return this.#request.item === undefined ? undefined : deepFreeze(this.#request.item);
  }

  get itemKey(): string | undefined {
    return this.#request.activation.member?.key;
  }

  get retryContext(): StepContext['retryContext'] {
    return retryContextOf(this.#request);
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** The run's record. A task of a flow may not have it loaded; then it must be at hand. */
  get snapshot(): Snapshot {
    if (this.#snapshot !== undefined) return this.#snapshot;
    const loaded = this.#request.snapshot();
    if (isPromise(loaded))
      throw new EngineError('CONTEXT_FAILED', `the record of run ${this.runId} was not loaded for step "${this.stepId}"`);
    this.#snapshot = loaded;
    return loaded;
  }
}

// On the object itself, so that `{ ...ctx }` has them. `snapshot` is the engine's own.
const { snapshot: _, ...GETTERS } = Object.getOwnPropertyDescriptors(AttemptContext.prototype) as Record<string, PropertyDescriptor>;
const OWN = Object.fromEntries(
  Object.entries(GETTERS).flatMap(([name, { get }]) => (get === undefined ? [] : [[name, { get, enumerable: true }]])),
);

/** Builds the context of an attempt, without waiting where nothing has to be waited for. */
export function openContext(request: AttemptRequest): AttemptContext | Promise<AttemptContext> {
  const snapshot = readsRecord(request) ? request.snapshot() : undefined;
  const app = request.workflow.context !== undefined && hasFunctions(request) ? applicationFields(request) : undefined;
  if (isPromise(snapshot) || isPromise(app)) return awaitContext(request, snapshot, app);
  return new AttemptContext(request, partsOf(snapshot, app));
}

async function awaitContext(
  request: AttemptRequest,
  snapshot: Snapshot | undefined | PromiseLike<Snapshot>,
  app: Fields | undefined | Promise<Fields>,
): Promise<AttemptContext> {
  // Both at once: a rejection of one must not stand unhandled while the other is awaited.
  const both = await untilStopped(Promise.all([snapshot, app]), request.signal);
  return new AttemptContext(request, partsOf(both[0], both[1]));
}

function partsOf(snapshot: Snapshot | undefined, app: Fields | undefined) {
  return { ...(snapshot === undefined ? {} : { snapshot }), ...(app === undefined ? {} : { app }) };
}

// A task of a flow gets its arguments from the generator, so the record is loaded only when a function builds them.
function readsRecord({ bound: { model }, workflow }: AttemptRequest): boolean {
  if (model.kind !== 'task' || workflow.definition.form === 'graph') return true;
  return (
    model.outputs !== undefined ||
    model.preconditions.length > 0 ||
    model.postconditions.length > 0 ||
    !Array.isArray(model.config.args ?? [])
  );
}

function hasFunctions({ bound: { code } }: AttemptRequest): boolean {
  const { run, reconcile, poll, context, built, agent, finds, preconditions, postconditions } = code;
  const isThere = (value: unknown): boolean => value !== undefined;
  return [run, reconcile, poll, context, built, agent, finds].some(isThere) || preconditions.some(isThere) || postconditions.some(isThere);
}

async function applicationFields(request: AttemptRequest): Promise<Fields> {
  const { runId, params, workflow } = request;
  const name = workflow.definition.name;
  let built: unknown;
  try {
    built = await workflow.context?.({ runId, workflow: name, params: deepFreeze(params) });
  } catch (thrown) {
    throw new EngineError('CONTEXT_FAILED', `the context of workflow "${name}" could not be built: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  if (typeof built !== 'object' || built === null || Array.isArray(built))
    throw new EngineError('CONTEXT_FAILED', `the context of workflow "${name}" must be an object, and is ${kindOf(built)}`);
  const taken = Object.keys(built).find((field) => field in AttemptContext.prototype);
  if (taken !== undefined)
    throw new EngineError('CONTEXT_FAILED', `the context of workflow "${name}" has a field "${taken}", which the engine gives; rename it`);
  return built as Fields;
}

function fieldOf(app: Fields, name: string): PropertyDescriptor {
  return { value: app[name], enumerable: true };
}

/** The key of an attempt: the same for a crash re-run, another for a retry. */
export function keyOf({ runId, activation }: AttemptRequest): string {
  return `${runId}/${activation.path}/${activation.attempt}`;
}

/** What was wrong with the attempt before, if there was one. */
export function retryContextOf({ activation, notes = [] }: AttemptRequest): StepContext['retryContext'] {
  if (activation.feedback === undefined) return undefined;
  const { path: own, member } = activation;
  const note = notes.findLast(({ by, path }) => by === 'note' && (path === own || path === member?.group))?.text;
  return { error: activation.feedback, attempt: activation.attempt, ...(note === undefined ? {} : { note }) };
}

/** The sentence that opens whatever is said to a worker who tries again. */
export function feedbackSentence(error: string): string {
  return `Previous attempt failed: ${error}`;
}

/** The checkpoint as functions and expressions see it: merged data over the params, and the engine's own names over both. */
export function checkpointOf(params: JsonObject, snapshot: Snapshot): CheckpointView {
  const { results, completedSteps, iterationCounts, gateDecision } = snapshot;
  return {
    ...params,
    ...ownData(snapshot),
    completedSteps: [...completedSteps],
    results: { ...results },
    iterationCounts: { ...iterationCounts },
    gateDecision,
  };
}

/** The run's data without what the engine keeps for itself under names with `$`. */
export function ownData({ data }: Pick<Snapshot, 'data'>): JsonObject {
  const names = Object.keys(data);
  return names.some((name) => name.startsWith('$'))
    ? Object.fromEntries(names.filter((name) => !name.startsWith('$')).map((name) => [name, data[name] as Json]))
    : data;
}

/** What sort of value this is, in an error message. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
