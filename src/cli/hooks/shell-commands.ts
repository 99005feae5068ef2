// Owns reading a shell line as far as a hook needs it: which programs it calls with which words, and which files it
// redirects to. It is a help for honest agents, not a fence: variables, aliases and scripts are not followed.
// `cd` is, and so are `sh -c`, `eval`, substitutions and documents that a shell reads. Other documents are text.

import { isAbsolute, join } from 'node:path';

/** One program call of a shell line. */
export interface ShellCall {
  /** The program and its arguments, without what only starts it (`env -i X=1 nice rm` is `rm`). */
  readonly words: readonly string[];
  /** The files that its output is redirected to. */
  readonly writes: readonly string[];
  /** Where `cd` led before, from the folder of the line; undefined if that is not known. */
  readonly folder: string | undefined;
}

/** Programs that run a line given after `-c`. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'script', 'su']);
const KEYWORDS: ReadonlySet<string> = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'time']);
const WRAPPERS: ReadonlySet<string> = new Set(
  ['env', 'sudo', 'doas', 'command', 'nohup', 'timeout', 'stdbuf', 'setsid', 'nice', 'ionice', 'xargs'].flatMap((name) => [
    name,
    `/usr/bin/${name}`,
  ]),
);
/** Options, variables, times and names of signals, between a wrapper and the program. */
const WRAPPER_WORD = /^(?:-.*|\w+=.*|[\d.]+[smhd]?|[A-Z]+\d*)$/s;
const VARIABLE = /^\w+=/;
const DEPTH_MAX = 3;

/** Returns the calls of a shell line, including those of `sh -c "…"`. */
export function callsIn(line: string, depth = 0, folder: string | undefined = ''): readonly ShellCall[] {
  const { rest, documents } = withoutDocuments(line);
  const calls = split(rest, folder);
  if (depth >= DEPTH_MAX) return calls.map(({ inner: _, ...call }) => call);
  const isShell = calls.some(({ words: [program = ''] }) => SHELLS.has(programName(program)));
  return [
    ...calls.flatMap(({ inner, ...call }) => [
      call,
      ...[...inner, ...scriptOf(call.words)].flatMap((text) => callsIn(text, depth + 1, call.folder)),
    ]),
    ...(isShell ? documents.flatMap((text) => callsIn(text, depth + 1, folder)) : []),
  ];
}

/** The line that a call runs, if it is one of a shell. */
function scriptOf(words: readonly string[]): string[] {
  const [program = '', ...args] = words;
  if (program === 'eval') return [args.join(' ')];
  const shell = words.findIndex((word) => SHELLS.has(programName(word)));
  const option = shell === -1 ? -1 : words.findIndex((word, index) => index > shell && /^-[a-z]*c$/.test(word));
  return option === -1 ? [] : words.slice(option + 1, option + 2);
}

/** A line with more is not taken apart: looking for the end of each would take long. */
const DOCUMENTS_MAX = 50;
const DOCUMENT = /<<-?[ \t]*(['"]?)(\w+)\1([^\n]*)\n(?:([\s\S]*?)\n)??[ \t]*\2(?=\n|$)/g;

/** A line without the documents in it (`<<EOF`), and those. */
function withoutDocuments(line: string): { readonly rest: string; readonly documents: readonly string[] } {
  if ((line.match(/<</g)?.length ?? 0) > DOCUMENTS_MAX) return { rest: line, documents: [] };
  const documents = [...line.matchAll(DOCUMENT)].map(([, , , , text = '']) => text);
  return { rest: line.replace(DOCUMENT, '$3'), documents };
}

/** The name of a program, without its folder. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}

/** The words of a call from its program on. */
function started(words: readonly string[]): readonly string[] {
  let at = 0;
  for (let isWrapped = false; at < words.length; at += 1) {
    const word = words[at] as string;
    if (WRAPPERS.has(word)) isWrapped = true;
    else if (!KEYWORDS.has(word) && !VARIABLE.test(word) && !(isWrapped && WRAPPER_WORD.test(word))) break;
  }
  return words.slice(at);
}

/** The folder after a call: another one after `cd`. */
function folderAfter(folder: string | undefined, [program, ...args]: readonly string[]): string | undefined {
  if (program !== 'cd' && program !== 'pushd') return folder;
  const [to, ...more] = args.filter((word) => word !== '--');
  if (to === undefined || more.length > 0 || /^[-~]|[$*?]/.test(to)) return undefined;
  return isAbsolute(to) ? to : folder === undefined ? undefined : join(folder, to);
}

/** A quoted or unquoted piece of a word, a redirection, or an end of a command. */
const TOKEN = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\d*>{1,2}[|&]?\s*)|([;&|\n]+|[()`]|\$\()|([^\s'"\\;&|()<>`$]+|\$)|(\s+|<+)/gs;
const SUBSTITUTED = /\$\(([^()]*)\)|`([^`]*)`/g;

interface SplitCall extends ShellCall {
  /** What is substituted inside of its quotation marks. */
  readonly inner: readonly string[];
}

function split(line: string, start: string | undefined): SplitCall[] {
  const calls: SplitCall[] = [];
  const around: (string | undefined)[] = [];
  let folder = start;
  let now = { words: [] as string[], writes: [] as string[], inner: [] as string[] };
  let word: string | undefined;
  let isTarget = false;
  const endWord = (): void => {
    if (word !== undefined) (isTarget ? now.writes : now.words).push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const endCall = (): void => {
    endWord();
    const words = started(now.words);
    if (now.words.length > 0 || now.writes.length > 0) calls.push({ ...now, words, folder });
    folder = folderAfter(folder, words);
    now = { words: [], writes: [], inner: [] };
    isTarget = false;
  };
  for (const [, single, double, escaped, redirect, end, plain] of line.matchAll(TOKEN)) {
    const piece = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (double !== undefined) now.inner.push(...[...double.matchAll(SUBSTITUTED)].map(([, one, other]) => one ?? other ?? ''));
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (redirect !== undefined) {
      endWord();
      isTarget = true;
    } else if (end !== undefined) {
      endCall();
      // A folder that was entered in parentheses is left with them.
      if (end.endsWith('(')) around.push(folder);
      else if (end === ')' && around.length > 0) folder = around.pop();
    } else endWord();
  }
  endCall();
  return calls;
}
