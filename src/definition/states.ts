// Owns the words for states that several skills and checks share. Each is a closed set: a `switch` over it with
// `unreachable` in its default fails to compile when a word is added.

/** The state of a loop of work and review. */
export const LoopState = Object.freeze({
  /** The work was not reviewed yet. */
  INITIAL: 'initial',
  /** A review found something, and the work is being done again. */
  RETRY: 'retry',
  /** A review passed. */
  COMPLETE: 'complete',
  /** The limit of the loop is reached and the last review had not passed. */
  EXHAUSTED: 'exhausted',
} as const);

/** One of the words of `LoopState`. */
export type LoopState = (typeof LoopState)[keyof typeof LoopState];

/** Whether a document that a step reads is available. */
export const DocumentAvailability = Object.freeze({
  /** It exists and can be read. */
  PRESENT: 'present',
  /** There is nothing under its name. */
  MISSING: 'missing',
  /** It exists, but describes an older state than the one the step works on. */
  STALE: 'stale',
  /** There is something under its name that cannot be read. */
  UNREADABLE: 'unreadable',
} as const);

/** One of the words of `DocumentAvailability`. */
export type DocumentAvailability = (typeof DocumentAvailability)[keyof typeof DocumentAvailability];
