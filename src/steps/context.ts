// Owns the context of a step's functions: facts about the attempt, the run's record, and the fields of the application.
// Most functions read little of it, so expensive parts are built when they are first read.

import { EngineError, messageOf } from '../base/error.ts';
import { deepFreeze, type Json, type JsonObject, toPlain } from '../base/json.ts';
import { isReservedName } from '../base/reserved-name.ts';
import type { CheckpointView, ContextSource, StepContext } from '../definition/code.ts';
import { databaseNames } from '../definition/database.ts';
import { bindParams } from '../definition/param/arg.ts';
import type { ProtectedDatabase } from '../definition/protected-database.ts';
import { ASSUMPTIONS_PER_ATTEMPT, type AssumptionInput, type AssumptionText, checkAssumptions } from '../definition/question/assumption.ts';
import type { Activation } from '../kernel/activation.ts';
import { isPromise, untilStopped } from './abort.ts';
import type { AttemptRequest, Snapshot } from './attempt.ts';

type Fields = Readonly<Record<string, unknown>>;
type Databases = ContextSource['databases'];

const NO_DATABASES: Databases = Object.freeze({});

interface ContextParts {
  readonly snapshot?: Snapshot | undefined;
  readonly app?: Fields | undefined;
  readonly result?: unknown;
  readonly assumed?: AssumptionText[];
}

/** The context of one attempt. Its data is frozen, because handlers must return changes instead of making them. */
export class AttemptContext implements StepContext {
  readonly #request: AttemptRequest;
  readonly #app: Fields | undefined;
  /** Assumptions that the step's functions made instead of asking; shared by all contexts of the attempt. */
  readonly #assumed: AssumptionText[];
  readonly runId: string;
  readonly workflow: string;
  readonly stepId: string;
  readonly path: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly params: JsonObject;
  readonly undoes: StepContext['undoes'];
  readonly itemKey: string | undefined;
  readonly retryContext: StepContext['retryContext'];
  /** The result of the work, for postconditions; for an undo, the result to undo. */
  readonly result: unknown;
  readonly item: unknown;
  readonly signal: AbortSignal;
  readonly assume: StepContext['assume'];
  declare readonly db: ProtectedDatabase;
  declare readonly databases: StepContext['databases'];
  #snapshot: Snapshot | undefined;
  #data: JsonObject | undefined;
  #checkpoint: CheckpointView | undefined;
  #results: StepContext['results'] | undefined;

