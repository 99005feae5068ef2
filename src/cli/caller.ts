// Owns how this program was called, so that the commands it prints can be pasted.

import type { Shell } from './shell.ts';

/** `pawl`, or `npx pawl` where that is how it was started. */
export function callOf({ env }: Pick<Shell, 'env'>): string {
  return env.npm_command === 'exec' ? 'npx pawl' : 'pawl';
}

/** A command as it works when it is pasted here: `pawl show RUN`, with the project and the database this one was given. */
export function pasteable(shell: Pick<Shell, 'env' | 'named'>, command: string): string {
  const named = shell.named.map(([option, value]) => ` --${option} ${shellWord(value)}`).join('');
  return `${command.replace(/^pawl/, callOf(shell))}${named}`;
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./#-]+$/.test(text) && !text.startsWith('#') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
