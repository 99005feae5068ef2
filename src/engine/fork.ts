// Owns forks: a new run that reuses, by reference, the history of another run before a step, and continues from there.
// The original does not change. Approvals and budgets are not reused; preconditions are checked again, because the step
// starts from the beginning.

import type { Ref } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import type { Assumption } from '../definition/question/assumption-record.ts';
import { withoutOwnNames } from '../definition/scope/joining-data.ts';
import { apply, createRun, type Draft, draftOf } from '../kernel/apply.ts';
import { joiningData, mergedBy, type RunEvent } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { EventRow, StoredAttempt } from '../store/store.ts';
import { beginningOf } from './beginning.ts';
import type { RunDriver } from './driver.ts';
import type { EngineCore } from './engine.ts';
import { assertForkable } from './merge-block.ts';
import { findWorkflow, flowHistory, suppliedResults } from './programs.ts';
import { requireActor } from './request/actor.ts';
import type { ForkHistory, SuppliedOutputs } from './run-start.ts';
import type { FrozenSigning, Signer } from './signature/signatures.ts';
import { readValues } from './values.ts';

/** Options for forking a run. */
export interface ForkRequest<Step extends string = string, Params = Readonly<Record<string, unknown>>> {
  /** The step, or the path of one visit. */
  readonly from: Step | `${Step}#${string}`;
  /** Replaces parameters of the original. */
  readonly params?: Partial<Params> | undefined;
  /** Replaces results of earlier steps. */
  readonly outputs?: SuppliedOutputs<Step> | undefined;
  readonly id?: string | undefined;
  readonly actor: string;
  /** Signs as the actor, if the original requires signatures: a fork starts with results that it did not produce. */
  readonly sign?: Signer | undefined;
}

/** The steps that a fork would reuse and repeat. */
export interface ForkPlan {
  readonly run: string;
  readonly from: string;
  readonly reused: readonly { readonly path: string; readonly step: string; readonly outcome: string | undefined }[];
  /** Earlier questions, whose answers are not reused: they are asked before the fork continues at `from`. */
  readonly asksFirst: readonly string[];
  /** Earlier checks that are not repeated: their results are overridden, and the fork ends `overridden`. */
  readonly passed: readonly string[];
  /** Steps that the original ran from there on. A fork that takes the same path repeats them. */
  readonly repeated: readonly { readonly path: string; readonly step: string; readonly kind: string }[];
}

interface Cut {
  readonly step: string;
  readonly seq: number;
  readonly state: RunState;
  readonly before: readonly RunEvent[];
}

/** Returns what a fork would reuse and repeat, without changing anything. */
export async function planFork(core: EngineCore, run: string, from: string): Promise<ForkPlan> {
  const { definition } = await core.store.load(run);
  const { cut, past: reused } = await placeOf(core, run, from);
  const rows = (await core.store.attempts(run)).filter((row) => row.outcome !== undefined);
  const isPast = pastRows(cut);
  const options = { from: cut.step, past: { done: reused } };
  const { override, detour } = beginningOf(core.parts.facts, definition, { ...options, origin: { actor: run } });
  return {
    run,
    from: cut.step,
    asksFirst: definition.form === 'flow' ? (cut.step === from ? [] : [cut.step]) : (detour?.asks ?? []).map(({ step }) => step),
    passed: override?.passed ?? [],
    reused: rows.filter(isPast).map(({ path, step, outcome }) => ({ path, step, outcome })),
    repeated: rows.filter((row) => !isPast(row)).map(({ path, step, kind }) => ({ path, step, kind })),
  };
}

/** Starts the fork. Resolves when it is on disk. */
export async function forkRun(core: EngineCore, run: string, request: ForkRequest): Promise<RunDriver> {
  const actor = requireActor(request, `fork run ${run}`);
  const { state, origin: first } = await core.store.load(run);
  const workflow = findWorkflow(core.parts.source, state.workflow);
  const log = await core.store.events(run, 0);
  const { cut } = await placeOf(core, run, request.from);
  const params = { ...(await core.paramsOf(state)), ...request.params };
  const past = await pastOf(core, state, cut);
  await assertForkable(core.store, run, new Set(past.done.map(({ step }) => step)));
  const supplied = omitUndefined({ outputs: request.outputs });
  // The fork belongs to the same issue and repository, and its definition is in the same file.
  const { deliveryId: _, ...kept } = first;
  const origin = { ...kept, actor, event: 'fork' };
  return core.start(workflow, params, {
    from: cut.step,
    past,
    origin,
    signing: signingOf(log),
    ...supplied,
    ...omitUndefined({ id: request.id, sign: request.sign }),
  });
}

/**
 * Returns where a fork starts, and what the original did before. A flow cannot skip a question without its answer, and
 * answers are not reused, so it starts at the first question that was answered before the step.
 */
async function placeOf(core: EngineCore, run: string, from: string): Promise<{ readonly cut: Cut; readonly past: ForkHistory['done'] }> {
  const log = await core.store.events(run, 0);
  const attempts = await core.store.attempts(run);
  const cut = cutAt(log, { run, from });
  const rows = attempts.filter(pastRows(cut));
  const question = cut.state.form === 'flow' ? rows.find(({ kind }) => kind === 'human') : undefined;
  if (question === undefined) return { cut, past: doneIn(rows) };
  const asking = question.group === undefined ? question : attempts.find(({ path }) => path === question.group);
  const earlier = cutAt(log, { run, from: asking?.step ?? question.step });
  return { cut: earlier, past: doneIn(attempts.filter(pastRows(earlier))) };
}

