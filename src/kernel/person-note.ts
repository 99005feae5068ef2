// Owns what people wrote to a run on its way: the text with a choice at a question, and the note with which a run was
// resumed. It is passed to the agents that work next, as data.
//
// K18. A note stays until a step that agents worked at has ended well, so that all who work side by side get it, and
//      every attempt of theirs. A note at a question behind or inside that very step is for the next one.

import { textWithin } from '../base/short-text.ts';
import { membersOf, type StepModel } from '../definition/model.ts';
import type { Path } from './activation.ts';
import type { PersonNote, RunState } from './run-state.ts';

const NOTES_MAX = 5;
const BYTES_MAX = 3072;

/** The notes of a run with one more; undefined when nothing was said. A choice says something even without a text. */
export function withNote({ notes = [] }: RunState, note: PersonNote): readonly PersonNote[] | undefined {
  if (note.by === 'note' && note.text.trim() === '') return undefined;
  return [...notes, { ...note, text: cutText(note.text) }].slice(-NOTES_MAX);
}

/** A text within the bounds of a checkpoint; it says where it was cut. */
export function cutText(text: string): string {
  const kept = textWithin(text, BYTES_MAX);
  if (kept.length === text.length) return text;
  return `${kept}\n[cut: these are the first ${kept.length} of ${text.length} characters; the record of the run has all of them]`;
}

/** The notes that are left after a step ended well; undefined when that changes nothing. */
export function withoutHeardNotes({ notes }: RunState, at: { readonly path: Path }, model: StepModel): readonly PersonNote[] | undefined {
  if (notes === undefined || !hasAgents(model)) return undefined;
  const left = notes.filter((note) => note.by === 'choice' && isWithin(at.path, note.path));
  return left.length < notes.length ? left : undefined;
}

/** Whether agents work at a step, or at one inside it. The repair of a validation is not the end of it. */
export function hasAgents(step: StepModel): boolean {
  const { kind } = step;
  return kind === 'agent' || kind === 'generate' || (kind !== 'validate' && membersOf(step).some(hasAgents));
}

function isWithin(path: Path, other: Path): boolean {
  return other === path || other.startsWith(`${path}/`);
}
