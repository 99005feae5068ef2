// Owns reading the part of a question that is at the forge.

import { type Duration, parseDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type ForgeQuestion, WAITED_FOR } from '../../definition/model.ts';

/** The part of a question that is at the forge, as it is written. */
export interface ForgeQuestionSpec {
  /** What else decides it at the forge: an approving review, a comment, a label, a dismissed review. */
  readonly waitFor?: (typeof WAITED_FOR)[number];
  /** The label that decides it, for `waitFor: 'label'`. */
  readonly label?: string;
  /** Groups and people who are asked for a review at the forge when the question opens. */
  readonly autoAssign?: string | readonly string[];
  /** How often, and how many times at most, they are reminded at the forge. */
  readonly reminders?: { readonly interval: Duration; readonly max: number };
}

/** The fields of that part. */
export const FORGE_QUESTION_FIELDS = ['waitFor', 'label', 'autoAssign', 'reminders'];

/** Reports a fault. */
type Refuse = (message: string, hint: string) => void;

/** The part as data; undefined if there is none. */
export function readForgeQuestion(written: ForgeQuestionSpec, refuse: Refuse): ForgeQuestion | undefined {
  const { waitFor, label, autoAssign, reminders } = written;
  if (waitFor !== undefined && !WAITED_FOR.includes(waitFor))
    refuse(`nothing is called "${String(waitFor)}"${didYouMean(String(waitFor), WAITED_FOR)}`, `wait for one of ${WAITED_FOR.join(', ')}`);
  if ((waitFor === 'label') !== (label !== undefined))
    refuse(
      label === undefined ? 'it waits for a label, and names none' : 'it names a label, and does not wait for one',
      'write the wait for a label and the label together',
    );
  const assign = typeof autoAssign === 'string' ? [autoAssign] : autoAssign;
  const remind = reminders === undefined ? undefined : readReminders(reminders, refuse);
  const read = omitUndefined({ waitFor, label, assign: assign && [...assign], reminders: remind });
  return Object.keys(read).length === 0 ? undefined : read;
}

function readReminders({ interval, max }: NonNullable<ForgeQuestionSpec['reminders']>, refuse: Refuse): ForgeQuestion['reminders'] {
  if (!Number.isSafeInteger(max) || max < 1) refuse(`\`reminders.max\` must be a positive integer, not ${String(max)}`, 'correct it');
  try {
    return { intervalMs: parseDuration(interval, 'the interval of reminders'), max };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    refuse(error.message, 'write a duration such as "24h"');
    return undefined;
  }
}
