// Owns how this program was called, so that the commands it prints can be pasted.

import type { Shell } from './shell.ts';

/** `pawl`, or `npx pawl` where that is how it was started. */
export function callOf({ env }: Shell): string {
  return env.npm_command === 'exec' ? 'npx pawl' : 'pawl';
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
