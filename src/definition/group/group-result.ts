// Owns the result of a group of branches or items when it settles, and the message why it did not succeed.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { failedChecks } from '../failure-text.ts';
import type { StepModel } from '../model.ts';
import type { OutcomeName } from '../outcome.ts';

/** How a member of a group ended. */
export interface EndedMember {
  readonly key: string;
  readonly outcome: OutcomeName | 'cancelled';
  readonly output: Json;
  readonly error?: { readonly message: string } | undefined;
}

const NAMED_IN_ERRORS = 5;
/** How many characters of a worker's reason a message repeats. */
const REASON_MAX = 300;

/** The result of a group: a list of an `each`, the winner of a race, else results by key. */
export function groupOutput(model: StepModel, members: readonly EndedMember[]): Json {
  if (model.kind === 'each') return members.map((member) => member.output);
  const settled = members.filter((member) => member.outcome !== 'cancelled' && member.outcome !== 'skip');
  if (model.kind === 'parallel' && model.flow === 'race') {
    const winner = settled.find((member) => member.outcome === 'ok');
    // Without a winner, the result is how each member failed.
    if (winner !== undefined) return { winner: winner.key, value: winner.output };
  }
  return Object.fromEntries(settled.map((member) => [member.key, member.output]));
}

/** Which members did not succeed, and why: their errors, or what their workers reported as `error`. */
export function groupFailure(members: readonly EndedMember[], total: number): string {
  const bad = members.filter(isBad);
  const named = bad
    .slice(0, NAMED_IN_ERRORS)
    .map((member) => [member.key, member.outcome, reasonOf(member)] as const)
    .map(([key, outcome, reason]) => `${key} (${outcome}${reason === undefined ? '' : `: ${reason}`})`);
  const more = bad.length > NAMED_IN_ERRORS ? ` and ${bad.length - NAMED_IN_ERRORS} more` : '';
  return `${bad.length} of ${total} did not succeed: ${named.join('; ')}${more}`;
}

/** The members that did not succeed, by key: how each ended, and why if that is known; null if there is none. */
export function groupEvidence(members: readonly EndedMember[]): Json {
  const bad = members.filter(isBad).sort((a, b) => (a.key < b.key ? -1 : 1));
  if (bad.length === 0) return null;
  return {
    members: Object.fromEntries(
      bad.map((member) => [member.key, { outcome: member.outcome, ...omitUndefined({ error: reasonOf(member) }) }]),
    ),
  };
}

function isBad({ outcome }: EndedMember): boolean {
  return outcome !== 'ok' && outcome !== 'skip' && outcome !== 'cancelled';
}

function reasonOf({ error, output }: EndedMember): string | undefined {
  if (error !== undefined) return error.message;
  const reason = isJsonObject(output) && typeof output.error === 'string' ? output.error : failedChecks(output);
  return reason?.slice(0, REASON_MAX);
}
