// Owns the record of what came and changed nothing.

import type { InputIgnored } from './event.ts';
import type { Path } from './run-state.ts';
import type { Turn } from './turn.ts';

/** Records that an input changed nothing, and why. */
export function ignore(
  turn: Turn,
  what: { readonly input: string; readonly path?: Path; readonly attempt?: number },
  reason: InputIgnored['reason'],
): void {
  turn.emit({ type: 'input.ignored', at: turn.at, ...what, reason });
}
