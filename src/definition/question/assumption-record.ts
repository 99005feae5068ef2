// Owns the record of assumptions, which workers make instead of asking: the entries, how many of them a run keeps, and
// which of them block a merge.

import { digestJson, type Ref } from '../../base/digest.ts';
import type { Json } from '../../base/json.ts';
import type { FindingSeverity } from '../review/review.ts';
import type { AssumptionText } from './assumption.ts';

/** How a person answered an assumption. */
export interface AssumptionAnswer {
  /** False when the answer differs from the assumption. */
  readonly agrees: boolean;
  readonly actor: string;
  readonly at: number;
  /** The text of the answer; absent if the person only agreed. */
  readonly text?: Ref | undefined;
  /** The answer differs and nothing could run again here: the run had ended, or was being cancelled. */
  readonly unmet?: true | undefined;
}

/** The step that made the assumption. */
export interface AssumptionPlace {
  readonly path: string;
  readonly step: string;
  /** For a member: the path of its group or validation; in a group also its key. */
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
  /** The digest of the assumption: an answer is about exactly that. */
  readonly digest: string;
  /** The list that it was recorded with, and its position there. */
  readonly list: Ref;
  readonly index: number;
  readonly answer?: AssumptionAnswer | undefined;
}

/** The assumptions of a run, oldest first; a run without any has no list. */
type Assumptions = readonly Assumption[] | undefined;

/** How many open assumptions a run keeps, and how many in total. */
export const OPEN_ASSUMPTIONS_MAX = 50;
const KEPT_MAX = 100;

/** The assumptions that no person has answered yet, oldest first. */
export function openAssumptions({ assumptions = [] }: { readonly assumptions?: Assumptions }): readonly Assumption[] {
  return assumptions.filter(({ answer }) => answer === undefined);
}

/** The assumptions that block a merge: open ones with MUST, and answers that the work does not follow yet. */
export function blockingAssumptions({ assumptions = [] }: { readonly assumptions?: Assumptions }): readonly Assumption[] {
  return assumptions.filter(({ answer, severity }) => (answer === undefined ? severity === 'MUST' : answer.unmet === true));
}

/** The list with new assumptions added; the oldest answered ones are dropped to make room. */
export function withAssumptions(known: Assumptions, more: readonly Assumption[]): readonly Assumption[] {
  const all = [...(known ?? []), ...more];
  let surplus = all.length - KEPT_MAX;
  return surplus <= 0 ? all : all.filter(({ answer }) => answer === undefined || answer.unmet === true || surplus-- <= 0);
}

/** The list with one assumption answered. */
export function withAnswer(known: Assumptions, id: string, answer: AssumptionAnswer): readonly Assumption[] {
  return (known ?? []).map((assumption) => (assumption.id === id ? { ...assumption, answer } : assumption));
}

/** The assumptions that a worker reported, and where they are stored. */
interface ReportedAssumptions extends Pick<Assumption, 'attempt' | 'at' | 'list'> {
  readonly place: AssumptionPlace;
  readonly value: Json;
}

/** The entries for reported assumptions that the run has not recorded for this step yet. */
export function newAssumptions(known: Assumptions, { place, value, ...reported }: ReportedAssumptions): readonly Assumption[] {
  const { step, key } = place;
  const isKnown = (digest: string): boolean =>
    known?.some(
      (assumption) =>
        assumption.digest === digest && assumption.step === step && assumption.key === key && assumption.answer?.agrees !== false,
    ) === true;
  const last = known?.at(-1);
  const count = last === undefined ? 0 : numberOf(last.id);
  return (value as unknown as readonly AssumptionText[])
    .map((text, index) => ({ severity: text.severity, index, digest: digestJson(text as unknown as Json) }))
    .filter(({ digest }) => !isKnown(digest))
    .map((text, position) => ({ id: idOf(count + position + 1), ...place, ...reported, ...text }));
}

function idOf(number: number): string {
  return `a${number}`;
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}

/** Why a run cannot record more assumptions, if it cannot. */
export function assumptionLimitFault(
  known: Assumptions,
  { step, more }: { readonly step: string; readonly more: number },
): string | undefined {
  if (openAssumptions({ assumptions: known }).length + more <= OPEN_ASSUMPTIONS_MAX) return undefined;
  return `step "${step}" made too many assumptions: at most ${OPEN_ASSUMPTIONS_MAX} of a run may wait for an answer; answer some of them`;
}
