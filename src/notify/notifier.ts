// Owns the interface of notifiers: a notification that a run needs people, and the result of sending it. Every notifier
// passes the same suite (`describeNotifier` in pawl/testing/suites).
//
// NT1. A notifier sends a notification at most once per call, and reports whether it was accepted. If that is unknown, it
//      reports that, and the notification is not sent again.

/** The content of a notification. All texts are clean: no control characters, no mentions, of bounded length. */
export interface Notice {
  /** The same for the same event and target, so that a receiver can recognise duplicates. */
  readonly id: string;
  /** `waiting`, `failed`, `escalated`, `completed`, `rejected`, `cancelled`. */
  readonly event: string;
  readonly run: string;
  readonly workflow: string;
  /** One line. */
  readonly title: string;
  /** A question or a reason; may be empty. */
  readonly text: string;
  /** The path of the step that waits for a person. */
  readonly path?: string;
  /** The page where it is shown and decided, if a server can be reached. */
  readonly link?: string;
  /** The command that can be used instead. */
  readonly command: string;
  /** In UTC. */
  readonly at: string;
}

/** The result of sending a notification. `unknown`: it may have been accepted. */
export type NoticeOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** Trying again cannot help. */
      readonly isFinal?: true;
      /** When to try again, if the receiver says so. */
      readonly resumeAt?: number;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** Sends notifications. It never rejects. */
export interface Notifier {
  send(notice: Notice, signal: AbortSignal): Promise<NoticeOutcome>;
}
