// Creates attempt requests for tests of step kinds, as a host would create them.

import type { Json, JsonObject } from '../base/json.ts';
import { type CompiledWorkflow, NO_CODE, type StepCode } from '../definition/code.ts';
import type { Definition, StepFrame, StepKind, StepModel } from '../definition/model.ts';
import { plainFrame } from '../definition/plain-frame.ts';
import type { Visit } from '../kernel/activation.ts';
import type { AttemptRequest, Snapshot } from '../steps/attempt.ts';

/** The fields of an attempt that a test sets; the others have plain defaults. */
export interface AttemptFields {
  readonly kind: StepKind;
  readonly want?: AttemptRequest['want'];
  readonly form?: Definition['form'];
  /** The configuration, or the fields of the step that only its kind has. */
  readonly config?: JsonObject;
  readonly model?: Partial<StepFrame>;
  readonly code?: Partial<StepCode>;
  readonly activation?: Partial<Visit>;
  readonly params?: JsonObject;
  readonly snapshot?: Partial<Snapshot> | (() => Snapshot | Promise<Snapshot>);
  readonly context?: CompiledWorkflow['context'];
  readonly result?: Json;
  readonly item?: Json;
  readonly signal?: AbortSignal;
}

/** A request for one attempt of a step `work` in the run `run1`. */
export function createAttemptRequest(fields: AttemptFields): AttemptRequest {
  const { kind, want = 'execute', params = {}, snapshot = {}, result = null, item } = fields;
  const model = createStepModel(kind, fields);
  const record: Snapshot = { data: {}, results: {}, completedSteps: [], iterationCounts: {}, decision: undefined };
  const loaded = typeof snapshot === 'function' ? undefined : { ...record, ...snapshot };
  return {
    want,
    bound: { model, code: { ...NO_CODE, ...fields.code } },
    activation: {
      path: 'work#1',
      step: 'work',
      kind,
      ...(want === 'verify' ? { state: 'verifying', held: { outcome: 'ok' } } : { state: 'running' }),
      attempt: 1,
      since: 1,
      openedAt: 0,
      startedAt: 0,
      ...fields.activation,
    },
    runId: 'run1',
    startedAt: 0,
    workflow: createWorkflow(model, fields),
    params,
    result,
    item,
    snapshot: typeof snapshot === 'function' ? snapshot : () => loaded as Snapshot,
    signal: fields.signal ?? new AbortController().signal,
  };
}

/** The kinds whose fields are in the step itself, not in `config`. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['human', 'parallel', 'each', 'delay', 'workflow', 'signal', 'validate']);

function createStepModel(kind: StepKind, { config = {}, model }: AttemptFields): StepModel {
  const frame = { ...plainFrame('work', 'ask'), title: 'Do the work', ...model };
  // A test may use a configuration that is invalid in a definition.
  return { ...frame, kind, ...(OWN_FIELDS.has(kind) ? config : { config }) } as unknown as StepModel;
}

function createWorkflow(step: StepModel, { form = 'graph', context }: AttemptFields): CompiledWorkflow {
  const frame = { name: 'example', title: 'Example', description: '', params: {}, limits: { maxIterations: 10 } };
  const definition: Definition = form === 'graph' ? { ...frame, form, entry: step.id, steps: [step] } : { ...frame, form, steps: [] };
  const workflow = { definition, hash: '', codeHash: '', code: new Map(), children: new Map() };
  return context === undefined ? workflow : { ...workflow, context };
}
