// Owns the work of one run that is under way: at most one task per path, started for an effect, stopped when the
// checkpoint no longer asks for it. Its results are inputs for the kernel.

import type { Ref } from '../base/digest.ts';
import type { Json } from '../base/json.ts';
import { readSubjects } from '../definition/question/subjects.ts';
import { type Activation, humanWaitOf, type Path } from '../kernel/activation.ts';
import { type AttemptPhase, type Effect, effectOf, outstanding } from '../kernel/effect.ts';
import type { RunInput } from '../kernel/input.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';
import { UNDO_STEP } from '../programs/undo.ts';
import type { AttemptRequest, AttemptResult } from '../steps/attempt.ts';
import { changesBetween } from '../steps/subject-changes.ts';
import { DROPPED } from '../steps/workspace/snapshot-keeper.ts';
import { attemptRequest } from './attempt-request.ts';
import type { AttemptEvidence } from './delta.ts';
import type { RunDriver } from './driver.ts';
import type { DriverHost, DriverStart } from './host.ts';
import type { RunCache } from './run-cache.ts';
import { rememberedUndo } from './undo/compensation.ts';

/** An effect that is work: taking semaphores is not, it is part of a commit. */
export type WorkEffect = Exclude<Effect, { do: 'take-slots' }>;

interface RunningWork {
  readonly key: string;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

interface Options {
  readonly host: DriverHost;
  readonly driver: RunDriver;
  readonly start: Pick<DriverStart, 'cache' | 'bound' | 'place'>;
  /** Called when a task has ended, with its result. */
  readonly ended: (inputs: readonly RunInput[]) => void;
  /** Called when the host failed, for example its store. Work itself never rejects. */
  readonly failed: (error: unknown) => void;
}

/** The work of one run that is under way. */
export class RunWork {
  private readonly options: Options;
  private readonly pieces = new Map<Path, RunningWork>();
  private readonly childrenStarted = new Set<string>();
  private readonly evidence = new Map<string, AttemptEvidence>();
  private stopping: Promise<unknown>[] = [];

  constructor(options: Options) {
    this.options = options;
  }

  get size(): number {
    return this.pieces.size;
  }

  has(path: Path): boolean {
    return this.pieces.has(path);
  }

  /** Starts the work for an effect, unless it is already under way. */
  start(effect: WorkEffect): void {
    const { path } = effect.activation;
    if (this.pieces.has(path)) return;
    if (effect.do === 'start-child' && this.childrenStarted.has(effect.child)) return;
    const abort = new AbortController();
    const key = effectKey(effect);
    const remove = (): void => {
      if (this.pieces.get(path)?.key === key) this.pieces.delete(path);
    };
    const done = this.execute(effect, abort.signal).then(
      (inputs) => {
        remove();
        this.options.ended(inputs);
      },
      (error: unknown) => {
        remove();
        this.options.failed(error);
      },
    );
    this.pieces.set(path, { key, abort, done });
  }

  /** Stops the work at a path if the checkpoint no longer asks for it. */
  drop(path: Path): void {
    const piece = this.pieces.get(path);
    if (piece === undefined || piece.key === keyAt(this.options.driver.checkpoint, path)) return;
    this.pieces.delete(path);
    piece.abort.abort(DROPPED);
    this.stopping.push(piece.done);
  }

  /** Settles when everything that was dropped has ended; undefined if nothing was. */
  dropped(): Promise<unknown> | undefined {
    return this.stopping.length === 0 ? undefined : Promise.allSettled(this.stopping.splice(0));
  }

  /** Stops everything, and settles when it has ended. */
  async stop(): Promise<void> {
    for (const { abort } of this.pieces.values()) abort.abort();
    await Promise.allSettled([...this.pieces.values()].map(({ done }) => done));
  }

  /** Whether no work would be left after the touched paths are handled. */
  endsWith(after: RunState, touched: ReadonlySet<Path>): boolean {
    for (const [path, { key }] of this.pieces) if (!touched.has(path) || keyAt(after, path) === key) return false;
    const { host } = this.options;
    return outstanding(after).every(
      (effect) =>
        (effect.do === 'take-slots' && host.isDraining()) || (effect.do === 'start-child' && this.childrenStarted.has(effect.child)),
    );
  }

  /** The claim and the evidence of an attempt whose end is not on disk yet. */
  evidenceOf(path: Path, attempt: number): AttemptEvidence | undefined {
    return this.evidence.size === 0 ? undefined : this.evidence.get(`${path}/${attempt}`);
  }

  /** Drops the evidence of attempts whose end is on disk. */
  forget(ended: readonly EndedAttempt[]): void {
    if (this.evidence.size > 0) for (const { activation } of ended) this.evidence.delete(`${activation.path}/${activation.attempt}`);
  }

