// Owns the handle of one run: everything that can be read from a run or done to it, whether it was started here or
// found by its id.

import type { AnyPath, StepPath, WorkflowNames } from '../authoring/spec/names.ts';
import type { NamedValues } from '../authoring/spec/part.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import type { ProgressEvent } from '../definition/result.ts';
import { isSettled } from '../definition/run-status.ts';
import type { EngineCore } from '../engine/engine.ts';
import { type ForkPlan, type ForkRequest, forkRun, planFork } from '../engine/fork.ts';
import { type Checkpoint, checkpointOf, type ResumeContext, type RunView, resumeContextOf, viewRun } from '../engine/inspect.ts';
import { ENGINE_ACTOR } from '../engine/request/actor.ts';
import type { OpenApproval } from '../engine/request/approvals.ts';
import type { RunAssumption } from '../engine/request/assumption-list.ts';
import {
  type AssumeRequest,
  type AssumptionRequest,
  type AssumptionResult,
  answerAssumption,
  assumptionsOf,
  recordAssumption,
} from '../engine/request/assumptions.ts';
import { followLog, followProgress, type WaitGoal, waitFor } from '../engine/request/follow.ts';
import { type OpenQuestions, type OpenStep, openStepsOf, questionsOf } from '../engine/request/open-steps.ts';
import { type ReactionRequest, reactToEvent } from '../engine/request/reactions.ts';
import {
  type AnswerRequest,
  answerQuestions,
  askPerson,
  type ReportVerdict,
  reportWork,
  type WorkReport,
} from '../engine/request/reports.ts';
import {
  askedApprovals,
  controlRun,
  type DecisionRequest,
  decideApproval,
  freshApprovals,
  sendSignal,
} from '../engine/request/requests.ts';
import { type ResumeRequest, resumeRun } from '../engine/request/resume.ts';
import { waitsOf } from '../engine/status.ts';
import { type CancelPlan, planCancel } from '../engine/undo/compensation.ts';
import { type FileQuery, type FileReport, fileSourceOf, readFileChanges } from '../engine/undo/file-history.ts';
import { planUndo, type UndoPlan, type UndoRequest, type UndoResult, undoRun, undoSourceOf } from '../engine/undo/undo.ts';
import type { RunEvent } from '../kernel/event.ts';
import { checkGoal, checkRequest } from './request-fields.ts';
import type { Workspaces } from './workspaces.ts';

/** A run as its handle shows it: with the names of its steps and the types of its parameters, if the handle knows them. */
export type RunViewOf<Output, Names extends WorkflowNames, Input> = RunView<
  Output,
  Names['steps'] | Names['members'],
  string extends keyof Input
    ? Json
    : { readonly [Name in keyof Input]: unknown extends Input[Name] ? Json : Exclude<Input[Name], undefined> }
>;

/**
 * A run that was started or found. `Output` is the type of its output when it completes, `Names` are those that requests
 * may use, and `Input` are its parameters; of a run that was found by its id they are any.
 */
export interface RunHandle<Output = Json, Names extends WorkflowNames = WorkflowNames, Input = NamedValues> {
  readonly id: string;
  /** Returns the run as it is now, with all its steps. */
  get(): Promise<RunViewOf<Output, Names, Input>>;
  /** Resolves with the run when it has ended (`settled`, the default), or only waits (`idle`). */
  wait(until?: WaitGoal): Promise<RunViewOf<Output, Names, Input>>;
  /** Like `wait`, without reading the run's steps. */
  waitOnly(until?: WaitGoal): Promise<void>;
  /** Streams the progress from start to end: steps that started and ended, without their details. `log()` has every event. */
  events(): AsyncGenerator<ProgressEvent>;
  /** Streams the log, event by event, from a position on. */
  log(after?: number): AsyncGenerator<RunEvent>;

  /** Returns the open questions to people. With `fresh`, the subjects outside the run are read again first. */
  approvals(options?: { readonly fresh?: boolean }): Promise<readonly OpenApproval[]>;
  /** Decides one of them. Resolves when the decision is on disk and has taken effect. */
  decide(decision: DecisionRequest<Names['options'], AnyPath<Names['steps'] | Names['members']>>): Promise<RunViewOf<Output, Names, Input>>;
  signal(name: Names['signals'], options?: { readonly payload?: unknown; readonly id?: string }): Promise<void>;
  /** Cancels the run. What its steps say how to undo is undone first; `wait()` resolves when that is done. */
  cancel(options: CancelRequest): Promise<RunViewOf<Output, Names, Input>>;
  /** Returns what would be undone if the run were cancelled now, newest first, and what would stay. */
  planCancel(): Promise<CancelPlan>;
  /** Has the run react to an event at the forge, once per delivery and reaction. */
  react(request: ReactionRequest): Promise<void>;
  pause(options: { readonly actor: string }): Promise<RunViewOf<Output, Names, Input>>;
  /** Continues the run: after a crash or a pause as it is, after a halt with a choice. */
  resume(options?: ResumeRequest<Names['steps'], AnyPath<Names['steps'] | Names['members']>>): Promise<RunHandle<Output, Names, Input>>;
  /** Starts another run that reuses everything before a step. */
  fork(request: ForkRequest<Names['steps'], Input>): Promise<RunHandle<Output, Names, Input>>;
  /** Returns what a fork at this step would reuse and repeat. */
  planFork(from: StepPath<Names['steps']>): Promise<ForkPlan>;

