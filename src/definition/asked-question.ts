// Owns a question that was put to people: what it shows, what they have chosen so far, and what it is about outside the run.

import type { Ref } from '../base/digest.ts';
import type { Signature } from '../base/signature.ts';

/** Who chose what. */
export interface Vote {
  readonly option: string;
  readonly actor: string;
}

/** What a person chose. */
export interface Decision extends Vote {
  readonly text?: string | undefined;
  /** The decision as a value. */
  readonly output?: Ref | undefined;
  readonly signature?: Signature | undefined;
}

/** What the host saw when it looked at the things outside that a question is about. Their content means nothing here. */
export interface Observation {
  readonly subjects: Ref;
  /** Data that joins the run's when the question is approved, and when it is answered otherwise. */
  readonly approved?: Ref | undefined;
  readonly refused?: Ref | undefined;
  /** Fields that an approval adds to the step's result. */
  readonly output?: Ref | undefined;
}

/** A question to a person. */
export interface HumanWait {
  readonly kind: 'human';
  /** The digest of everything shown; a decision must name it. Absent until the things outside were looked at. */
  readonly digest?: string | undefined;
  /** Where the question is about things outside the run. */
  readonly outside?:
    | {
        /** The digest of the question alone. */
        readonly question: string;
        readonly seen?: Observation | undefined;
        /** Decisions that count once the things outside were looked at again. */
        readonly decided?: readonly Decision[] | undefined;
      }
    | undefined;
  /** How often it was asked again, because something changed or because people disagreed. */
  readonly round?: number | undefined;
  /** Who has chosen what so far, where it takes several people. */
  readonly votes?: readonly Vote[] | undefined;
  /** How often people disagreed, and the void votes of the last time. */
  readonly split?: { readonly times: number; readonly votes: readonly Vote[] } | undefined;
  /** A decision needs a signature, whatever the run asks for elsewhere. */
  readonly signed?: true | undefined;
  /** The values shown. */
  readonly shown?: Ref | undefined;
  /** The question itself, where no stored definition holds it as it was asked: in a flow, or with templates filled in. */
  readonly gate?: Ref | undefined;
}
