// Owns an agent's submissions about its step (a result, a failure or questions) and the replies. The engine records and
// verifies a report; the reply also says what the agent should do next.

import type { Engine } from '../api/engine.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { ReportVerdict } from '../engine/request/reports.ts';
import {
  type AttendedRun,
  dispatchOf,
  NOTHING_LEFT,
  type OpenWork,
  readAttendedRun,
  sourceOfEngine,
  withoutDispatch,
} from './attended-run.ts';
import { assertReturns, type WorkDispatch } from './dispatch.ts';
import { type DriveLimits, driveForAgent, endsWithin, resumeAbandoned } from './drive.ts';

/** What an agent sends about the step that its token belongs to. */
export type Submission = { readonly token: string } & (
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'failure'; readonly failure: string }
  | { readonly kind: 'questions'; readonly questions: Json }
  | { readonly kind: 'assumptions'; readonly assumptions: Json }
);

/** The result of a submission. */
export type Receipt =
  | (Attempt & { readonly kind: 'accepted' })
  /** The work is not done: `message` says what is missing. */
  | (Attempt & { readonly kind: 'refused'; readonly message: string })
  /** The agent itself reported a failure. */
  | (Attempt & { readonly kind: 'failed'; readonly message: string })
  /** The questions wait for a person. */
  | { readonly kind: 'asked' }
  /** The assumptions are recorded, and the agent continues its step. */
  | { readonly kind: 'assumed' }
  /** The report is recorded; verifying it takes longer than the caller waits. */
  | { readonly kind: 'pending' };

/** The attempt of a report. `repeated`: the report was recorded before, and this is its verdict. */
type Attempt = Pick<ReportVerdict, 'step' | 'path' | 'attempt' | 'repeated'>;

/** The reply to an agent: the result of its submission, if there was one, and the current state of the run. */
export interface Reply {
  readonly receipt: Receipt | undefined;
  readonly run: AttendedRun;
  /** The tokens of the steps that an agent got before. */
  readonly knownTokens: ReadonlySet<string>;
  /** The run of the submitted step; it may be a child run of the run that is driven. */
  readonly stepRun?: string;
  /** The worker does only one step, or its dispatched work, and sees nothing else. */
  readonly only?: true;
  /** The dispatch of the worker. */
  readonly dispatch?: WorkDispatch;
}

/** The reply to an agent that only asks for its work. */
export function withoutSubmission(run: AttendedRun): Reply {
  return { receipt: undefined, run, knownTokens: new Set() };
}

/** The open steps that no agent got yet. An agent that repeats a report lost the reply, so it gets all of them. */
export function newWork({ receipt, run, knownTokens }: Reply): readonly OpenWork[] {
  const isRepeated = receipt !== undefined && 'repeated' in receipt && receipt.repeated;
  return workIn(run).filter(({ token }) => isRepeated || !knownTokens.has(token));
}

/** The reply to a worker with a token: only the step of that token, in the first of the runs that has it open. */
export function onlyToken(runs: readonly AttendedRun[], token: string): Reply {
  const run = firstWith(runs, (work) => work.token === token);
  if (run === undefined) {
    const where = runs.map(({ id }) => id).join(', ');
    throw new EngineError(
      'TOKEN_UNKNOWN',
      `no step with this token is open${where === '' ? '' : ` in run ${where}`}: it was reported already, or the token is wrong`,
    );
  }
  return { ...withoutSubmission(withWork(run, (work) => work.map(withoutDispatch))), only: true };
}

/** The first run in which such work is open, with only that work. */
export function firstWith(runs: readonly AttendedRun[], isWanted: (work: OpenWork) => boolean): AttendedRun | undefined {
  return runs.map((run) => withWork(run, (work) => work.filter(isWanted))).find((run) => workIn(run).length > 0);
}

function withWork(run: AttendedRun, choose: (work: readonly OpenWork[]) => readonly OpenWork[]): AttendedRun {
  return run.kind === 'work' ? { ...run, work: choose(run.work) } : run;
}

/** The reply to a worker with one step: only that step, if it is not done. */
export function onlyOwnStep(reply: Reply): Reply {
  const { receipt, run, stepRun } = reply;
  const path = receipt !== undefined && 'path' in receipt && receipt.kind !== 'accepted' ? receipt.path : undefined;
  return { ...reply, only: true, run: withWork(run, (work) => work.filter((open) => open.run === stepRun && open.path === path)) };
}