  /** Returns the work that waits for the calling agent to do and report it. */
  openSteps(): Promise<readonly OpenStep[]>;
  /** Accepts the report of an attended agent. Resolves with the verdict when the work is verified. */
  report(report: WorkReport): Promise<ReportVerdict>;
  /** Passes questions of an attended agent on to the person it works for. */
  ask(asked: { readonly token: string; readonly questions: unknown }): Promise<RunViewOf<Output, Names, Input>>;
  /** Returns the questions of agents that wait for a person. */
  questions(): Promise<readonly OpenQuestions[]>;
  /** Answers the questions of an agent. A new attempt gets the answers. */
  answer(answers: AnswerRequest<AnyPath<Names['steps'] | Names['members']>>): Promise<RunViewOf<Output, Names, Input>>;

  /** Returns what the run, or one of its steps, changed in the files of the workspace. */
  files(query?: FileQuery<AnyPath<Names['steps'] | Names['members']>>): Promise<FileReport>;
  /** Returns what an undo would restore, what would stay, and what it cannot undo. */
  planUndo(to: AnyPath<Names['steps'] | Names['members']>): Promise<UndoPlan>;
  /** Restores the files of the workspace to their content before a step, unless they were changed by others since. */
  undo(request: UndoRequest<AnyPath<Names['steps'] | Names['members']>> & { readonly actor: string }): Promise<UndoResult>;

  /** Returns what workers assumed instead of asking, with how it was answered, oldest first. */
  assumptions(): Promise<readonly RunAssumption[]>;
  /** Records what an attended agent assumes; it continues its step. */
  assume(request: AssumeRequest): Promise<void>;
  /** Answers an assumption. If the answer differs, the step that assumed it runs again, and so does everything after it. */
  answerAssumption(request: AssumptionRequest): Promise<AssumptionResult>;

  /** Returns the checkpoint in one object; `get()` has more. */
  checkpoint(): Promise<Checkpoint>;
  /** Returns what to know before the run is resumed. */
  resumeContext(): Promise<ResumeContext>;
}

/** Who cancels a run and why. `undo: false` leaves what it did as it is. */
export interface CancelRequest {
  readonly actor: string;
  readonly reason?: string | undefined;
  readonly undo?: false | undefined;
}

/** What the runs of an engine share. */
export interface RunHost {
  readonly core: EngineCore;
  readonly workspaces: Workspaces | undefined;
  /**
   * Rejects actions that only a person may do, if this process was started by a run of the store or by an agent. For
   * the `own` run, processes that the run itself started are allowed.
   */
  assertOutside(action: string, own?: string): Promise<void>;
}

/** The handle of a run. */
export class Run implements RunHandle {
  readonly id: string;
  readonly #host: RunHost;
  readonly #workflow: string | undefined;

  /** `workflow`: the workflow that the run must be of, if its caller knows it. */
  constructor(host: RunHost, id: string, workflow?: string) {
    this.#host = host;
    this.id = id;
    this.#workflow = workflow;
  }

