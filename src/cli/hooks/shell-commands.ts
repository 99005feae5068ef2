// Owns reading a shell line as far as a hook needs it: which programs it calls with which words, and which files it
// redirects to. It is a help for honest agents, not a fence: variables, aliases and scripts are not followed.

/** One program call of a shell line. */
export interface ShellCall {
  readonly words: readonly string[];
  /** The files that its output is redirected to. */
  readonly writes: readonly string[];
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash']);
const DEPTH_MAX = 3;

/** Returns the calls of a shell line, including those of `sh -c "…"`. */
export function callsIn(line: string, depth = 0): readonly ShellCall[] {
  const calls = split(line);
  if (depth >= DEPTH_MAX) return calls;
  return calls.flatMap((call) => {
    const shell = call.words.findIndex((word) => SHELLS.has(programName(word)));
    const script = shell === -1 ? -1 : call.words.findIndex((word, index) => index > shell && /^-[a-z]*c$/.test(word));
    const inner = script === -1 ? undefined : call.words[script + 1];
    return inner === undefined ? [call] : [call, ...callsIn(inner, depth + 1)];
  });
}

/** The name of a program, without its folder. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}

/** A quoted or unquoted piece of a word, a redirection, or an end of a command. */
const TOKEN = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\d*>{1,2}[|&]?\s*)|([;&|\n()`]+|\$\()|([^\s'"\\;&|()<>`$]+|\$)|(\s+|<+)/gs;

function split(line: string): ShellCall[] {
  const calls: ShellCall[] = [];
  let words: string[] = [];
  let writes: string[] = [];
  let word: string | undefined;
  let isTarget = false;
  const endWord = (): void => {
    if (word !== undefined) (isTarget ? writes : words).push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const endCall = (): void => {
    endWord();
    if (words.length > 0 || writes.length > 0) calls.push({ words, writes });
    words = [];
    writes = [];
    isTarget = false;
  };
  for (const [, single, double, escaped, redirect, end, plain] of line.matchAll(TOKEN)) {
    const piece = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (redirect !== undefined) {
      endWord();
      isTarget = true;
    } else if (end !== undefined) endCall();
    else endWord();
  }
  endCall();
  return calls;
}
