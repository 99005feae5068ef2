// Owns what agents that work next are told, as data, so that an author need not pass it on by hand: what people wrote to
// the run on its way (with a choice at a question, or when they resumed it), and what went wrong (a gate that failed, a
// review that rejected, a command that ended with an error).
//
// - An action that may fail without consequence, such as a message to people, is no setback: agents cannot mend it.
//
// K18. A note stays until a step that agents worked at has ended well, so that all who work side by side get it, and
//      every attempt of theirs. A note at a question behind or inside that very step is for the next one, and so is an
//      event that came while the step was at work.
// K20. A setback stays until its step ends well, or until a step that agents worked at does: then it was dealt with, or
//      the next verdict will say so again. A person's choice is no setback; it is a note (K18).

import type { Ref } from '../base/digest.ts';
import { textWithin } from '../base/short-text.ts';
import { hasAgents, type KindFacts, traitsOf } from './kind.ts';
import type { StepModel } from './model.ts';
import { isSuccess, type OutcomeName } from './outcome.ts';

/** What a person wrote to the run: with a choice at a question, as a note when they resumed it, or with an event at the forge. */
export type PersonNote = { readonly actor: string; readonly path: string; readonly text: string } & (
  | { readonly by: 'choice'; readonly option: string }
  | { readonly by: 'note' }
  /** It is data: whoever caused the event may not be somebody whose word counts. */
  | { readonly by: 'event'; readonly event: string }
);

/** A step that did not end well, for the agents that work next. */
export interface Setback {
  readonly path: string;
  readonly step: string;
  readonly outcome: OutcomeName;
  readonly error?: string | undefined;
  readonly output?: Ref | undefined;
}

/** What a run tells the agents that work next, oldest first; an empty list is as good as none. */
interface Told {
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

/** The notes of a run with one more; undefined when nothing was said. A choice says something even without a text. */
export function withNote({ notes = [] }: Told, note: PersonNote): readonly PersonNote[] | undefined {
  if (note.by !== 'choice' && note.text.trim() === '') return undefined;
  return [...notes, { ...note, text: cutText(note.text) }].slice(-NOTES_MAX);
}

/** A text within the bounds of a checkpoint; it says where it was cut. */
function cutText(text: string): string {
  const kept = textWithin(text, BYTES_MAX);
  if (kept.length === text.length) return text;
  return `${kept}\n[cut: these are the first ${kept.length} of ${text.length} characters; the record of the run has all of them]`;
}

/** The notes that are left after a step ended well; undefined when that changes nothing. */
export function withoutHeardNotes(
  { notes }: Told,
  { path, model }: { readonly path: string; readonly model: StepModel },
  kinds: KindFacts['kinds'],
): readonly PersonNote[] | undefined {
  if (notes === undefined || !hasAgents({ kinds }, model)) return undefined;
  const left = notes.filter((note) => note.by !== 'note' && (note.path === path || note.path.startsWith(`${path}/`)));
  return left.length < notes.length ? left : undefined;
}

/** The setbacks of a run after one of its steps ended; undefined when that changes nothing. */
export function setbacksAfter(
  { setbacks = [] }: Told,
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
export function withSetback({ setbacks = [] }: Told, { path, step }: EndedVisit, result: EndedWork): readonly Setback[] {
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
