// Chooses the option for the keys `a` and `r`: the one that `pawl approve` and `pawl reject` would.

import type { InboxOption } from '../connection/contract.ts';

const BACKWARD = /^(?:reject|rework|revise|decline|deny|no|back|changes?)\b/i;
const REFUSED = ['reject', 'fail'];

/** The option that approves the work; undefined if several or none do. */
export function approving(options: readonly InboxOption[]): InboxOption | undefined {
  const forward = options.filter((option) => option.outcome === 'ok' && !isBackward(option));
  return forward.length === 1 ? forward[0] : options.find(({ label }) => label.toLowerCase() === 'approve');
}

/** The option that rejects the work or sends it back; undefined if several or none do. */
export function rejecting(options: readonly InboxOption[]): InboxOption | undefined {
  const refusing = options.filter(({ outcome, next }) => REFUSED.includes(outcome) || next === 'reject' || next === 'rejected');
  if (refusing.length > 0) return refusing.length === 1 ? refusing[0] : undefined;
  const back = options.filter(isBackward);
  return back.length === 1 ? back[0] : undefined;
}

function isBackward({ label, requiresInput }: InboxOption): boolean {
  return requiresInput || BACKWARD.test(label);
}
