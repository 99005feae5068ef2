// Owns the work of a simulation: how long an attempt takes and how it ends, drawn from the seed. No function of an author
// is called.

import type { JsonObject } from '../../base/json.ts';
import type { StepError } from '../../kernel/input.ts';
import type { AttemptRequest, AttemptResult, AttemptRunner } from '../../steps/attempt.ts';
import type { Handover } from '../../steps/worker/handover.ts';
import type { Observer } from './observer.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';
import { CALLER } from './wide.ts';

interface WorkParts {
  readonly owner: string;
  readonly random: Random;
  readonly schedule: Schedule;
  readonly observer: Observer;
  /** The probability that work succeeds. */
  readonly successRate: number;
  /** Numbers results, so that no two are alike. */
  readonly number: () => number;
}

const LONG_MS_MAX = 800;
const SHORT_MS_MAX = 40;

/** Does what an engine asks for one attempt, in simulated time. */
export function createWork(parts: WorkParts): AttemptRunner {
  return async (request) => {
    parts.observer.began(parts.owner, request);
    const reads = parts.random.chance(0.2);
    const result = await outcomeInTime(parts, request);
    // A runner never rejects: a record that cannot be read is an error of the attempt.
    if (reads && !(await canRead(request))) return errored('STORE_UNAVAILABLE', 'error');
    parts.observer.results(request, result);
    return result;
  };
}

async function canRead(request: AttemptRequest): Promise<boolean> {
  try {
    await request.snapshot();
    return true;
  } catch {
    return false;
  }
}

function outcomeInTime(parts: WorkParts, request: AttemptRequest): Promise<AttemptResult> {
  const { random, schedule, owner } = parts;
  const { activation, runId, signal, want } = request;
  const name = `${owner} ${want} ${runId} ${activation.path}/${activation.attempt}`;
  const durationMs = random.chance(0.5) ? 0 : random.int(1, random.chance(0.15) ? LONG_MS_MAX : SHORT_MS_MAX);
  const result = resultOf(parts, request);
  return new Promise((resolve) => {
    const cancel = schedule.after(owner, durationMs, { name, happen: () => resolve(result) });
    // Some work stops on request, some finishes first.
    if (random.chance(0.7))
      signal.addEventListener('abort', () => {
        cancel();
        schedule.soon(owner, `${name} stopped`, () => resolve(errored('STEP_STOPPED', 'error')));
      });
  });
}

function resultOf(parts: WorkParts, request: AttemptRequest): AttemptResult {
  const { random, successRate } = parts;
  const { model } = request.bound;
  const goesWell = random.chance(successRate);
  switch (request.want) {
    case 'prepare':
      if (model.kind === 'agent')
        return { type: 'ready', ...(model.config.role === CALLER ? { handsOut: true as const } : {}), checks: [] };
      return goesWell || random.chance(0.7) ? { type: 'ready', checks: [] } : errored('PRECONDITION_FAILED', 'precondition');
    case 'verify':
      return goesWell
        ? { type: 'settled', outcome: 'ok', output: request.result, checks: [] }
        : { ...errored('CONTRACT_BROKEN', 'contract'), claim: request.result };
    case 'reconcile':
      return reconciled(parts);
    case 'observe':
      return { type: 'observed', subjects: { files: { a: goesWell ? 'as ever' : String(random.int(0, 2)) } } };
    default:
      if (model.kind === 'agent' && model.config.role === CALLER) return handed();
      if (model.kind === 'delay') return settled(random.chance(0.3) ? 'ok' : 'fail', null);
      if (goesWell) return settled('ok', outputOf(parts));
      if (model.kind === 'validate') return settled('fail', null);
      return failed(parts, model.postconditions.length > 0);
  }
}

function reconciled(parts: WorkParts): AttemptResult {
  const found = parts.random.weighted({ done: 4, nothing: 4, unclear: 1 });
  if (found === 'done') return settled('ok', outputOf(parts));
  return found === 'nothing' ? { type: 'ready', checks: [] } : errored('CONDITION_ERROR', 'error', false);
}

function failed(parts: WorkParts, hasContract: boolean): AttemptResult {
  const how = parts.random.weighted({ error: 6, fatal: 1, contract: hasContract ? 5 : 0, fail: 3, reject: 2, skip: 1, iterate: 1 });
  if (how === 'error') return errored('STEP_FAILED', 'error');
  if (how === 'fatal') return errored('STEP_FAILED', 'error', false);
  if (how === 'contract') return errored('CONTRACT_BROKEN', 'contract');
  return settled(how, outputOf(parts));
}

function handed(): AttemptResult {
  const handover = {
    kind: 'agent',
    prompt: 'Work.',
    parts: { body: 'Work.' },
    role: CALLER,
    title: 'work',
    mayAsk: false,
  } satisfies Handover;
  return { type: 'handed', handover, checks: [] };
}

function outputOf({ random, number }: WorkParts): JsonObject {
  return { v: number(), n: random.int(0, 9) };
}

function settled(outcome: string, output: JsonObject | null): AttemptResult {
  return { type: 'settled', outcome, output, checks: [] };
}

function errored(code: string, reason: StepError['reason'], retryable = true): Extract<AttemptResult, { type: 'errored' }> {
  return { type: 'errored', error: { code, reason, message: `simulated: ${code}`, retryable }, checks: [] };
}