function doneIn(rows: readonly StoredAttempt[]): ForkHistory['done'] {
  return rows.filter(({ status }) => status === 'completed').map(({ step, kind }) => ({ step, kind }));
}

/** Returns the signing rules of the original, which also apply to its forks. */
function signingOf(log: readonly EventRow[]): FrozenSigning {
  const [first] = log[0]?.events ?? [];
  if (first?.type !== 'run.started') return {};
  const { keys, run } = first;
  return omitUndefined({ signed: run.signed, keys });
}

/** Cuts the log at the point where the step was last opened. */
function cutAt(rows: readonly EventRow[], { run, from }: { readonly run: string; readonly from: string }): Cut {
  const opens = (event: RunEvent): boolean =>
    event.type === 'step.opened' &&
    event.activation.member === undefined &&
    (event.activation.step === from || event.activation.path === from);
  const at = rows.findLastIndex((row) => row.events.some(opens));
  if (at === -1)
    throw new EngineError(
      'STEP_UNKNOWN',
      `run ${run} never reached step "${from}"${didYouMean(from, stepsOf(rows))}; a fork starts at a step that the run opened`,
    );
  const row = rows[at] as EventRow;
  const opened = row.events.findLastIndex(opens);
  const before = [...rows.slice(0, at).flatMap((earlier) => earlier.events), ...row.events.slice(0, opened)];
  const { activation } = row.events[opened] as Extract<RunEvent, { type: 'step.opened' }>;
  return { step: activation.step, seq: row.seq, before, state: foldAll(before) };
}

function stepsOf(rows: readonly EventRow[]): string[] {
  return rows.flatMap((row) => row.events.flatMap((event) => (event.type === 'step.opened' ? [event.activation.step] : [])));
}

function foldAll(events: readonly RunEvent[]): RunState {
  const [first, ...rest] = events;
  const draft: Draft = draftOf(createRun(first as Extract<RunEvent, { type: 'run.started' }>));
  for (const event of rest) apply(draft, event);
  return draft;
}

/** Selects the rows before the cut, including those of the commit that opened the step: they settled just before. */
function pastRows(cut: Cut): (row: StoredAttempt) => boolean {
  return (row) => row.seq <= cut.seq;
}

async function pastOf(core: EngineCore, original: RunState, cut: Cut): Promise<ForkHistory> {
  const { id: run } = original;
  const rows = (await core.store.attempts(run)).filter(pastRows(cut));
  const merged = await mergedRefs(core, cut.before);
  const latest = new Map(rows.filter((row) => row.group === undefined && row.status === 'completed').map((row) => [row.step, row.output]));
  const read = await readValues(core.store, [...merged.map(({ ref }) => ref), ...latest.values()]);
  const data = new Map<string, Json>();
  for (const { ref, part } of merged) for (const [key, value] of Object.entries(part(read(ref)))) data.set(key, value);
  const results = new Map([...latest].map(([step, ref]) => [step, read(ref)]));
  const history =
    cut.state.form === 'flow' ? { history: await flowHistory(core.store, rows), supplied: await suppliedResults(core.store, rows) } : {};
  const assumptions = carriedOver(original, cut.state);
  return { run, seq: cut.seq, step: cut.step, counts: cut.state.counts, assumptions, data, results, done: doneIn(rows), ...history };
}

/**
 * Returns the assumptions that a fork takes over: all those of reused steps, and the answered ones of repeated steps.
 * Repeated steps report again what they still assume.
 */
function carriedOver(original: RunState, before: RunState): readonly Assumption[] {
  const reused = new Set((before.assumptions ?? []).map(({ id }) => id));
  return (original.assumptions ?? []).flatMap((assumption) => {
    const { id, answer } = assumption;
    if (reused.has(id)) return [assumption];
    return answer === undefined ? [] : [{ ...assumption, answer: { ...answer, unmet: undefined } }];
  });
}

/**
 * Returns the references merged into the data before the cut, oldest first. A run that is itself a fork started with
 * its original's data.
 */
async function mergedRefs(core: EngineCore, before: readonly RunEvent[]): Promise<MergedData[]> {
  const own = before.flatMap((event) => mergedRef(event));
  const [first] = before;
  if (first?.type !== 'run.started') return own;
  const supplied = Object.values(first.supplied ?? {}).map((ref) => ({ ref, part: withoutOwnNames }));
  const fromStart = [...supplied, ...own];
  if (first.fork === undefined) return fromStart;
  const { run, seq, step } = first.fork;
  const rows = (await core.store.events(run, 0)).filter((row) => row.seq <= seq);
  return [...(await mergedRefs(core, cutAt(rows, { run, from: step }).before)), ...fromStart];
}

/** Merged data, and the part of it that joined the run's data. */
interface MergedData {
  readonly ref: Ref;
  readonly part: (value: Json) => JsonObject;
}

function mergedRef(event: RunEvent): MergedData[] {
  const ref = mergedBy(event);
  return ref === undefined ? [] : [{ ref, part: (value) => joiningData(event, value) }];
}
