// Owns the record of what workers of a run assumed instead of asking: one entry each, how many of them a run holds, and
// which of them nothing lands without.

import { digestJson, type Ref } from '../base/digest.ts';
import type { Json } from '../base/json.ts';
import type { AssumptionText } from './assumption.ts';
import type { FindingSeverity } from './review.ts';

/** How a person answered an assumption. */
export interface AssumptionAnswer {
  /** False when the answer differs from what was assumed. */
  readonly agrees: boolean;
  readonly actor: string;
  readonly at: number;
  /** What they said; absent where they only agreed. */
  readonly text?: Ref | undefined;
  /** The answer differs and nothing could run again here: the run was over, or being cancelled. */
  readonly unmet?: true | undefined;
}

/** Whose assumption it is. */
export interface AssumptionPlace {
  readonly path: string;
  readonly step: string;
  /** A member: the path of the group, or of the validation, that it belongs to; of a group also its key there. */
  readonly within?: string | undefined;
  readonly key?: string | undefined;
}

/** Something that a worker assumed instead of asking. */
export interface Assumption extends AssumptionPlace {
  /** Unique in its run: a1, a2 and so on. */
  readonly id: string;
  readonly attempt: number;
  readonly at: number;
  readonly severity: FindingSeverity;
  /** The digest of what was assumed: an answer is about exactly that. */
  readonly digest: string;
  /** The list that it was recorded with, and its place there. */
  readonly list: Ref;
  readonly index: number;
  readonly answer?: AssumptionAnswer | undefined;
}

/** The assumptions of a run, oldest first; a run without any has no list. */
type Assumptions = readonly Assumption[] | undefined;

/** How many open assumptions a run holds, and how many in all. */
export const OPEN_ASSUMPTIONS_MAX = 50;
const KEPT_MAX = 100;

/** The assumptions that no person has answered yet, oldest first. */
export function openAssumptions({ assumptions = [] }: { readonly assumptions?: Assumptions }): readonly Assumption[] {
  return assumptions.filter(({ answer }) => answer === undefined);
}

/** The assumptions without which nothing lands: grave ones that are open, and answers that the work does not follow yet. */
export function holdingAssumptions({ assumptions = [] }: { readonly assumptions?: Assumptions }): readonly Assumption[] {
  return assumptions.filter(({ answer, severity }) => (answer === undefined ? severity === 'MUST' : answer.unmet === true));
}

/** The list with more of them: the oldest answered ones make room. */
export function withAssumptions(known: Assumptions, more: readonly Assumption[]): readonly Assumption[] {
  const all = [...(known ?? []), ...more];
  let surplus = all.length - KEPT_MAX;
  return surplus <= 0 ? all : all.filter(({ answer }) => answer === undefined || answer.unmet === true || surplus-- <= 0);
}

/** The list with an answer to one of them. */
export function withAnswer(known: Assumptions, id: string, answer: AssumptionAnswer): readonly Assumption[] {
  return (known ?? []).map((one) => (one.id === id ? { ...one, answer } : one));
}

/** What a worker said, and where it is stored. */
interface SaidAssumptions extends Pick<Assumption, 'attempt' | 'at' | 'list'> {
  readonly place: AssumptionPlace;
  readonly value: Json;
}

/** The entries for what a worker said that the run does not know of its step yet. */
export function newAssumptions(known: Assumptions, { place, value, ...said }: SaidAssumptions): readonly Assumption[] {
  const { step, key } = place;
  const isKnown = (digest: string): boolean =>
    known?.some((one) => one.digest === digest && one.step === step && one.key === key && one.answer?.agrees !== false) === true;
  const last = Number(known?.at(-1)?.id.slice(1) ?? 0);
  return (value as unknown as readonly AssumptionText[])
    .map((text, index) => ({ severity: text.severity, index, digest: digestJson(text as unknown as Json) }))
    .filter(({ digest }) => !isKnown(digest))
    .map((text, position) => ({ id: `a${last + position + 1}`, ...place, ...said, ...text }));
}

/** Why a run takes no more assumptions, if it does not. */
export function roomFault(known: Assumptions, { step, more }: { readonly step: string; readonly more: number }): string | undefined {
  if (openAssumptions({ assumptions: known }).length + more <= OPEN_ASSUMPTIONS_MAX) return undefined;
  return `step "${step}" assumed more than the run holds: ${OPEN_ASSUMPTIONS_MAX} assumptions may wait for an answer; answer some of them`;
}