  constructor(request: AttemptRequest, parts: ContextParts) {
    this.#request = request;
    this.#snapshot = parts.snapshot;
    this.#app = parts.app;
    this.#assumed = parts.assumed ?? [];
    const { runId, workflow, bound, activation, undoes, signal } = request;
    this.runId = runId;
    this.workflow = workflow.definition.name;
    this.stepId = bound.model.id;
    this.path = activation.path;
    this.attempt = activation.attempt;
    this.idempotencyKey = keyOf(request);
    this.params = deepFreeze(request.params);
    this.undoes = undoes;
    this.itemKey = activation.member?.key;
    this.retryContext = retryContextOf(request);
    this.result = deepFreeze(parts.result);
    this.item = deepFreeze(request.item);
    this.signal = signal;
    this.assume = (assumption) => this.#assume(assumption);
    // Defined on the object itself, so that `{ ...ctx }` has them. Only expensive fields are accessors, because defining one
    // takes longer than setting all the fields above.
    for (const { name, get } of LAZY_FIELDS) Object.defineProperty(this, name, { get, enumerable: true });
    if (request.workflow.isCompat === true) {
      Object.defineProperty(this, 'workflowParams', { value: this.params, enumerable: true });
      Object.defineProperty(this, 'stepState', { get: () => this.#merged, enumerable: true });
    }
    if (parts.app !== undefined) for (const name of Object.keys(parts.app)) this.#add(name, parts.app[name]);
  }

  #add(name: string, value: unknown): void {
    if (name in this)
      throw new EngineError(
        'CONTEXT_FAILED',
        `the context of workflow "${this.workflow}" has a field "${name}", which the engine provides; rename it`,
      );
    Object.defineProperty(this, name, { value, enumerable: true });
  }

  /** The same context with the result of the work, for postconditions. */
  withResult(result: unknown): AttemptContext {
    return this.#copy({ snapshot: this.snapshot, result });
  }

  /** The same context with more data in the run's record. */
  withData(data: JsonObject): AttemptContext {
    const snapshot = { ...this.snapshot, data: { ...this.snapshot.data, ...data } };
    return this.#copy({ snapshot, result: this.result });
  }

  /** The same context with the databases of the step, and with the application's fields, which may use them. */
  async withDatabases(databases: Databases): Promise<AttemptContext> {
    const [only, second] = Object.values(databases);
    const fields = second === undefined && only !== undefined ? { db: only, databases } : { databases };
    const app = { ...fields, ...(await databaseContextFields(this.#request, databases)) };
    return new AttemptContext(this.#request, { snapshot: this.#snapshot, result: this.result, app, assumed: this.#assumed });
  }

  #copy(parts: Pick<ContextParts, 'snapshot' | 'result'>): AttemptContext {
    return new AttemptContext(this.#request, { ...parts, app: this.#app, assumed: this.#assumed });
  }

  /** The assumptions so far, oldest first. */
  get assumed(): readonly AssumptionText[] {
    return this.#assumed;
  }

  #assume(assumption: AssumptionInput): string {
    const read = checkAssumptions(toPlain([assumption], 'the assumption'));
    if ('why' in read) throw new EngineError('REPORT_INVALID', `step "${this.stepId}": ${read.why}`);
    const [checked] = read.assumptions as [AssumptionText];
    const { answered = [], activation } = this.#request;
    const known = answered.findLast(({ step, question }) => step === activation.step && question === checked.question);
    if (known !== undefined) return known.answer;
    if (this.#assumed.length >= ASSUMPTIONS_PER_ATTEMPT)
      throw new EngineError(
        'REPORT_INVALID',
        `step "${this.stepId}" assumes more than ${ASSUMPTIONS_PER_ATTEMPT} things; keep the most severe`,
      );
    this.#assumed.push(checked);
    return checked.assumed;
  }

  get #merged(): JsonObject {
    this.#data ??= deepFreeze({ ...this.#request.params, ...visibleData(this.snapshot) });
    return this.#data;
  }

  get args(): JsonObject {
    const { id, args } = this.#request.bound.model;
    const known = Object.entries(this.#merged).filter(([name]) => Object.hasOwn(args, name));
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

  /** The run's record. If it was not loaded, as for a task of a flow, it must be available synchronously. */
  get snapshot(): Snapshot {
    if (this.#snapshot !== undefined) return this.#snapshot;
    const loaded = this.#request.snapshot();
    if (isPromise(loaded))
      throw new EngineError('CONTEXT_FAILED', `the record of run ${this.runId} was not loaded for step "${this.stepId}"`);
    this.#snapshot = loaded;
    return loaded;
  }
}

/** The accessors of a context. `snapshot` and `assumed` are the engine's own. */
const LAZY_FIELDS = Object.entries(Object.getOwnPropertyDescriptors(AttemptContext.prototype)).flatMap(([name, { get }]) =>
  get === undefined || name === 'snapshot' || name === 'assumed' ? [] : [{ name, get }],
);

/** What other workflows read in place of the names that `pawl/compat` adds. */
const COMPAT_NAMES = { workflowParams: 'params', stepState: 'checkpoint' };
for (const [name, main] of Object.entries(COMPAT_NAMES))
  Object.defineProperty(AttemptContext.prototype, name, {
    get(this: AttemptContext): never {
      throw new EngineError(
        'CONTEXT_FAILED',
        `step "${this.stepId}" reads \`ctx.${name}\`, which only pawl/compat has; read \`ctx.${main}\``,
      );
    },
  });

/** Builds the context of an attempt, synchronously if possible. */
export function openContext(request: AttemptRequest): AttemptContext | Promise<AttemptContext> {
  const snapshot = readsRecord(request) ? request.snapshot() : undefined;
  // With databases, the application's fields are built once the step has its copies.
  const isBuiltNow = databaseNames(request.bound.model).length === 0;
  const app = isBuiltNow && hasApplicationFields(request) ? applicationFields(request, () => NO_DATABASES) : undefined;
  if (isPromise(snapshot) || isPromise(app)) return awaitContext(request, snapshot, app);
  return new AttemptContext(request, partsOf(request, snapshot, app));
}

async function awaitContext(
  request: AttemptRequest,
  snapshot: Snapshot | undefined | PromiseLike<Snapshot>,
  app: Fields | undefined | Promise<Fields>,
): Promise<AttemptContext> {
  // Awaited together: otherwise a rejection of one would be unhandled while the other is awaited.
  return new AttemptContext(request, partsOf(request, ...(await untilStopped(Promise.all([snapshot, app]), request.signal))));
}

function partsOf({ undoes, result }: AttemptRequest, snapshot: Snapshot | undefined, app: Fields | undefined): ContextParts {
  return { snapshot, app, result: undoes === undefined ? undefined : result };
}

// A task of a flow gets its arguments from the generator, so the record is needed only if a function builds them.
function readsRecord({ bound: { model }, workflow, undoes }: AttemptRequest): boolean {
  if (undoes !== undefined || model.kind !== 'task' || workflow.definition.form === 'graph') return true;
  return (
    model.outputs !== undefined ||
    model.preconditions.length > 0 ||
    model.postconditions.length > 0 ||
    !Array.isArray(model.config.args ?? [])
  );
}

/** Whether a step has functions of its author that receive a context. */
export function hasFunctions({ bound: { code } }: AttemptRequest): boolean {
  const { run, reconcile, poll, context, built, agent, finds, preconditions, postconditions } = code;
  const isThere = (value: unknown): boolean => value !== undefined;
  return [run, reconcile, poll, context, built, agent, finds].some(isThere) || preconditions.some(isThere) || postconditions.some(isThere);
}

function hasApplicationFields(request: AttemptRequest): boolean {
  return request.workflow.context !== undefined && hasFunctions(request);
}

/** The application's fields of a step with databases. A field `db` must be built from them. */
async function databaseContextFields(request: AttemptRequest, databases: Databases): Promise<Fields> {
  if (!hasApplicationFields(request)) return {};
  let isRead = false;
  const read = (): Databases => {
    isRead = true;
    return databases;
  };
  const fields = await untilStopped(applicationFields(request, read), request.signal);
  const taken = Object.keys(fields).find((name) => name === 'databases' || (name === 'db' && !isRead));
  if (taken === undefined) return fields;
  throw new EngineError(
    'CONTEXT_FAILED',
    `the context of workflow "${request.workflow.definition.name}" has a field "${taken}", and so do steps with \`databases\`; ${taken === 'db' ? 'build it from the `databases` that the context is given, or rename it' : 'rename it'}`,
  );
}

async function applicationFields(request: AttemptRequest, readDatabases: () => Databases): Promise<Fields> {
  const { runId, startedAt, params, workflow } = request;
  const name = workflow.definition.name;
  let built: unknown;
  try {
    built = await workflow.context?.({
      runId,
      startedAt,
      workflow: name,
      params: deepFreeze(params),
      get databases() {
        return readDatabases();
      },
    });
  } catch (thrown) {
    throw new EngineError('CONTEXT_FAILED', `the context of workflow "${name}" could not be built: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  if (typeof built !== 'object' || built === null || Array.isArray(built))
    throw new EngineError('CONTEXT_FAILED', `the context of workflow "${name}" must be an object, not ${typeName(built)}`);
  return built as Fields;
}

/** The key of an attempt: the same for a crash re-run, another for a retry. */
export function keyOf({
  runId,
  activation,
}: Pick<AttemptRequest, 'runId'> & { readonly activation: Pick<Activation, 'path' | 'attempt'> }): string {
  return `${runId}/${activation.path}/${activation.attempt}`;
}

/** Why the previous attempt failed, if there was one. */
export function retryContextOf({ activation, notes = [] }: AttemptRequest): StepContext['retryContext'] {
  if (activation.feedback === undefined) return undefined;
  const { path: own, member } = activation;
  const note = notes.findLast(({ by, path }) => by === 'note' && (path === own || path === member?.group))?.text;
  return { error: activation.feedback, attempt: activation.attempt, ...(note === undefined ? {} : { note }) };
}

/** The first sentence of the feedback for a retry. */
export function feedbackSentence(error: string): string {
  return `Previous attempt failed: ${error}`;
}

/** The checkpoint for functions and expressions: merged data over the params, and the engine's names over both. */
export function checkpointOf(params: JsonObject, snapshot: Snapshot): CheckpointView {
  const { results, completedSteps, iterationCounts, decision } = snapshot;
  return {
    ...params,
    ...visibleData(snapshot),
    completedSteps: [...completedSteps],
    results: { ...results },
    iterationCounts: { ...iterationCounts },
    lastDecision: decision,
  };
}

/** The run's data without the engine's entries, whose names begin with `$`. */
export function visibleData({ data }: Pick<Snapshot, 'data'>): JsonObject {
  const entries = Object.entries(data);
  return entries.some(([name]) => isReservedName(name)) ? Object.fromEntries(entries.filter(([name]) => !isReservedName(name))) : data;
}

/** The type of a value, for error messages. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
