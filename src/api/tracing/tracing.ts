// Owns the spans of runs, steps and agent calls. The application provides the SDK; this file is loaded only if it does.
//
// - A run has a span for each time an engine drives it. They are all in one trace, across waits, restarts and processes:
//   the first span is stored with the run, and a run without a stored one gets a trace id that is derived from its id.
// - A step has a span for each attempt. If the step only waits (for a person, a time, a child), the span is written when
//   the step ends, with its start time.
// - Nothing here can fail or delay a run: errors of the SDK are ignored.

import {
  type Attributes,
  type Context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { AgentAnswer } from '../../agents/driver.ts';
import { digestText } from '../../base/digest.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isSettled } from '../../definition/run-status.ts';
import type { Clock } from '../../engine/clock.ts';
import type { CommitRecord, RunObserver } from '../../engine/observer.ts';
import type { Activation } from '../../kernel/activation.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { EndedAttempt } from '../../kernel/turn.ts';
import type { AttemptRequest, AttemptResult, AttemptRunner } from '../../steps/attempt.ts';
import type { Accounting, Admission, Refusal, Spawn } from '../../steps/worker/accounting.ts';
import type { Store } from '../../store/store.ts';
import { agentAttributes, answerAttributes, runAttributes, stepAttributes } from './attributes.ts';
import type { RegisteredTelemetry } from './registered.ts';

/** One time that an engine drives a run. */
interface Segment {
  readonly span: Span;
  /** The context in which the steps of the run work. */
  readonly context: Context;
  /** The span of the whole run. */
  readonly whole: Context;
  readonly since: number;
}

interface SpanEnd {
  readonly now?: number;
  /** What failed, as a code. */
  readonly error?: string;
  readonly attributes?: Attributes;
}

/** What tracing is built on. */
export interface TracingParts {
  readonly telemetry: RegisteredTelemetry;
  readonly store: Store;
  readonly clock: Clock;
}

/** Writes the spans of one engine. */
export class Tracing implements RunObserver {
  private readonly parts: TracingParts;
  private readonly tracer: Tracer;
  private readonly segments = new Map<string, Promise<Segment>>();
  /** The spans of attempts that work now, and those whose end is not committed yet. */
  private readonly attempts = new Map<string, Context>();
  private readonly worked = new Set<string>();
  private readonly ending = new Set<Promise<unknown>>();

  constructor(parts: TracingParts) {
    this.parts = parts;
    this.tracer = parts.telemetry.trace.getTracer('pawl');
  }

  /** Starts a run under a span. `start` gets the data stored with the run, so that its later spans join the same trace. */
  async starting<T>(run: { readonly id: string; readonly workflow: string }, start: (traceparent: string) => Promise<T>): Promise<T> {
    // Such a start fails. The segment belongs to the run that has the id.
    if (this.segments.has(run.id)) return start('');
    const since = this.parts.clock.now();
    const outer = this.active();
    const span = this.open(`invoke_workflow ${run.workflow}`, {
      attributes: runAttributes(run),
      since,
      parent: outer,
    });
    const context = trace.setSpan(outer, span);
    this.segments.set(run.id, Promise.resolve({ span, context, whole: context, since }));
    try {
      return await this.within(context, () => start(traceparentOf(span.spanContext())));
    } catch (error) {
      // Nothing will ever release a run that was not started.
      if (this.segments.delete(run.id)) this.close(span, { error: codeOf(error) });
      throw error;
    }
  }

  committed({ run, state, ended }: CommitRecord): void {
    const segment = this.segmentOf(run, state);
    const waited = ended.filter(({ activation, event }) => !this.worked.delete(keyOf(run, activation, attemptOf(event, activation))));
    for (const one of waited) this.later(segment.then((at) => this.writeWait(at, run, one)));
  }

  released(run: string, state: RunState): void {
    const segment = this.segments.get(run);
    this.segments.delete(run);
    const now = this.parts.clock.now();
    const isBad = state.status === 'failed' || state.status === 'escalated';
    const status = isSettled(state.status) ? state.status : 'waiting';
    this.later(
      segment?.then(({ span }) => {
        this.close(span, { now, attributes: { 'pawl.run.status': status }, ...(isBad ? { error: state.status } : {}) });
      }),
    );
  }

  /** Settles when every span that is due has been written. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.ending);
  }

  /** Returns a runner whose attempts are spans. Preparing a step and looking at what a question is about are part of its wait. */
  runner(run: AttemptRunner): AttemptRunner {
    return async (request) => {
      const segment = await this.segmentOf(request.runId).catch(() => undefined);
      if (segment === undefined) return run(request);
      const { want } = request;
      if (want === 'prepare' || want === 'observe') return this.within(segment.context, () => run(request));
      return this.attempt(segment, request, run);
    };
  }

  private async attempt(segment: Segment, request: AttemptRequest, run: AttemptRunner): Promise<AttemptResult> {
    const { runId, activation, want } = request;
    const attributes = { ...stepAttributes(runId, activation), 'pawl.step.work': want };
    const span = this.open(`step ${activation.step}`, { attributes, since: this.parts.clock.now(), parent: segment.context });
    const context = trace.setSpan(segment.context, span);
    const key = keyOf(runId, activation, activation.attempt);
    this.attempts.set(key, context);
    const result = await this.within(context, () => run(request));
    this.attempts.delete(key);
    // The rest is a wait: for a report, or for an answer.
    if (result.type === 'settled' || result.type === 'errored') this.worked.add(key);
    const outcome = result.type === 'settled' ? { 'pawl.step.outcome': result.outcome } : {};
    const ending = { attributes: { 'pawl.step.result': result.type, ...outcome } };
    this.close(span, result.type === 'errored' ? { ...ending, error: result.error.code } : ending);
    return result;
  }

  /** Returns an accounting whose agents are spans. Handed-out work is not called, so it has none. */
  accounting(accounting: Accounting): Accounting {
    return {
      ...accounting,
      open: async (spawn) => {
        const admission = await accounting.open(spawn);
        return 'reason' in admission || spawn.worker === 'handed' ? admission : this.agent(spawn, admission);
      },
    };
  }

  private agent(spawn: Spawn, admission: Admission): Admission | Refusal {
    const parent = this.attempts.get(keyOf(spawn.run, spawn, spawn.attempt)) ?? this.active();
    const kind = spawn.worker === 'object' ? SpanKind.INTERNAL : SpanKind.CLIENT;
    const span = this.open(`invoke_agent ${spawn.role}`, {
      attributes: agentAttributes(spawn),
      since: this.parts.clock.now(),
      parent,
      kind,
    });
    const context = trace.setSpan(parent, span);
    return {
      ...admission,
      during: (call) => this.within(context, call),
      close: async (answer) => {
        this.answered(span, answer);
        return admission.close(answer);
      },
    };
  }

  private answered(span: Span, answer: AgentAnswer): void {
    const attributes = answerAttributes(answer);
    this.close(span, answer.kind === 'failed' ? { attributes, error: answer.failure } : { attributes });
  }

  private writeWait({ context, whole, since }: Segment, run: string, { activation, event }: EndedAttempt): void {
    const began = activation.openedAt;
    const attributes = { ...stepAttributes(run, activation), 'pawl.step.work': 'wait' };
    const span = this.open(`step ${activation.step}`, { attributes, since: began, parent: began < since ? whole : context });
    const { outcome, code } =
      event.type === 'step.settled'
        ? { outcome: event.outcome, code: event.error?.code }
        : { outcome: undefined, code: event.failed?.error.code };
    this.close(span, { now: event.at, attributes: omitUndefined({ 'pawl.step.outcome': outcome }), ...omitUndefined({ error: code }) });
  }

  private segmentOf(run: string, known?: RunState): Promise<Segment> {
    const there = this.segments.get(run);
    if (there !== undefined) return there;
    const opened = this.openSegment(run, known);
    this.segments.set(run, opened);
    opened.catch(() => undefined);
    return opened;
  }

  private async openSegment(run: string, known: RunState | undefined): Promise<Segment> {
    const since = this.parts.clock.now();
    const state = known ?? (await this.parts.store.load(run)).state;
    const whole = await this.contextOf(state);
    const span = this.open(`invoke_workflow ${state.workflow}`, { attributes: runAttributes(state), since, parent: whole });
    return { span, context: trace.setSpan(whole, span), whole, since };
  }

  /** The context of a run as a whole: that of its parent, or the stored or derived one of a run without a parent. */
  private async contextOf({ id, parent }: Pick<RunState, 'id' | 'parent'>): Promise<Context> {
    if (parent === undefined) {
      const { origin } = await this.parts.store.load(id);
      return trace.setSpanContext(
        ROOT_CONTEXT,
        (origin.trace === undefined ? undefined : spanContextOf(origin.trace)) ?? derivedContext(id),
      );
    }
    const live = await this.segments.get(parent.run);
    return live?.context ?? this.contextOf((await this.parts.store.load(parent.run)).state);
  }

  private open(
    name: string,
    { attributes, since, parent, kind = SpanKind.INTERNAL }: { attributes: Attributes; since: number; parent: Context; kind?: SpanKind },
  ): Span {
    try {
      return this.tracer.startSpan(name, { kind, attributes, startTime: new Date(since) }, parent);
    } catch {
      return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    }
  }

  private close(span: Span, { now = this.parts.clock.now(), error, attributes }: SpanEnd = {}): void {
    try {
      if (attributes !== undefined) span.setAttributes(attributes);
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(now));
    } catch {
      // A span processor of the application failed; that is not the run's problem.
    }
  }

  private active(): Context {
    return this.parts.telemetry.context?.active() ?? ROOT_CONTEXT;
  }

  private within<T>(context: Context, work: () => T): T {
    const { context: manager } = this.parts.telemetry;
    return manager === undefined ? work() : manager.with(context, work);
  }

  private later(work: Promise<unknown> | undefined): void {
    if (work === undefined) return;
    const done = work.catch(() => undefined).finally(() => this.ending.delete(done));
    this.ending.add(done);
  }
}

function attemptOf(event: EndedAttempt['event'], activation: Activation): number {
  return event.type === 'step.settled' ? event.attempt : (event.failed?.attempt ?? activation.attempt);
}

function keyOf(run: string, { path }: { readonly path: string }, attempt: number): string {
  return `${run}/${path}/${attempt}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'error';
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function spanContextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** The context of a run that was started without telemetry: every process derives the same one. */
function derivedContext(run: string): SpanContext {
  const hex = digestText(run);
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}
