// Owns the interface between an attempt and a kind of step: the input of an executor, and its result before the contract is
// checked.

import type { AgentQuestion } from '../agents/driver.ts';
import type { ErrorCode } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { KindTraits } from '../definition/kind.ts';
import type { StepModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { AssumptionText } from '../definition/question/assumption.ts';
import type { RetryHint } from '../forge/forge.ts';
import type { StepError, StepFailure, StepShortage } from '../kernel/input.ts';
import type { Redactor } from '../process/redact.ts';
import type { AttemptRequest, CheckResult } from './attempt.ts';
import type { GateCheck } from './check.ts';
import type { AttemptContext } from './context.ts';
import type { DatabaseCopy } from './databases/copies.ts';
import type { Secrets } from './secrets.ts';
import type { StepServices } from './services.ts';
import type { StoredHandover } from './worker/handover.ts';
import type { SavedState } from './worker/saved-state.ts';

/** How each kind of step is executed, and the checks that gates can make. A kind that only waits has no executor. */
export interface Executors {
  readonly kinds: Readonly<Record<string, KindTraits & KindExecutor>>;
  readonly checks: Readonly<Record<string, GateCheck>>;
}

/** The services of a runner, with values derived from them once. */
export interface Runner {
  readonly services: StepServices;
  readonly kinds: Executors['kinds'];
  /** The checks of gates by name: the built-in ones and those of the project. */
  readonly checks: Readonly<Record<string, GateCheck>>;
  readonly secrets: Secrets;
  /** Absent if there is nothing to mask. */
  readonly redactor: Redactor | undefined;
  /** The private copies of databases that the attempt works on; absent if there are none. */
  readonly copies?: readonly DatabaseCopy[];
}

/** The input of an executor. */
export interface Job<Model extends StepModel = StepModel> {
  readonly runner: Runner;
  readonly request: AttemptRequest<Model>;
  readonly context: AttemptContext;
}

interface WorkRecord {
  readonly claim?: Json;
  readonly evidence?: { readonly [name: string]: Json };
  readonly actor?: string;
  /** Data for the run, however the attempt ended: reserved names that begin with `$`. */
  readonly remember?: JsonObject;
  readonly checks?: readonly CheckResult[];
  /** Assumptions that the worker made instead of asking. They count if the work does. */
  readonly assumptions?: readonly AssumptionText[];
}

/** The result of the work. `output` need not be plain data yet. */
export type Work =
  | ({ readonly outcome: OutcomeName; readonly output: unknown } & WorkRecord)
  | ({ readonly error: StepError; readonly output?: Json } & WorkRecord)
  /** The work is handed to an attended worker. */
  | ({ readonly handed: StoredHandover } & WorkRecord)
  /** The worker asks the person it works for. `saved`: the state that it saved first. */
  | ({ readonly asks: readonly AgentQuestion[]; readonly saved?: SavedState } & WorkRecord);

/** How a kind of step is executed. A kind that only waits is not. */
export interface KindExecutor {
  /** Does the work of a step of this kind. A thrown error is a failure of the step. */
  execute?(job: Job): Work | Promise<Work>;
}

/** Does the work of a step of its kind. */
export type Executor = NonNullable<KindExecutor['execute']>;

/** The verdict on work that its worker claims is done but the engine did not observe. */
export const CLAIM_ONLY = 'claimed_not_observed';

/** The error of a step, with a code of the catalogue. */
export function stepError(code: ErrorCode, message: string, why: StepShortage | Partial<StepFailure> = {}): StepError {
  if (why.reason === 'quota' || why.reason === 'budget' || why.reason === 'assumptions') return { code, message, ...why };
  return { code, message, ...why, reason: why.reason ?? 'error' };
}

/** The error of an attempt whose request to a service outside failed. A rate limit is a wait until its time, not a failure. */
export function requestError(code: ErrorCode, message: string, { isTransient, until, wakeOnSignal }: RetryHint): StepError {
  if (until === undefined) return stepError(code, message, { retryable: isTransient });
  return stepError(code, message, { reason: 'quota', resumeAt: until, ...omitUndefined({ wakeOnSignal }) });
}

/** The error of a stopped attempt; its host has already continued without it. */
export function stoppedError(step: string): StepError {
  return stepError('STEP_FAILED', `step "${step}" was stopped before it ended`, { reason: 'timeout' });
}
