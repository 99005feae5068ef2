// Owns what a run does because of something outside that nobody asked of it by hand: an event at the forge that its
// workflow names, or a limit that it has reached. Neither lifts a halt: that takes a person.
//
// K25. Because of events a run only goes back, never past what it has not done, as often as its workflow says; then it escalates.

import { traitsOf } from '../definition/kind.ts';
import { withNote } from '../definition/notes.ts';
import { waitOf } from './activation.ts';
import { BETWEEN_ATTEMPTS } from './assumption.ts';
import { startFresh } from './attended.ts';
import type { ControlRequest } from './input.ts';
import { isEnding } from './run-state.ts';
import { startQueued } from './settle.ts';
import type { Turn } from './turn.ts';

/** Gates without a verdict, merges under way and open questions look again; a gate or an action that looks just now, soon after. */
export function lookAgain(turn: Turn): void {
  for (const activation of Object.values(turn.run.live)) {
    const wait = waitOf(activation);
    const isLooking = activation.state === 'running' && traitsOf(turn.view, activation.kind).onlyLooks === true;
    if (isLooking && activation.news !== true) turn.change({ ...activation, news: true });
    if (wait?.kind === 'checks') startQueued(turn, activation.path);
    if (wait?.kind === 'capacity' && wait.news === true) startFresh(turn, activation);
    if (activation.state !== 'waiting' || wait?.kind !== 'human' || wait.outside?.seen === undefined) continue;
    // As before a decision, of which there is none (K13).
    if (wait.outside.decided === undefined) turn.change({ ...activation, wait: { ...wait, outside: { ...wait.outside, decided: [] } } });
  }
}

/** Agents are told of the event: those that stand still begin again, or the run goes back to the step of one. */
export function wakeAgents(turn: Turn, { note, back, actor }: ControlRequest<'wake'>): void {
  const live = Object.values(turn.run.live);
  const agents = live.filter(({ kind, side }) => traitsOf(turn.view, kind).worker === 'agent' && side !== true);
  const notes = withNote(turn.run, { by: 'event', actor, path: agents[0]?.path ?? '', ...note });
  if (notes !== undefined) turn.changeRun({ change: 'noted', notes }, actor);
  if (back !== undefined && !live.some(({ step }) => step === back.step)) return goBack(turn, { do: 'back', ...back, actor });
  for (const agent of agents) if (BETWEEN_ATTEMPTS.has(waitOf(agent)?.kind)) startFresh(turn, agent, actor);
  lookAgain(turn);
}

/** Everything that is live is given up, and a step begins again; when that happened too often, the run escalates (K25). */
export function goBack(turn: Turn, { step, rule, max, actor }: ControlRequest<'back'>): void {
  const isBehind = Object.values(turn.run.live).every((one) => one.side ?? one.member ?? turn.program.goesBack(one.step, step));
  if (!isBehind || !giveUp(turn, actor)) return turn.ignore({ input: 'control' }, 'late');
  const key = `@event:${rule}`;
  if ((turn.run.counts[key] ?? 0) >= max + (turn.run.extended[key] ?? 0)) {
    const message = `it went back to "${step}" ${max} times because of events at the forge, which is the limit`;
    return turn.end({ change: 'halted', status: 'escalated', halt: { reason: 'exhausted', message, edge: key, to: step } }, actor);
  }
  turn.jumpTo(step);
  turn.emit({ type: 'edge.taken', at: turn.at, from: '', outcome: 'goto', to: step, key });
  turn.later({ do: 'open', opening: { step } });
}

/** Stops the run at the step that it is at; a person can have that step taken up again. */
export function halt(turn: Turn, { message, actor }: ControlRequest<'halt'>): void {
  const at = Object.values(turn.run.live).find(({ member, side }) => member === undefined && side !== true);
  const group = turn.run.groups[at?.path ?? ''];
  if (at === undefined || !giveUp(turn, actor)) return turn.ignore({ input: 'control' }, 'late');
  const { path, step, attempt, input } = at;
  const why = { reason: 'error' as const, code: 'LIMIT_REACHED', message, outcome: 'error' };
  turn.end({ change: 'halted', status: 'escalated', halt: { ...why, path, step, attempt, input, group } }, actor);
}

/** Ends everything that is live; false in a run that stands still for a person, or that is about to end. */
function giveUp(turn: Turn, actor: string): boolean {
  if (turn.run.halt !== undefined || isEnding(turn.run)) return false;
  for (const activation of Object.values(turn.run.live)) if (activation.side !== true) turn.cutOff(activation, actor);
  return true;
}
