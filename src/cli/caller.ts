// Owns how this program was started, so that the commands it prints can be pasted.

import { shellWord } from '../base/shell-word.ts';
import type { Shell } from './shell.ts';

/** `pawl`, or `npx pawl` if it was started that way. */
export function callOf({ env }: Pick<Shell, 'env'>): string {
  return env.npm_command === 'exec' ? 'npx pawl' : 'pawl';
}

/** A command that can be pasted: `pawl show RUN` with the --project and --db of this command. */
export function pasteable(shell: Pick<Shell, 'env' | 'named'>, command: string): string {
  const named = shell.named.map(([option, value]) => ` --${option} ${shellWord(value)}`).join('');
  return `${command.replace(/^pawl/, callOf(shell))}${named}`;
}

export { shellWord };
