// Owns what a run does without a person's request: it reacts to a forge event that its workflow names, or to a limit
// that it reached. Neither ends a halt: only a person can.
//
// K25. An event only sends a run back, never forward past undone work, as often as its workflow allows; then it escalates.

import { eventKey } from '../definition/count-key.ts';
import { traitsOf } from '../definition/kind.ts';
import { withNote } from '../definition/question/notes.ts';
import { waitOf } from './activation.ts';
import { BETWEEN_ATTEMPTS } from './assumption.ts';
import { startFresh } from './attended.ts';
import type { ControlRequest } from './input.ts';
import { currentOf, isEnding } from './run-state.ts';
import { startQueued } from './settle.ts';
import type { Turn } from './turn.ts';

/** Gates without a verdict, pending merges and open questions check again; one that is checking now does so once more. */
export function recheckGates(turn: Turn): void {
  for (const activation of Object.values(turn.run.live)) {
    const wait = waitOf(activation);
    const isChecking = activation.state === 'running' && traitsOf(turn.view, activation.kind).onlyLooks === true;
    if (isChecking && activation.signalled !== true) turn.change({ ...activation, signalled: true });
    if (wait?.kind === 'checks') startQueued(turn, activation.path);
    if (wait?.kind === 'capacity' && wait.wakeOnSignal === true) startFresh(turn, activation);
    if (activation.state !== 'waiting' || wait?.kind !== 'human' || wait.digest === undefined || wait.outside === undefined) continue;
    // The same observation as before a decision (K13), but without one.
    if (wait.outside.decided === undefined) turn.change({ ...activation, wait: { ...wait, outside: { ...wait.outside, decided: [] } } });
  }
}

/** Passes the event to agents: waiting ones begin again, or the run goes back to an agent's step. */
export function tellAgents(turn: Turn, { note, back, actor }: ControlRequest<'wake'>): void {
  const live = Object.values(turn.run.live);
  const agents = live.filter(({ kind, side }) => traitsOf(turn.view, kind).worker === 'agent' && side !== true);
  const notes = withNote(turn.run, { by: 'event', actor, path: agents[0]?.path, ...note });
  if (notes !== undefined) turn.changeRun({ change: 'noted', notes }, actor);
  if (back !== undefined && !live.some(({ step }) => step === back.step)) return goBack(turn, { do: 'back', ...back, actor });
  for (const agent of agents) if (BETWEEN_ATTEMPTS.has(waitOf(agent)?.kind)) startFresh(turn, agent, actor);
  recheckGates(turn);
}

/** Cancels everything live except side steps and starts a step again; after too many times the run escalates (K25). */
export function goBack(turn: Turn, { step, rule, max, actor }: ControlRequest<'back'>): void {
  const isBehind = Object.values(turn.run.live).every((one) => one.side ?? one.member ?? turn.program.goesBack(one.step, step));
  if (!isBehind || !giveUp(turn, actor)) return turn.ignore({ input: 'control' }, 'late');
  const key = eventKey(rule);
  if ((turn.run.counts[key] ?? 0) >= max + (turn.run.extended[key] ?? 0)) {
    const message = `events sent the run back to "${step}" ${max} times, which is its limit`;
    return turn.end({ change: 'halted', status: 'escalated', halt: { reason: 'exhausted', message, edge: key, to: step } }, actor);
  }
  turn.jumpTo(step);
  turn.emit({ type: 'edge.taken', at: turn.at, outcome: 'goto', to: step, key });
  turn.later({ do: 'open', opening: { step } });
}

/** Halts the run at its current step; a person can resume it there. */
export function halt(turn: Turn, { limit, message, actor }: ControlRequest<'halt'>): void {
  const at = currentOf(turn.run);
  const group = at && turn.run.groups[at.path];
  if (at === undefined || !giveUp(turn, actor)) return turn.ignore({ input: 'control' }, 'late');
  const { path, step, attempt, input } = at;
  const why = { reason: 'error' as const, code: 'LIMIT_REACHED', limit, message, outcome: 'error' };
  turn.end({ change: 'halted', status: 'escalated', halt: { ...why, path, step, attempt, input, group } }, actor);
}

/** Ends everything live except side steps; returns false in a run that is halted or ending. */
function giveUp(turn: Turn, actor: string): boolean {
  if (turn.run.halt !== undefined || isEnding(turn.run)) return false;
  for (const activation of Object.values(turn.run.live)) if (activation.side !== true) turn.cutOff(activation, actor);
  return true;
}
