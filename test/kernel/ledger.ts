// Owns what must hold after every input, whatever the definition and whatever came: nothing lost, nothing doubled,
// nothing stuck, no bound exceeded. It keeps the few facts about the past that a checkpoint does not hold.

import type { Edge, StepModel } from '../../src/definition/model.ts';
import { isFinal, isHalted } from '../../src/definition/run-status.ts';
import { activationIn } from '../../src/engine/event-facts.ts';
import type { Activation, Path } from '../../src/kernel/activation.ts';
import { dueTimeOf, heldBy, waitOf } from '../../src/kernel/activation.ts';
import { applyRow, draftOf } from '../../src/kernel/apply.ts';
import { decide } from '../../src/kernel/decide.ts';
import { effectOf } from '../../src/kernel/effect.ts';
import type { RunEvent } from '../../src/kernel/event.ts';
import type { RunInput } from '../../src/kernel/input.ts';
import type { RunState } from '../../src/kernel/run-state.ts';
import { UNDO_STEP } from '../../src/programs/undo.ts';
import type { MemoryHost } from './memory-host.ts';

/** Watches one run and tells what is wrong with it. */
export class Ledger {
  private readonly host: MemoryHost;
  private readonly steps: readonly StepModel[];
  private readonly begun = new Set<string>();
  private readonly attempts = new Map<Path, number>();
  private readonly ended = new Set<string>();

  constructor(host: MemoryHost, steps: readonly StepModel[]) {
    this.host = host;
    this.steps = steps;
  }

  /** Gives an input to the run and tells everything that is wrong afterwards. */
  take(input: RunInput): string[] {
    const before = this.host.state;
    const events = this.host.wouldTake(input);
    const again = this.host.wouldTake(input);
    const draft = draftOf(before);
    decide({ program: this.host.program, view: this.host.view }, draft, input);
    draft.seq += 1;
    const revived = applyRow(JSON.parse(JSON.stringify(before)) as RunState, JSON.parse(JSON.stringify(events)) as RunEvent[]);
    this.host.commit(events);
    const after = this.host.state;
    return [
      ...differs('decide is not deterministic', events, again),
      ...differs('K4: the fold differs from the working copy', after, draft),
      ...differs('K4: the fold of what was stored differs', after, revived),
      ...this.pastFaults(events),
      ...finalFaults(before, events),
      ...pauseFaults({ before, after, input }, events),
      ...stateFaults(this.host, this.steps),
    ];
  }

  /** K2: a key that was used begins no other work, and an attempt ends once. */
  private pastFaults(events: readonly RunEvent[]): string[] {
    const faults: string[] = [];
    const note = (seen: Set<string>, key: string, what: string) => {
      if (seen.has(key)) faults.push(`K2: ${key} ${what} twice`);
      seen.add(key);
    };
    for (const event of events) {
      if (event.type === 'step.opened' || event.type === 'step.reopened')
        note(this.begun, `${event.activation.path}/${event.activation.attempt}`, 'begins');
      if (event.type === 'step.changed' && event.activation.attempt !== this.attempts.get(event.activation.path))
        note(this.begun, `${event.activation.path}/${event.activation.attempt}`, 'begins');
      const now = activationIn(event);
      if (now !== undefined) this.attempts.set(now.path, now.attempt);
      if (event.type === 'step.settled') note(this.ended, `${event.path}/${event.attempt}`, 'ends');
      if (event.type === 'step.changed' && event.failed !== undefined)
        note(this.ended, `${event.activation.path}/${event.failed.attempt}`, 'ends');
    }
    return faults;
  }
}

function differs(what: string, left: unknown, right: unknown): string[] {
  const [a, b] = [JSON.stringify(left, sorted), JSON.stringify(right, sorted)];
  return a === b ? [] : [`${what}: ${a} against ${b}`];
}

/** Keys in order. A field that is undefined is absent: it reads the same and is not stored. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function finalFaults(before: RunState, events: readonly RunEvent[]): string[] {
  // What workers assumed can still be answered; nothing of the run goes on by it.
  const isSilent = (event: RunEvent): boolean =>
    event.type === 'input.ignored' || (event.type === 'run.changed' && event.change === 'assumption-answered');
  if (!isFinal(before.status) || events.every(isSilent)) return [];
  return ['K3: a final run went on'];
}

/** While a run is paused, nothing that was not under way begins. */
function pauseFaults(turn: { before: RunState; after: RunState; input: RunInput }, events: readonly RunEvent[]): string[] {
  if (!turn.before.paused || !turn.after.paused) return [];
  return events.flatMap((event) => {
    if (event.type !== 'step.opened' && event.type !== 'step.reopened') return [];
    const { path, state } = event.activation;
    const isGroup = event.type === 'step.reopened' && event.group !== undefined;
    return state === 'queued' || isGroup || event.activation.step === UNDO_STEP ? [] : [`${path} begins ${state} in a paused run`];
  });
}

