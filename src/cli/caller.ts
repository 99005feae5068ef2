// Makes printed commands pasteable: with the program as the user started it, and the --project and --db of this command.

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

/** The text with every command in quotes made pasteable: `"pawl show RUN"` gets the --project and --db of this command. */
export function pasteableIn(shell: Pick<Shell, 'env' | 'named'>, text: string): string {
  if (shell.named.length === 0 && callOf(shell) === 'pawl') return text;
  // A path with control characters cannot be pasted and must not reach the terminal.
  if (shell.named.some(([, value]) => CONTROL.test(value))) return text;
  return text.replaceAll(COMMAND, (whole, command: string) => {
    const isComplete = command.includes(' --db ') || command.includes(' --project ') || command.endsWith('--help');
    return isComplete ? whole : `"${pasteable(shell, command)}"`;
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const COMMAND = /"(pawl [a-z][^"\n]*)"/g;

/** The --project and --db options of a command line that could not be parsed, or whose command has failed. */
export function namedIn(argv: readonly string[]): Shell['named'] {
  return argv.flatMap((word, index): Shell['named'] => {
    const [, option = '', value = argv[index + 1]] = /^--(project|db)(?:=(.*))?$/s.exec(word) ?? [];
    return option === '' || value === undefined ? [] : [[option, value]];
  });
}
