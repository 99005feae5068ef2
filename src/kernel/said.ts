// Owns what people said to a run on its way: the text with a choice at a question, and the note with which a run was sent
// on. It is handed to the agents that work next, as data.
//
// K18. It stays until a step that agents worked at has ended well, so that all who work side by side hear it, and every
//      attempt of theirs. What was said at a question behind or inside that very step is for the next one.

import { membersOf, type StepModel } from '../definition/model.ts';
import type { Activation, Path, PersonSaid, RunState } from './run-state.ts';
import type { Turn } from './turn.ts';

const SAID_MAX = 5;
const BYTES_MAX = 4096;

/** What the run has been told with one more text; nothing when nobody wrote anything. */
export function withSaid({ said = [] }: RunState, one: PersonSaid): { readonly said?: readonly PersonSaid[] } {
  if (one.text.trim() === '') return {};
  return { said: [...said, { ...one, text: cut(one.text) }].slice(-SAID_MAX) };
}

function cut(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= BYTES_MAX) return text;
  // A character that the cut went through is left out.
  const kept = new TextDecoder().decode(bytes.subarray(0, BYTES_MAX)).replace(/\uFFFD+$/, '');
  return `${kept}\n[cut: these are the first ${kept.length} of ${text.length} characters; the record of the run has all of them]`;
}

/** A step has ended well: what the agents that worked at it were told is done with. */
export function forgetSaid(turn: Turn, { path }: Activation, model: StepModel): void {
  const { said } = turn.run;
  if (said === undefined || !hasAgents(model)) return;
  const left = said.filter((one) => one.by === 'choice' && isWithin(path, one.path));
  if (left.length < said.length) turn.emit({ type: 'run.changed', at: turn.at, said: left });
}

function hasAgents(step: StepModel): boolean {
  const { kind } = step;
  return kind === 'agent' || kind === 'generate' || (kind !== 'validate' && membersOf(step).some(hasAgents));
}

function isWithin(path: Path, other: Path): boolean {
  return other === path || other.startsWith(`${path}/`);
}