/** What is wrong with a run as it stands. */
export function stateFaults(host: MemoryHost, steps: readonly StepModel[]): string[] {
  const run = host.state;
  const live = Object.values(run.live);
  const top = live.filter(({ member }) => member === undefined);
  const faults: string[] = [];
  if (isFinal(run.status) && live.length > 0) faults.push(`${run.status} with ${live.map(({ path }) => path).join()} still live`);
  if (isHalted(run.status) && run.halt === undefined) faults.push('halted without a reason');
  if (run.status === 'running' && run.halt !== undefined) faults.push('a halt in a run that goes on');
  if (run.status === 'running' && live.length === 0) faults.push('stuck: running with nothing live');
  if (top.length > 1) faults.push(`doubled: ${top.map(({ path }) => path).join()}`);
  if (isHalted(run.status) && top.length > 0) faults.push(`halted with ${top[0]?.path} still live`);
  const isUndone = run.undoing !== undefined && run.status !== 'running' && !(run.status === 'escalated' && run.halt?.step === UNDO_STEP);
  if (isUndone && run.status !== run.undoing?.status && run.status !== 'cancelled') faults.push(`K24: undone, but ${run.status}`);
  if (run.ending !== undefined && run.undoing === undefined && run.status !== 'cancelled' && run.status !== 'running')
    faults.push(`cancelled but ${run.status}`);
  faults.push(...live.flatMap((activation) => activationFaults(host, activation)));
  faults.push(...Object.keys(run.groups).flatMap((path) => groupFaults(host, path)));
  faults.push(...steps.flatMap((model) => boundFaults(run, model)));
  return faults;
}

function activationFaults(host: MemoryHost, activation: Activation): string[] {
  const run = host.state;
  const { path, state } = activation;
  const wait = waitOf(activation);
  const model = host.program.model(activation.step);
  const holds = run.paused || run.halt !== undefined || run.ending !== undefined || host.view.holding;
  const faults: string[] = [];
  if (run.undoing !== undefined && run.ending === undefined && activation.step !== UNDO_STEP)
    faults.push(`K24: ${path} goes on in a run that is undone`);
  if (run.ending !== undefined && wait?.kind !== 'child' && activation.step !== UNDO_STEP)
    faults.push(`${path} lives on in a cancelled run`);
  if (!holds && !hasWayOn(run, activation)) faults.push(`stuck: ${path} is ${state} and nothing will change that`);
  if (wait?.kind === 'signal' && run.signals[wait.name] !== undefined) faults.push(`stuck: ${path} waits for a signal that is there`);
  if (model.timeoutMs !== undefined && run.ending === undefined && !isTimed(activation))
    faults.push(`${path} is ${state} without its time limit`);
  return faults;
}

function hasWayOn(run: RunState, activation: Activation): boolean {
  if (effectOf(run, activation) !== undefined || dueTimeOf(activation) !== undefined || activation.state === 'unknown') return true;
  const kind = waitOf(activation)?.kind;
  if (kind === 'human' || kind === 'signal' || kind === 'child' || kind === 'assumptions') return true;
  return activation.state === 'waiting' && Object.values(run.live).some(({ member }) => member?.group === activation.path);
}

function isTimed(activation: Activation): boolean {
  if (activation.kind === 'delay') return true;
  if (activation.state === 'running') return activation.due !== undefined;
  const kind = waitOf(activation)?.kind;
  return kind === undefined || kind === 'retry' || kind === 'repair' || activation.deadline !== undefined;
}

/** Every member of a group is in one place: not open, at work, or counted. */
function groupFaults(host: MemoryHost, path: Path): string[] {
  const run = host.state;
  const group = run.groups[path];
  const owner = run.live[path];
  if (group === undefined || owner === undefined) return [`the group ${path} has no owner`];
  const active = Object.values(run.live).filter(({ member }) => member?.group === path).length;
  const counted = group.ok + group.reject + group.fail + group.skip;
  const waiting = group.queued + (group.again?.length ?? 0);
  if (heldBy(owner) !== undefined || owner.state !== 'waiting')
    return active > 0 ? [`${path} is joined with ${active} members at work`] : [];
  const faults: string[] = [];
  if (waiting + active + counted !== group.total)
    faults.push(`lost: ${path} has ${waiting} waiting, ${active} active, ${counted} counted of ${group.total}`);
  if (active > group.limit) faults.push(`${path} has ${active} members at work, the limit is ${group.limit}`);
  const holds = run.paused || host.view.holding || run.ending !== undefined;
  if (!holds && waiting > 0 && active < group.limit) faults.push(`stuck: ${path} could open another member`);
  return faults;
}

/** G1: what was counted is within what was allowed. */
function boundFaults(run: RunState, model: StepModel): string[] {
  return Object.entries(model.next).flatMap(([outcome, entry]) =>
    'condition' in entry
      ? [...overused(run, `${model.id}:${outcome}:true`, entry.onTrue), ...overused(run, `${model.id}:${outcome}:false`, entry.onFalse)]
      : overused(run, `${model.id}:${outcome}`, entry),
  );
}

function overused(run: RunState, key: string, edge: Edge): string[] {
  const allowed = (edge.max ?? Number.POSITIVE_INFINITY) + (run.extended[key] ?? 0);
  const count = run.counts[key] ?? 0;
  return count > allowed ? [`G1: ${key} was taken ${count} times, ${allowed} are allowed`] : [];
}
