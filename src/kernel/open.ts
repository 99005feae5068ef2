// Owns how an activation comes to life and how its work begins: its path and visit, its condition, its slots, and
// for kinds that wait or group, what they wait for.

import type { Json } from '../base/json.ts';
import { pipelineOf } from '../definition/kind.ts';
import type { HumanGateModel, StepModel, StepOf } from '../definition/model.ts';
import { comparesFiles } from '../definition/output-pattern.ts';
import { openGroup } from './group.ts';
import type { StepError } from './input.ts';
import { gateDigest } from './question-digest.ts';
import { type Activation, childIdOf, createMemberPath, createPath, type Path, type Ref, type Wait } from './run-state.ts';
import { evaluationMessage, holds, shownValues } from './scope.ts';
import { conclude, finishWork } from './settle.ts';
import { rendered } from './template-scope.ts';
import type { Turn } from './turn.ts';

/** Which step to open, and for a member, where. */
export interface Opening {
  readonly step: string;
  /** flow: digest of what was yielded. */
  readonly input?: string;
  readonly member?: { readonly group: Path; readonly key: string; readonly index: number };
}

/** Opens a step: it is skipped, queued, or begins to work. */
export function openStep(turn: Turn, opening: Opening): void {
  const model = turn.program.model(opening.step);
  const { path, counted } = nextPath(turn, opening);
  const { step, input, member } = opening;
  const plain: Activation = { path, step, kind: model.kind, state: 'queued', attempt: 1, since: 1, recovery: 0, openedAt: turn.at };
  // Told apart instead of merged: this is on the path of every step.
  const born: Activation = input === undefined ? (member === undefined ? plain : { ...plain, ...member }) : { ...plain, ...member, input };
  const skip = skipReason(turn, model, opening);
  if (skip === undefined && (!turn.holds || model.side === true)) return emitOpened(turn, started(turn, born, model), counted);
  emitOpened(turn, born, counted);
  if (skip === true) turn.later(() => conclude(turn, path, { outcome: 'skip' }));
  else if (skip !== undefined) turn.later(() => conclude(turn, path, { outcome: 'error', error: skip }));
}

function emitOpened(turn: Turn, activation: Activation, counted: boolean): void {
  const { at } = turn;
  turn.emit(counted ? { type: 'step.opened', at, activation, counted: true } : { type: 'step.opened', at, activation });
  if (activation.state === 'waiting' || activation.state === 'queued') turn.later(() => begun(turn, activation.path));
}

function nextPath(turn: Turn, opening: Opening): { path: Path; counted: boolean } {
  if (opening.member !== undefined) return { path: createMemberPath(opening.member.group, opening.member.key), counted: false };
  const jumps = turn.run.counts['@goto'] ?? 0;
  const counted = jumps > 0 || turn.program.isOnCycle(opening.step);
  return { path: createPath(opening.step, counted ? (turn.run.counts[opening.step] ?? jumps) + 1 : 1), counted };
}

function skipReason(turn: Turn, model: StepModel, opening: Opening): true | StepError | undefined {
  if (model.condition === undefined) return undefined;
  try {
    return holds(model.condition, { run: turn.run, view: turn.view, names: turn.program.outputNames, step: opening.step })
      ? undefined
      : true;
  } catch (thrown) {
    return { code: 'CONDITION_ERROR', message: evaluationMessage(model.condition, thrown), reason: 'error', retryable: false };
  }
}

/** The activation as its next attempt begins: at work, queued for a slot, or waiting for what its kind waits for. */
export function started(turn: Turn, activation: Activation, model: StepModel): Activation {
  if (pipelineOf(model.kind) === 'execute') {
    // What is compared with afterwards has to be on record before the work begins.
    if (comparesFiles(model) && activation.based !== true) return { ...activation, state: 'preparing', startedAt: turn.at };
    return startedWork(turn, activation, model);
  }
  if (model.preconditions.length > 0 && activation.state !== 'preparing') return { ...activation, state: 'preparing', startedAt: turn.at };
  return startedWait(turn, activation, model);
}

function startedWork(turn: Turn, activation: Activation, model: StepModel): Activation {
  const slots = activation.slots ?? turn.view.slots(model);
  if (slots.length > 0 && activation.slots === undefined) return { ...activation, state: 'queued', slots };
  return working(turn, activation, model);
}

