// Owns how an activation opens and how its work begins: its path and visit, its condition, its slots, and for kinds that
// wait, what they wait for.

import { toPlain } from '../base/json.ts';
import { createPath } from '../definition/address.ts';
import { JUMPS } from '../definition/count-key.ts';
import { pipelineOf } from '../definition/kind.ts';
import type { StepModel } from '../definition/model.ts';
import { comparesFiles } from '../definition/output-pattern.ts';
import type { HumanWait } from '../definition/question/asked-question.ts';
import { approvalDigest } from '../definition/question/question-digest.ts';
import { evaluationMessage, holds, shownValues } from '../definition/scope/scope.ts';
import { rendered } from '../definition/scope/template-scope.ts';
import type { Activation, ActivationIn, Path, PendingResult, Visit, Wait } from './activation.ts';
import type { Events } from './event.ts';
import type { StepError } from './input.ts';
import { childIdOf } from './run-state.ts';
import type { Opening, Turn } from './turn.ts';

/** Opens a step: it is skipped, queued or started. */
export function openStep(turn: Turn, opening: Opening): void {
  const model = turn.program.model(opening.step);
  const { path, ...numbered } = nextPath(turn, opening);
  const { step, input, member } = opening;
  const visit: Visit = { ...createVisit(turn, { path, step, attempt: 1, member, input }), side: model.side };
  const skip = skipReason(turn, model, opening);
  const begins = skip === undefined && !turn.holdsBack(model);
  const activation: Activation = begins ? started(turn, visit) : { ...visit, state: 'queued' };
  turn.emit({ type: 'step.opened', at: turn.at, activation, ...numbered });
  if (activation.state === 'waiting' || activation.state === 'queued') turn.later({ do: 'begin', path });
  if (skip === undefined) return;
  turn.later({ do: 'conclude', path, result: skip === true ? { outcome: 'skip' } : { outcome: 'error', error: skip } });
}

/** A visit whose retries are counted from this attempt on. */
export function createVisit(turn: Turn, at: Pick<Visit, 'path' | 'step' | 'attempt' | 'member' | 'input'>): Visit {
  return { ...at, kind: turn.program.model(at.step).kind, since: at.attempt, openedAt: turn.at };
}

function nextPath(turn: Turn, opening: Opening): { path: Path; visit?: number } {
  if (opening.member !== undefined) return { path: `${opening.member.group}/${opening.member.key}` };
  const jumps = turn.run.counts[JUMPS] ?? 0;
  if (jumps === 0 && !turn.program.isOnCycle(opening.step)) return { path: createPath(opening.step, 1) };
  const visit = (turn.run.counts[opening.step] ?? jumps) + 1;
  return { path: createPath(opening.step, visit), visit };
}

function skipReason(turn: Turn, model: StepModel, opening: Opening): true | StepError | undefined {
  if (model.condition === undefined) return undefined;
  try {
    return holds(model.condition, turn.scope(opening.step)) ? undefined : true;
  } catch (thrown) {
    return { code: 'CONDITION_ERROR', message: evaluationMessage(model.condition, thrown), reason: 'error', retryable: false };
  }
}

/** What an attempt begins with: semaphores that it already holds, and what was prepared. */
interface Beginning {
  readonly slots?: readonly string[] | undefined;
  readonly prepared?: { readonly startedAt: number; readonly prompt?: string | undefined } | undefined;
}

/** The activation at the beginning of its next attempt: running, queued for semaphores, or waiting. */
export function started(turn: Turn, visit: Visit, { slots, prepared }: Beginning = {}): Activation {
  const model = turn.model(visit);
  if (pipelineOf(turn.view, model.kind) === 'execute') {
    // The baseline that the result is compared with must be recorded before the work begins.
    if (comparesFiles(turn.view.kinds, model) && visit.based !== true) return { ...visit, state: 'preparing', startedAt: turn.at };
    if (slots !== undefined) return working(turn, visit, slots);
    const wanted = turn.view.slots(model);
    return wanted.length > 0 ? { ...visit, state: 'queued', slots: wanted } : working(turn, visit);
  }
  const isPrepared =
    model.preconditions.length > 0 || model.contract !== undefined || (model.kind === 'human' && model.question.built === true);
  if (isPrepared && prepared === undefined) return { ...visit, state: 'preparing', startedAt: turn.at };
  return startedWait(turn, visit, prepared ?? { startedAt: turn.at });
}

