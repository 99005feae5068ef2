// Owns a question that people were asked: what it shows, their votes so far, and its subjects outside the run.

import type { Ref } from '../../base/digest.ts';
import type { Signature } from '../../base/signature.ts';

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

/** What the host observed about the outside subjects of a question. Their content is opaque here. */
export interface Observation {
  readonly subjects: Ref;
  /** Data that joins the run's data when the question is approved, and when it is answered otherwise. */
  readonly approved?: Ref | undefined;
  readonly refused?: Ref | undefined;
  /** Fields that an approval adds to the step's result. */
  readonly output?: Ref | undefined;
}

/** A question to a person. */
export type HumanWait = QuestionState & ShownSubjects;

/** What is shown to people. `digest` is that of everything shown; a decision must name it. */
export type ShownSubjects =
  | { readonly digest: string; readonly outside?: undefined }
  /** The subjects outside the run are not observed yet, so no one has been asked. */
  | { readonly digest?: undefined; readonly outside: OutsideQuestion & { readonly seen?: undefined; readonly decided?: undefined } }
  | {
      readonly digest: string;
      readonly outside: OutsideQuestion & {
        readonly seen: Observation;
        /** Decisions that count once the subjects were observed again. */
        readonly decided?: readonly Decision[] | undefined;
      };
    };

/** A question with subjects outside the run: the digest of the question alone. */
export interface OutsideQuestion {
  readonly question: string;
}

/** The wait for an answer. */
export interface QuestionState {
  readonly kind: 'human';
  /** How often it was asked again, because something changed or because people disagreed. */
  readonly round?: number | undefined;
  /** The votes so far, if several people must agree. */
  readonly votes?: readonly Vote[] | undefined;
  /** How often people disagreed, and the void votes of the last time. */
  readonly split?: { readonly times: number; readonly votes: readonly Vote[] } | undefined;
  /** A decision needs a signature, whatever the run requires elsewhere. */
  readonly signed?: true | undefined;
  /** The values shown. */
  readonly shown?: Ref | undefined;
  /** The question itself, if the stored definition does not contain it as asked: in a flow, or with rendered templates. */
  readonly question?: Ref | undefined;
}
