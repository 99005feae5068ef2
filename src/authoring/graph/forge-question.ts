// Reads the fields of a question that are about the forge.

import { type Duration, parseDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type ForgeQuestion, WAITED_FOR } from '../../definition/model.ts';

/** The fields of a question that are about the forge. */
export interface ForgeQuestionSpec {
  /** What also decides it at the forge: an approving review, a comment, a label, a dismissed review. */
  readonly waitFor?: (typeof WAITED_FOR)[number];
  /** The label that decides it, for `waitFor: 'label'`. */
  readonly label?: string;
  /** Groups and people who are asked for a review at the forge when the question opens. */
  readonly autoAssign?: string | readonly string[];
  /** How often, and how many times at most, they are reminded at the forge. */
  readonly reminders?: { readonly interval: Duration; readonly max: number };
}

/** The names of these fields. */
export const FORGE_QUESTION_FIELDS = ['waitFor', 'label', 'autoAssign', 'reminders'];

/** Reports a fault. */
type Fault = (message: string, hint: string) => void;

/** Reads these fields; undefined if there are none. */
export function readForgeQuestion(spec: ForgeQuestionSpec, fault: Fault): ForgeQuestion | undefined {
  const { waitFor, label, autoAssign, reminders } = spec;
  if (waitFor !== undefined && !WAITED_FOR.includes(waitFor))
    fault(
      `\`waitFor\` must be one of ${WAITED_FOR.join(', ')}, not "${String(waitFor)}"${didYouMean(String(waitFor), WAITED_FOR)}`,
      `write waitFor: "${WAITED_FOR[0]}"`,
    );
  if ((waitFor === 'label') !== (label !== undefined))
    fault(
      label === undefined ? '`label` is missing, although `waitFor` is "label"' : '`label` needs waitFor: "label"',
      'write waitFor: "label" and label: "approved" together',
    );
  const assign = typeof autoAssign === 'string' ? [autoAssign] : autoAssign;
  const remind = reminders === undefined ? undefined : readReminders(reminders, fault);
  const read = omitUndefined({ waitFor, label, assign: assign && [...assign], reminders: remind });
  return Object.keys(read).length === 0 ? undefined : read;
}

function readReminders({ interval, max }: NonNullable<ForgeQuestionSpec['reminders']>, fault: Fault): ForgeQuestion['reminders'] {
  if (!Number.isSafeInteger(max) || max < 1)
    fault(`\`reminders.max\` must be a positive integer, not ${String(max)}`, 'write a number such as 3');
  try {
    return { intervalMs: parseDuration(interval, '`reminders.interval`'), max };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    fault(error.message, 'write a duration such as "24h"');
    return undefined;
  }
}