  /** The engine; throws if it is closed, or if the run is not of the workflow that its caller named. */
  async #checked(): Promise<EngineCore> {
    const { core } = this.#host;
    core.assertReadable();
    if (this.#workflow === undefined) return core;
    const { workflow } = (await core.store.load(this.id)).state;
    if (workflow === this.#workflow) return core;
    throw new EngineError('RUN_NOT_FOUND', `run ${this.id} is a run of workflow "${workflow}", not of "${this.#workflow}"`);
  }

  async get(): Promise<RunView> {
    return viewRun(await this.#checked(), this.id);
  }

  async wait(until?: WaitGoal): Promise<RunView> {
    if (this.#workflow !== undefined) await this.#checked();
    await this.waitOnly(until);
    return this.get();
  }

  async waitOnly(until: WaitGoal = 'settled'): Promise<void> {
    checkGoal(until);
    await waitFor(this.#host.core, this.id, until);
  }

  events(): AsyncGenerator<ProgressEvent> {
    return followProgress(this.#host.core, this.id);
  }

  log(after = 0): AsyncGenerator<RunEvent> {
    return followLog(this.#host.core, this.id, after);
  }

  async approvals(options: { readonly fresh?: boolean } = {}): Promise<readonly OpenApproval[]> {
    checkRequest('approvals', options);
    return options.fresh === true ? freshApprovals(await this.#checked(), this.id) : askedApprovals(await this.#checked(), this.id);
  }

  async decide(decision: DecisionRequest): Promise<RunView> {
    await this.#host.assertOutside('decide');
    await decideApproval(await this.#checked(), this.id, decision);
    return this.get();
  }

  async signal(name: string, options: { readonly payload?: unknown; readonly id?: string } = {}): Promise<void> {
    checkRequest('signal', options);
    await sendSignal(await this.#checked(), this.id, { name, ...options });
  }

  async cancel(options: CancelRequest): Promise<RunView> {
    checkRequest('cancel', options);
    await this.#host.assertOutside('cancel another run', this.id);
    const { reason, undo } = options ?? {};
    const action = { do: 'cancel' as const, ...omitUndefined({ reason, undo }) };
    await controlRun(await this.#checked(), this.id, { actor: options?.actor, action });
    return this.get();
  }

  async planCancel(): Promise<CancelPlan> {
    return planCancel(await this.#checked(), this.id);
  }

  async react(request: ReactionRequest): Promise<void> {
    await this.#host.assertOutside('have another run react to an event');
    await reactToEvent(await this.#checked(), this.id, request);
  }

  async pause(options: { readonly actor: string }): Promise<RunView> {
    checkRequest('pause', options);
    await this.#host.assertOutside('pause another run', this.id);
    await controlRun(await this.#checked(), this.id, { actor: options?.actor, action: { do: 'pause' } });
    return this.get();
  }

  async files(query: FileQuery = {}): Promise<FileReport> {
    checkRequest('files', query);
    const { text } = query;
    const masked = text === undefined ? {} : { text: { redactor: text.redactor ?? (await this.#checked()).parts.redactor?.() } };
    return readFileChanges(fileSourceOf(await this.#checked(), this.id), { ...query, ...masked });
  }

  async planUndo(to: string): Promise<UndoPlan> {
    return planUndo(undoSourceOf(await this.#checked(), this.id), { to });
  }

  async undo(request: UndoRequest & { readonly actor: string }): Promise<UndoResult> {
    checkRequest('undo', request);
    await this.#host.assertOutside('undo steps of another run', this.id);
    return undoRun(await this.#checked(), this.id, request);
  }

  async resume(options: ResumeRequest = {}): Promise<RunHandle> {
    checkRequest('resume', options);
    const { choice, budget, acceptChanges } = options;
    if (choice !== undefined || budget !== undefined || acceptChanges === true)
      await this.#host.assertOutside('choose how a run continues');
    await resumeRun(await this.#checked(), this.id, options);
    await this.#recheckForge();
    return this;
  }

  /** Forge events that happened while the run had no driver were not reported to it, so a gate without a verdict checks now. */
  async #recheckForge(): Promise<void> {
    const { state } = await (await this.#checked()).store.load(this.id);
    if (!isSettled(state.status) && waitsOf(state).some(({ kind }) => kind === 'checks'))
      await controlRun(await this.#checked(), this.id, { action: { do: 'recheckGates' }, actor: ENGINE_ACTOR });
  }

  async fork(request: ForkRequest): Promise<RunHandle> {
    checkRequest('fork', request);
    await this.#host.assertOutside('fork a run');
    const { workspaces } = this.#host;
    const { workspace } = workspaces === undefined ? {} : (await (await this.#checked()).store.load(this.id)).origin;
    if (workspace !== undefined) await workspaces?.restore(workspace);
    const { run } = await forkRun(await this.#checked(), this.id, request);
    return new Run(this.#host, run, this.#workflow);
  }

  async planFork(from: string): Promise<ForkPlan> {
    return planFork(await this.#checked(), this.id, from);
  }

  async openSteps(): Promise<readonly OpenStep[]> {
    return openStepsOf(await this.#checked(), this.id);
  }

  async report(report: WorkReport): Promise<ReportVerdict> {
    checkRequest('report', report);
    return reportWork(await this.#checked(), this.id, report);
  }

  async ask(asked: { readonly token: string; readonly questions: unknown }): Promise<RunView> {
    checkRequest('ask', asked);
    await askPerson(await this.#checked(), this.id, asked);
    return this.get();
  }

  async questions(): Promise<readonly OpenQuestions[]> {
    return questionsOf(await this.#checked(), this.id);
  }

  async answer(answers: AnswerRequest): Promise<RunView> {
    checkRequest('answer', answers);
    await this.#host.assertOutside('answer');
    await answerQuestions(await this.#checked(), this.id, answers);
    return this.get();
  }

  async assumptions(): Promise<readonly RunAssumption[]> {
    return assumptionsOf(await this.#checked(), this.id);
  }

  async assume(request: AssumeRequest): Promise<void> {
    await recordAssumption(await this.#checked(), this.id, request);
  }

  async answerAssumption(request: AssumptionRequest): Promise<AssumptionResult> {
    await this.#host.assertOutside('answer');
    return answerAssumption(await this.#checked(), this.id, request);
  }

  async checkpoint(): Promise<Checkpoint> {
    return checkpointOf(await this.#checked(), this.id);
  }

  async resumeContext(): Promise<ResumeContext> {
    return resumeContextOf(await this.#checked(), this.id);
  }
}