/** The steps that are open for the agent. */
export function workIn(run: AttendedRun): readonly OpenWork[] {
  return run.kind === 'work' ? run.work : [];
}

/** A submission, the run of its step, and the top-level run, which is driven afterwards. */
interface SubmitRequest extends DriveLimits {
  readonly submission: Submission;
  readonly run: string;
  readonly root: string;
  /** The worker does this step only, so it need not wait for what follows an accepted report. */
  readonly only?: boolean;
}

/** Passes a submission to the engine, drives the run, and returns what the agent should do next. */
export async function submit(engine: Engine, request: SubmitRequest): Promise<Reply> {
  const { root, submission } = request;
  const source = sourceOfEngine(engine);
  const before = await readAttendedRun(source, root);
  const openDispatch = workIn(before).find(({ token }) => token === submission.token)?.dispatch;
  if (openDispatch !== undefined && submission.kind === 'result') assertReturns(openDispatch, submission.result);
  const receipt = await receiptFor(engine, request);
  const limits = request.only === true && receipt.kind === 'accepted' && request.waitMs !== undefined ? { waitMs: 0 } : request;
  const isRead = receipt.kind === 'pending' || receipt.kind === 'assumed';
  const run = isRead ? await readAttendedRun(source, root) : await driveForAgent(engine, root, limits);
  const reply: Reply = { receipt, run, knownTokens: new Set(workIn(before).map(({ token }) => token)), stepRun: request.run };
  const isRepeated = 'repeated' in receipt && receipt.repeated;
  // The work of a repeated report is no longer open.
  const dispatch =
    openDispatch ?? (isRepeated ? await dispatchOf(engine.store, root, { run: request.run, path: receipt.path }) : undefined);
  return dispatch === undefined ? reply : onlyDispatched(reply, dispatch);
}

/** The reply to a sub-agent: the rest of its dispatched work. It does not get the steps of others. */
function onlyDispatched(reply: Reply, dispatch: WorkDispatch): Reply {
  const run = withWork(reply.run, (open) =>
    open
      .filter((work) => work.dispatch?.inside.includes(dispatch.to) === true)
      .map((work) => (work.dispatch?.to === dispatch.to ? withoutDispatch(work) : work)),
  );
  return { ...reply, knownTokens: new Set(), only: true, dispatch, run };
}

/** The reply to a recorded assumption. */
export const ASSUMED = 'Recorded. Continue with your step: the token is still valid. A person can answer at any time.';
/** The reply to a report that is still being verified. */
export const PENDING = 'The report is recorded and is being verified.';

/** The message for a worker that has nothing left to do, with the limit of its result. */
export function nothingLeftText({ dispatch }: Reply): string {
  return dispatch?.returns === undefined ? NOTHING_LEFT : `${NOTHING_LEFT} Return your findings in at most ${dispatch.returns} words.`;
}

async function receiptFor(
  engine: Engine,
  { submission, run, waitMs = Number.POSITIVE_INFINITY, idleMs = waitMs, signal }: SubmitRequest,
): Promise<Receipt> {
  const { token } = submission;
  if (submission.kind === 'questions') {
    await engine.run(run).ask({ token, questions: submission.questions });
    return { kind: 'asked' };
  }
  if (submission.kind === 'assumptions') {
    await engine.run(run).assume({ token, assumptions: submission.assumptions });
    return { kind: 'assumed' };
  }
  const report = submission.kind === 'failure' ? { token, failure: submission.failure } : { token, result: submission.result };
  const verdict = engine
    .run(run)
    .report(report)
    .catch(async (error: unknown) => {
      // The token may be used up because the process that verified this report died: then it is verified now.
      if (!isEngineError(error) || error.code !== 'TOKEN_SPENT' || !(await resumeAbandoned(engine, run))) throw error;
      await engine.run(run).waitOnly('idle');
      return engine.run(run).report(report);
    });
  if (!(await endsWithin(verdict, Math.max(idleMs, waitMs), signal))) return { kind: 'pending' };
  const { accepted, step, path, attempt, repeated, message = '' } = await verdict;
  const about = { step, path, attempt, repeated };
  return accepted ? { ...about, kind: 'accepted' } : { ...about, kind: submission.kind === 'failure' ? 'failed' : 'refused', message };
}