/** The activation at work, from now on against its time limit. */
export function working(turn: Turn, activation: Activation, model: StepModel): Activation {
  const at: Activation = { ...withoutWait(activation), state: 'running', startedAt: turn.at };
  return model.timeoutMs === undefined ? at : { ...at, due: turn.at + model.timeoutMs };
}

function withoutWait(activation: Activation): Activation {
  if (activation.due === undefined && activation.wait === undefined) return activation;
  const { due: _, wait: __, ...rest } = activation;
  return rest;
}

function startedWait(turn: Turn, activation: Activation, model: StepModel): Activation {
  const { due: _, wait: __, deadline: ___, ...rest } = activation;
  const waiting: Activation = { ...rest, state: 'waiting', startedAt: activation.startedAt ?? turn.at };
  const deadline = model.timeoutMs === undefined ? {} : { deadline: turn.at + model.timeoutMs };
  switch (model.kind) {
    case 'human':
      return { ...waiting, ...deadline, wait: humanWait(turn, model, { step: activation.step }) };
    case 'delay':
      return { ...waiting, ...delayWait(turn, model) };
    case 'signal':
      return { ...waiting, ...deadline, wait: { kind: 'signal', name: model.signal } };
    case 'workflow':
      return {
        ...waiting,
        ...deadline,
        wait: { kind: 'child', child: childIdOf(turn.run.id, activation) },
      };
    default:
      return { ...waiting, ...deadline };
  }
}

function delayWait(turn: Turn, { durationMs, poll }: StepOf<'delay'>): Pick<Activation, 'due' | 'wait'> {
  const until = turn.at + durationMs;
  if (poll === undefined) return { due: until, wait: { kind: 'delay', reason: 'delay', until } };
  return { due: Math.min(until, turn.at + poll.intervalMs), wait: { kind: 'delay', reason: 'poll', until } };
}

/** The question as it is put to a person, bound to what is shown by a digest without times. */
export function humanWait(turn: Turn, model: StepModel, at: { readonly step: string; readonly output?: Ref }): Wait {
  const written = model.gate as HumanGateModel;
  const isFilled = model.templates === true;
  const result = at.output === undefined || (written.show.length === 0 && !isFilled) ? null : turn.view.value(at.output);
  const scope = { run: turn.run, view: turn.view, names: turn.program.outputNames, step: at.step, result };
  const gate = isFilled ? { ...written, prompt: String(rendered(written.prompt, scope)) } : written;
  const shown = shownValues(gate.show, scope);
  const ref = gate.show.length === 0 ? undefined : turn.view.keep(shown);
  const question = turn.run.form === 'flow' || isFilled ? turn.view.keep(gate as unknown as Json) : undefined;
  const digest = gateDigest(gate, shown);
  return {
    kind: 'human',
    ...(gate.subjects === undefined ? { digest } : { question: digest }),
    ...(gate.signed === undefined ? {} : { signed: gate.signed }),
    ...(ref === undefined ? {} : { shown: ref }),
    ...(question === undefined ? {} : { gate: question }),
  };
}

/** What follows at once from an activation that has just begun to wait. */
export function begun(turn: Turn, path: Path): void {
  const activation = turn.activation(path);
  if (activation === undefined || activation.state !== 'waiting') return;
  const model = turn.model(activation);
  const isGroup = model.kind === 'parallel' || model.kind === 'each';
  if (isGroup && turn.run.groups[path] === undefined && activation.held === undefined) openGroup(turn, activation, model);
  if (model.kind === 'signal') takeQueuedSignal(turn, activation);
}

function takeQueuedSignal(turn: Turn, activation: Activation): void {
  const name = activation.wait?.name ?? '';
  const queue = turn.run.signals[name];
  if (activation.wait?.kind !== 'signal' || queue === undefined) return;
  const payload = queue[0] ?? undefined;
  turn.emit({ type: 'run.changed', at: turn.at, signal: { name, taken: true } });
  finishWork(turn, activation.path, { outcome: 'ok', ...(payload === undefined ? {} : { output: payload }) });
}
