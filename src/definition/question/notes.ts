// Owns the notes and setbacks that the next agents get, so that an author need not pass them on: what people wrote (with
// a choice at a question, or when they resumed the run), and what went wrong (a gate that failed, a review that rejected,
// a command that ended with an error).
//
// - An action that may fail harmlessly, such as a notification, is not a setback: agents cannot fix it.
//
// K18. A note stays until a step with agents has succeeded, so that parallel agents and all their attempts get it. A note
//      from a question after or inside that step is for the next step, and so is an event that arrived while the step
//      was running.
// K20. A setback stays until its step succeeds, or until a step with agents does: then it was handled, or the next
//      verdict will repeat it. A person's choice is no setback; it is a note (K18).

import type { Ref } from '../../base/digest.ts';
import { textWithin } from '../../base/short-text.ts';
import { isWithin } from '../address.ts';
import { hasAgents, type KindFacts, traitsOf } from '../kind.ts';
import type { StepModel } from '../model.ts';
import { isSuccess, type OutcomeName } from '../outcome.ts';

/** What a person wrote to the run: with a choice at a question, as a note when they resumed it, or with an event at the forge. */
export type PersonNote = { readonly actor: string; readonly path?: string | undefined; readonly text: string } & (
  | { readonly by: 'choice'; readonly option: string }
  | { readonly by: 'note' }
  /** It is data: the author of the event may not be an authorised person. */
  | { readonly by: 'event'; readonly event: string }
);

/** A step that did not succeed, for the next agents. */
export interface Setback {
  readonly path: string;
  readonly step: string;
  readonly outcome: OutcomeName;
  readonly error?: string | undefined;
  readonly output?: Ref | undefined;
}

/** The notes and setbacks of a run, oldest first. An empty list is stored as absent. */
interface RunNotes {
  readonly notes?: readonly PersonNote[];
  readonly setbacks?: readonly Setback[];
}

/** A visit of a step that ended. */
interface EndedVisit {
  readonly path: string;
  readonly step: string;
  readonly side?: true | undefined;
}

/** How the work at a step ended. */
interface EndedWork {
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
  readonly error?: { readonly message: string } | undefined;
}

const NOTES_MAX = 5;
const SETBACKS_MAX = 3;
const BYTES_MAX = 3072;

/** The notes of a run with one more; undefined if the note is empty. A choice counts even without a text. */
export function withNote({ notes = [] }: RunNotes, note: PersonNote): readonly PersonNote[] | undefined {
  if (note.by !== 'choice' && note.text.trim() === '') return undefined;
  return [...notes, { ...note, text: cutText(note.text) }].slice(-NOTES_MAX);
}

/** A text within the bounds of a checkpoint; it says where it was cut. */
function cutText(text: string): string {
  const kept = textWithin(text, BYTES_MAX);
  if (kept.length === text.length) return text;
  return `${kept}\n[cut: these are the first ${kept.length} of ${text.length} characters; the record of the run has all of them]`;
}

/** The notes that are left after a step succeeded; undefined when that changes nothing. */
export function withoutReadNotes(
  { notes }: RunNotes,
  { path, model }: { readonly path: string; readonly model: StepModel },
  kinds: KindFacts['kinds'],
): readonly PersonNote[] | undefined {
  if (notes === undefined || !hasAgents({ kinds }, model)) return undefined;
  const left = notes.filter((note) => note.by !== 'note' && note.path !== undefined && isWithin(note.path, path));
  return left.length < notes.length ? left : undefined;
}

/** The setbacks of a run after one of its steps ended; undefined when that changes nothing. */
export function setbacksAfter(
  { setbacks = [] }: RunNotes,
  { activation, model, result }: { readonly activation: EndedVisit; readonly model: StepModel; readonly result: EndedWork },
  kinds: KindFacts['kinds'],
): readonly Setback[] | undefined {
  const { outcome } = result;
  const isGood = isSuccess(model, outcome);
  if (isGood && hasAgents({ kinds }, model)) return setbacks.length === 0 ? undefined : [];
  const isTolerated = traitsOf({ kinds }, model.kind).isBeyondAgents === true && leadsOn(model, outcome);
  const isSetback = !isGood && outcome !== 'skip' && model.kind !== 'human' && activation.side !== true && !isTolerated;
  if (isSetback) return withSetback({ setbacks }, activation, result);
  const others = setbacks.filter(({ step }) => step !== activation.step);
  return others.length < setbacks.length ? others : undefined;
}

/** The setbacks of a run with a round of a validation that failed and is being repaired. */
export function withSetback({ setbacks = [] }: RunNotes, { path, step }: EndedVisit, result: EndedWork): readonly Setback[] {
  const { outcome, output, error } = result;
  const setback = { path, step, outcome, output, error: error === undefined ? undefined : cutText(error.message) };
  return [...setbacks.filter((other) => other.step !== step), setback].slice(-SETBACKS_MAX);
}

/** Whether a step leads to the same one as if it had ended well. */
function leadsOn({ next }: StepModel, outcome: OutcomeName): boolean {
  const [way, good] = [next[outcome] ?? next._default, next.ok ?? next._default];
  if (way === undefined || good === undefined || 'condition' in way || 'condition' in good) return false;
  return 'step' in way.to && 'step' in good.to && way.to.step === good.to.step;
}
