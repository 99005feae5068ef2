// Splits a command line into simple commands and their words, to see which program runs and which files it gets. It
// never decides what runs: the shell does.

/** One command of a line. */
export interface SimpleCommand {
  /** A `$` in a word stands for something that only the shell knows: a variable, or the output of another command. */
  readonly words: readonly string[];
  /** True if it reads the output of the command before it. */
  readonly isPiped?: boolean;
}

const KEYWORDS = new Set(['!', 'if', 'then', 'else', 'elif', 'fi', 'do', 'done', 'while', 'until']);

/** Quoted text, an escaped character, a separator of commands, a break between words, or plain characters. */
const TOKEN = /'([^']*)'?|"((?:[^"\\]|\\[\s\S])*)"?|\\([\s\S])|([;&|()`\n]|(?<=^|\s)[{}](?=\s|$))|([\s<>]+)|[^\s;&|()`'"\\<>]+|\\/g;

/** The simple commands of a line, in order. */
export function simpleCommands(line: string): SimpleCommand[] {
  const commands: { words: string[]; before: string }[] = [{ words: [], before: '' }];
  let word: string | undefined;
  let space = '';
  let isInBackticks = false;
  const endWord = (): void => {
    if (word !== undefined && !KEYWORDS.has(word)) commands.at(-1)?.words.push(word);
    word = undefined;
  };
  for (const [text, single, double, escaped, separator, gap] of line.matchAll(TOKEN)) {
    // The output of another command: `echo x`, <(echo x). Of $(echo x) the dollar is there already.
    if (separator === '`') isInBackticks = !isInBackticks;
    if ((separator === '`' && isInBackticks) || (separator === '(' && /[<>]$/.test(space))) word = `${word ?? ''}$`;
    if (separator !== undefined || gap !== undefined) endWord();
    space = gap ?? '';
    if (separator !== undefined) {
      const last = commands.at(-1);
      if (last?.words.length === 0) last.before += separator;
      else commands.push({ words: [], before: separator });
    }
    if (separator !== undefined || gap !== undefined || escaped === '\n') continue;
    word = `${word ?? ''}${single ?? double?.replaceAll(/\\([\s\S])/g, '$1') ?? escaped ?? text}`;
  }
  endWord();
  return commands
    .filter(({ words }) => words.length > 0)
    .map(({ words, before }) => (/^\|&?\n*$/.test(before) ? { words, isPiped: true } : { words }));
}