  private async execute(effect: WorkEffect, signal: AbortSignal): Promise<readonly RunInput[]> {
    const { host, driver, start } = this.options;
    const { cache } = start;
    const { activation } = effect;
    const { path, attempt } = activation;
    if (effect.do === 'start-child') {
      const inputs = await host.startChild(driver, effect, this.request('prepare', activation, signal));
      this.childrenStarted.add(effect.child);
      return inputs;
    }
    if (effect.do === 'cancel-child') return host.cancelChild(driver, effect);
    const request = this.request(effect.phase, activation, signal);
    const result = await (activation.step === UNDO_STEP ? host.undo(driver, request) : host.runAttempt(request));
    if (result.type === 'observed') return [this.observed(activation, result)];
    // People see why the subjects could not be checked. Once they can be, the question is asked again.
    if (effect.phase === 'observe') {
      const subjects = { problem: result.type === 'errored' ? result.error.message : `checking them ended with "${result.type}"` };
      return [this.observed(activation, { type: 'observed', subjects })];
    }
    this.keepEvidence(result, activation);
    const at = host.clock.now();
    const input = inputOf(cache, result, { at, path, attempt });
    const undoable = rememberedUndo(driver.checkpoint, request.bound.model);
    if (result.remember === undefined && undoable === undefined) return [input];
    return [{ type: 'facts', at, facts: cache.keep({ ...result.remember, ...undoable }) }, input];
  }

  private request(want: AttemptPhase, activation: Activation, signal: AbortSignal): AttemptRequest {
    const { host, driver, start } = this.options;
    return attemptRequest({ host, driver, start, want, activation, signal });
  }

  private observed(activation: Activation, result: Extract<AttemptResult, { type: 'observed' }>): RunInput {
    const { host, start } = this.options;
    const { cache } = start;
    const { path, attempt } = activation;
    const { subjects, approved, refused, output } = result;
    const outside = humanWaitOf(activation)?.outside;
    const seen = {
      subjects: cache.keep(subjects),
      approved: kept(cache, approved),
      refused: kept(cache, refused),
      output: kept(cache, output),
    };
    const changes = outside?.seen === undefined ? undefined : changesBetween(readSubjects(cache.value(outside.seen.subjects)), subjects);
    return { type: 'observed', at: host.clock.now(), path, attempt, seen, changes, after: outside?.decided?.length ?? 0 };
  }

  private keepEvidence(result: Exclude<AttemptResult, { type: 'observed' }>, { path, attempt }: Activation): void {
    if (result.claim === undefined && result.evidence === undefined && result.actor === undefined && result.checks.length === 0) return;
    const { cache } = this.options.start;
    const { checks, actor } = result;
    cache.observed = { path, evidence: result.evidence };
    const evidence = { claim: kept(cache, result.claim), evidence: kept(cache, result.evidence), actor, checks };
    this.evidence.set(`${path}/${attempt}`, evidence);
  }
}

function keyAt(state: RunState, path: Path): string | undefined {
  const activation = state.live[path];
  const effect = activation === undefined ? undefined : effectOf(state, activation);
  return effect === undefined ? undefined : effectKey(effect);
}

/** A key that distinguishes effects at the same path. */
function effectKey(effect: Effect): string {
  const { attempt, recovery } = effect.activation;
  if (effect.do !== 'step') return `${effect.do}/${attempt}/${recovery}/${effect.do === 'take-slots' ? '' : effect.child}`;
  return `${effect.phase}/${attempt}/${recovery}/${humanWaitOf(effect.activation)?.outside?.decided?.length ?? ''}`;
}

/** Identifies the attempt and the time its result arrived. */
interface ResultSource {
  readonly at: number;
  readonly path: Path;
  readonly attempt: number;
}

/** Converts the result of an attempt into an input for the kernel. */
function inputOf(cache: RunCache, result: Exclude<AttemptResult, { readonly type: 'observed' }>, source: ResultSource): RunInput {
  switch (result.type) {
    case 'handed':
      return { type: 'handed', ...source, handover: cache.keep(result.handover) };
    case 'asked':
      return { type: 'asked', ...source, questions: cache.keep(result.questions) as Ref, saved: kept(cache, result.saved) };
    case 'ready':
      return { type: 'prepared', ...source, merge: kept(cache, result.found), handsOut: result.handsOut, prompt: result.prompt };
    case 'errored':
      return { type: 'errored', ...source, error: result.error, output: kept(cache, result.output) };
    case 'settled': {
      // Written out: this runs for every step, and V8 defines each field after a spread by a separate call.
      const { at, path, attempt } = source;
      const { outcome, output, assumptions = [] } = result;
      const assumed = assumptions.length === 0 ? undefined : cache.keep(assumptions as unknown as Json);
      return { type: 'settled', at, path, attempt, outcome, output: cache.keep(output), assumed };
    }
  }
}

function kept(cache: RunCache, value: Json | undefined): Ref | undefined {
  return value === undefined ? undefined : cache.keep(value);
}
