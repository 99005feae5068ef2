// Owns which fields the requests to an engine and to a run have. Callers in plain JavaScript have no compiler: a misspelt
// field must not be dropped without a word.

import { EngineError } from '../base/error.ts';
import type { ForkRequest } from '../engine/fork.ts';
import type { WaitGoal } from '../engine/request/follow.ts';
import type { AnswerRequest, WorkReport } from '../engine/request/reports.ts';
import type { ResumeRequest } from '../engine/request/resume.ts';
import type { FileQuery } from '../engine/undo/file-history.ts';
import type { UndoRequest } from '../engine/undo/undo.ts';
import type { StartRunOptions } from './engine.ts';
import { assertKnownOptions } from './engine-options.ts';
import type { CancelRequest } from './run.ts';

type FieldOf<T> = T extends unknown ? keyof T : never;
type FieldsOf<T> = { readonly [Field in FieldOf<T>]: true };

interface Requests {
  start: StartRunOptions;
  approvals: { fresh: boolean };
  signal: { payload: unknown; id: string };
  cancel: CancelRequest;
  pause: { actor: string };
  resume: ResumeRequest;
  fork: ForkRequest;
  report: WorkReport;
  ask: { token: string; questions: unknown };
  answer: AnswerRequest;
  files: FileQuery;
  undo: UndoRequest;
}

const FIELDS: { readonly [Verb in keyof Requests]: FieldsOf<Requests[Verb]> } = {
  start: { id: true, facts: true, parked: true, sign: true, origin: true, from: true, outputs: true },
  approvals: { fresh: true },
  signal: { payload: true, id: true },
  cancel: { actor: true, reason: true, undo: true },
  pause: { actor: true },
  resume: { actor: true, choice: true, budget: true, acceptChanges: true, sign: true },
  fork: { from: true, params: true, outputs: true, id: true, actor: true, sign: true },
  report: { token: true, result: true, failure: true },
  ask: { token: true, questions: true },
  answer: { answers: true, step: true, actor: true, sign: true, signature: true },
  files: { step: true, text: true, steps: true },
  undo: { to: true, actor: true, keepChanged: true },
};
const GOALS: Readonly<Record<WaitGoal, true>> = { settled: true, idle: true, outside: true };

/** Throws if a request has a field that its verb does not have. */
export function checkRequest(verb: keyof Requests, request: object | undefined): void {
  assertKnownOptions(verb, request, FIELDS[verb]);
}

/** Throws if a run cannot be awaited like this. */
export function checkGoal(until: unknown): void {
  if (until !== undefined && !Object.hasOwn(GOALS, String(until)))
    throw new EngineError(
      'OPTION_INVALID',
      `wait: "${String(until)}" is no state to wait for; it accepts ${Object.keys(GOALS).join(', ')}`,
    );
}
