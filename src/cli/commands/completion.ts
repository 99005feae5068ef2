// `pawl completion`: the script that teaches a shell the words of this command line, and the words it asks for.

import { COMMANDS } from '../catalogue.ts';
import type { CommandRun } from '../command.ts';
import { type AskedWords, type CommandOffer, offersOf } from '../completion.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const what = given.option('words') as AskedWords | undefined;
  if (what !== undefined) {
    const { askedWords } = await import('../completion-words.ts');
    const words = await askedWords(shell, COMMANDS, { what, line: given.allWords('WORD') });
    shell.result({ words }, () => words);
    return 0;
  }
  const name = given.word('SHELL');
  const script = await scriptOf(name, offersOf(COMMANDS));
  shell.result({ shell: name, script }, () => script.trimEnd().split('\n'));
  return 0;
};

async function scriptOf(shell: string, offers: readonly CommandOffer[]): Promise<string> {
  if (shell === 'bash') return (await import('../completion-bash.ts')).bashScript(offers);
  if (shell === 'zsh') return (await import('../completion-zsh.ts')).zshScript(offers);
  return (await import('../completion-fish.ts')).fishScript(offers);
}
