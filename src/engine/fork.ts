// Owns forks: a new run that takes over, by reference, what another one had done before a step, and goes on from
// there. The original stays as it is. Approvals and budgets are not taken over; preconditions are checked again,
// since the step begins anew.

import { EngineError } from '../base/error.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import type { Ref } from '../kernel/activation.ts';
import { apply, createRun, type Draft, draftOf } from '../kernel/apply.ts';
import { mergedBy, type RunEvent } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { EventRow, StoredAttempt } from '../store/store.ts';
import { requireActor } from './actor.ts';
import { beginningOf } from './beginning.ts';
import type { Past } from './birth.ts';
import type { RunDriver } from './driver.ts';
import type { EngineCore } from './engine.ts';
import { findWorkflow, flowHistory, givenResults } from './programs.ts';
import type { FrozenSigning, Signer } from './signatures.ts';

/** How a run is forked. */
export interface ForkRequest {
  readonly from: string;
  /** Replaces parameters of the original. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Replaces results of earlier steps. */
  readonly outputs?: Readonly<Record<string, Json>>;
  readonly id?: string;
  readonly actor: string;
  /** Signs, as the actor, where the original takes signatures: a fork begins with results that it did not make. */
  readonly sign?: Signer;
}

/** What a fork would do: what it takes over, and what it does again. */
export interface ForkPlan {
  readonly run: string;
  readonly from: string;
  readonly reused: readonly { readonly path: string; readonly step: string; readonly outcome: string | undefined }[];
  /** Questions that lie before, whose answers are not taken over: they are asked before the fork goes on at `from`. */
  readonly asksFirst: readonly string[];
  /** Checks that lie before and are not repeated: their results are taken over by hand, and the fork ends `overridden`. */
  readonly passed: readonly string[];
  /** Steps that the original had done from there on; a fork that goes the same way does them again. */
  readonly repeated: readonly { readonly path: string; readonly step: string; readonly kind: string }[];
}

interface Cut {
  readonly step: string;
  readonly seq: number;
  readonly state: RunState;
  readonly before: readonly RunEvent[];
}

/** What a fork would take over and do again; nothing is changed. */
export async function planFork(core: EngineCore, run: string, from: string): Promise<ForkPlan> {
  const { definition } = await core.store.load(run);
  const { cut, past: reused } = await placeOf(core, run, from);
  const rows = (await core.store.attempts(run)).filter((row) => row.outcome !== undefined);
  const isPast = pastRows(cut);
  const options = { from: cut.step, past: { done: reused } };
  const { override, detour } = beginningOf(definition, { ...options, origin: { actor: run } });
  return {
    run,
    from: cut.step,
    asksFirst: definition.form === 'flow' ? (cut.step === from ? [] : [cut.step]) : (detour?.asks ?? []).map(({ step }) => step),
    passed: override?.passed ?? [],
    reused: rows.filter(isPast).map(({ path, step, outcome }) => ({ path, step, outcome })),
    repeated: rows.filter((row) => !isPast(row)).map(({ path, step, kind }) => ({ path, step, kind })),
  };
}

/** Starts the fork; resolves when it is on disk. */
export async function forkRun(core: EngineCore, run: string, request: ForkRequest): Promise<RunDriver> {
  const actor = requireActor(request, `forks run ${run}`);
  const { state, origin: first } = await core.store.load(run);
  const workflow = findWorkflow(core.parts.source, state.workflow);
  const log = await core.store.events(run, 0);
  const { cut } = await placeOf(core, run, request.from);
  const params = { ...(await core.paramsOf(state)), ...request.params };
  const past = await pastOf(core, run, cut);
  const supplied = request.outputs === undefined ? {} : { outputs: request.outputs };
  // It is about the same issue, in the same repository, and its definition lies in the same file.
  const { deliveryId: _, ...kept } = first;
  const origin = { ...kept, actor, event: 'fork' };
  return core.start(workflow, params, {
    from: cut.step,
    past,
    origin,
    signing: signingOf(log),
    ...supplied,
    ...(request.id === undefined ? {} : { id: request.id }),
    ...(request.sign === undefined ? {} : { sign: request.sign }),
  });
}

/**
 * Where a fork begins, and what the original had done before. A flow cannot be led past a question without its answer,
 * and the answer is not taken over: it begins at the first question that was answered before the step.
 */
