// Owns how a command line is taken apart into simple commands and their words, as far as that tells which program runs
// and which files it is given. It never decides what is run: the shell does.

/** One command of a line. */
export interface SimpleCommand {
  readonly words: readonly string[];
}

const KEYWORDS = new Set(['!', 'if', 'then', 'else', 'elif', 'fi', 'do', 'done', 'while', 'until']);

/** Quoted text, an escaped character, a separator of commands, a break between words, or plain characters. */
const TOKEN = /'([^']*)'?|"((?:[^"\\]|\\[\s\S])*)"?|\\([\s\S])|([;&|()`\n]|(?<=^|\s)[{}](?=\s|$))|([\s<>]+)|[^\s;&|()`'"\\<>]+|\\/g;

/** The simple commands of a line, in order. */
export function simpleCommands(line: string): SimpleCommand[] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined && !KEYWORDS.has(word)) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (const [text, single, double, escaped, separator, space] of line.matchAll(TOKEN)) {
    if (separator !== undefined || space !== undefined) endWord();
    if (separator !== undefined) commands.push([]);
    if (separator !== undefined || space !== undefined || escaped === '\n') continue;
    word = `${word ?? ''}${single ?? double?.replaceAll(/\\([\s\S])/g, '$1') ?? escaped ?? text}`;
  }
  endWord();
  return commands.filter((words) => words.length > 0).map((words) => ({ words }));
}