/** The activation as running; its time limit starts now. */
export function working(turn: Turn, visit: Visit, slots?: readonly string[]): ActivationIn<'running'> {
  const due = turn.deadline(turn.model(visit));
  const running: ActivationIn<'running'> = { ...visit, state: 'running', startedAt: turn.at };
  return due === undefined && slots === undefined ? running : { ...running, due, slots };
}

/** The activation at the beginning of its next attempt or, while nothing new may start, in the queue. */
export function startedOrQueued(turn: Turn, visit: Visit, beginning?: Beginning): Activation {
  return turn.holdsBack(turn.model(visit)) ? { ...visit, state: 'queued' } : started(turn, visit, beginning);
}

/** Begins an attempt of a live activation, at once or when the run continues. */
export function beginAttempt(turn: Turn, visit: Visit, { slots, ...more }: AttemptBeginning = {}): void {
  turn.change(startedOrQueued(turn, visit, { slots }), more);
  turn.later({ do: 'begin', path: visit.path });
}

type AttemptBeginning = Pick<Beginning, 'slots'> & Pick<Events['step.changed'], 'failed' | 'actor'>;

function startedWait(turn: Turn, visit: Visit, { startedAt, prompt }: NonNullable<Beginning['prepared']>): ActivationIn<'waiting'> {
  const model = turn.model(visit);
  const deadline = model.kind === 'delay' ? undefined : turn.deadline(model);
  const waiting = { ...visit, deadline, state: 'waiting' as const, startedAt };
  if (model.kind !== 'delay') return { ...waiting, wait: waitFor(turn, visit, { model, prompt }) };
  const until = turn.at + model.durationMs;
  const due = model.poll === undefined ? until : Math.min(until, turn.at + model.poll.intervalMs);
  return { ...waiting, due, wait: { kind: 'delay', until, polls: model.poll !== undefined } };
}

function waitFor(turn: Turn, visit: Visit, { model, prompt }: { readonly model: StepModel; readonly prompt: string | undefined }): Wait {
  if (model.kind === 'human') return humanWait(turn, model, { step: visit.step, prompt });
  if (model.kind === 'signal') return { kind: 'signal', name: model.signal };
  return model.kind === 'workflow' ? { kind: 'child', run: childIdOf(turn.run.id, visit) } : { kind: 'members' };
}

/** The step that asks, the output of its work, and the text of the question if a function built it. */
type AskedAt = Pick<Visit, 'step'> & Pick<PendingResult, 'output'> & { readonly prompt?: string | undefined };

/** The question for a person. Its digest covers everything that is shown, but no times. */
export function humanWait(turn: Turn, model: StepModel, at: AskedAt): HumanWait {
  const { built: _, ...written } = turn.question(at);
  const isFilled = model.templates === true || at.prompt !== undefined;
  const result = at.output === undefined || (written.show.length === 0 && !isFilled) ? null : turn.view.value(at.output);
  const scope = { ...turn.scope(at.step), result };
  const question = isFilled ? { ...written, prompt: at.prompt ?? String(rendered(written.prompt, scope)) } : written;
  const shown = shownValues(question.show, scope);
  const digest = approvalDigest(question, shown);
  return {
    kind: 'human',
    ...(question.subjects === undefined ? { digest } : { outside: { question: digest } }),
    signed: question.signed,
    shown: question.show.length === 0 ? undefined : turn.view.keep(shown),
    question: turn.run.form === 'flow' || isFilled ? turn.view.keep(toPlain(question, 'the question')) : undefined,
  };
}