async function placeOf(core: EngineCore, run: string, from: string): Promise<{ readonly cut: Cut; readonly past: Past['done'] }> {
  const log = await core.store.events(run, 0);
  const attempts = await core.store.attempts(run);
  const cut = cutAt(log, { run, from });
  const rows = attempts.filter(pastRows(cut));
  const asked = cut.state.form === 'flow' ? rows.find(({ kind }) => kind === 'human') : undefined;
  if (asked === undefined) return { cut, past: doneIn(rows) };
  const asking = asked.group === undefined ? asked : attempts.find(({ path }) => path === asked.group);
  const earlier = cutAt(log, { run, from: asking?.step ?? asked.step });
  return { cut: earlier, past: doneIn(attempts.filter(pastRows(earlier))) };
}

function doneIn(rows: readonly StoredAttempt[]): Past['done'] {
  return rows.filter(({ status }) => status === 'completed').map(({ step, kind }) => ({ step, kind }));
}

/** What the original asks of signatures, which holds for its forks. */
function signingOf(log: readonly EventRow[]): FrozenSigning {
  const [first] = log[0]?.events ?? [];
  if (first?.type !== 'run.started') return {};
  const { keys, run } = first;
  return { ...(run.signed === undefined ? {} : { signed: run.signed }), ...(keys === undefined ? {} : { keys }) };
}

/** The log up to where the step was opened last. */
function cutAt(rows: readonly EventRow[], { run, from }: { readonly run: string; readonly from: string }): Cut {
  const opens = (event: RunEvent): boolean =>
    event.type === 'step.opened' &&
    event.activation.member === undefined &&
    (event.activation.step === from || event.activation.path === from);
  const at = rows.findLastIndex((row) => row.events.some(opens));
  if (at === -1)
    throw new EngineError(
      'STEP_UNKNOWN',
      `run ${run} never came to step "${from}"${didYouMean(from, stepsOf(rows))}; a fork begins at a step that was opened`,
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

/** Rows of the row where the step opened are past as well: they settled in the same commit, just before. */
function pastRows(cut: Cut): (row: StoredAttempt) => boolean {
  return (row) => row.seq <= cut.seq;
}

async function pastOf(core: EngineCore, run: string, cut: Cut): Promise<Past> {
  const rows = (await core.store.attempts(run)).filter(pastRows(cut));
  const merged = await mergedRefs(core, cut.before);
  const latest = new Map(rows.filter((row) => row.group === undefined && row.status === 'completed').map((row) => [row.step, row.output]));
  const outputs = [...latest.values()].flatMap((ref) => (ref === undefined ? [] : [ref]));
  const texts = await core.store.values([...new Set([...merged, ...outputs].map((ref) => ref.digest))]);
  const read = (ref: Ref | undefined): Json => (ref === undefined ? null : (JSON.parse(texts.get(ref.digest) as string) as Json));
  const data = new Map<string, Json>();
  for (const patch of merged.map(read)) if (isJsonObject(patch)) for (const [key, value] of Object.entries(patch)) data.set(key, value);
  const results = new Map([...latest].map(([step, ref]) => [step, read(ref)]));
  const history =
    cut.state.form === 'flow' ? { history: await flowHistory(core.store, rows), given: await givenResults(core.store, rows) } : {};
  return { run, seq: cut.seq, counts: cut.state.counts, data, results, done: doneIn(rows), ...history };
}

/** What joined the data before the cut, oldest first; a run that is a fork itself began with the data of its original. */
async function mergedRefs(core: EngineCore, before: readonly RunEvent[]): Promise<Ref[]> {
  const own = before.flatMap((event) => mergedRef(event));
  const [first] = before;
  if (first?.type !== 'run.started') return own;
  const given = [...Object.values(first.supplied ?? {}), ...own];
  if (first.fork === undefined) return given;
  const { run, seq, step } = first.fork;
  const rows = (await core.store.events(run, 0)).filter((row) => row.seq <= seq);
  return [...(await mergedRefs(core, cutAt(rows, { run, from: step }).before)), ...given];
}

function mergedRef(event: RunEvent): Ref[] {
  const merged = mergedBy(event);
  return merged === undefined ? [] : [merged];
}
