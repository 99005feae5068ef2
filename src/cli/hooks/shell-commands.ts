// Parses a shell line as far as a hook needs it: which programs it calls with which arguments, and which files it
// redirects to. It helps honest agents and is not a security boundary: variables, aliases and scripts are not followed.
// `cd`, `sh -c`, `eval`, substitutions and here-documents for a shell are; other here-documents are text.

import { isAbsolute, join } from 'node:path';

/** One program call of a shell line. */
export interface ShellCall {
  /** The program and its arguments, without wrappers (`env -i X=1 nice rm` is `rm`). */
  readonly words: readonly string[];
  readonly writes: readonly string[];
  /** The folder after earlier `cd` commands, relative to where the line runs; undefined if unknown. */
  readonly folder: string | undefined;
}

/** Programs that run the line after `-c`. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'script', 'su']);
const KEYWORDS: ReadonlySet<string> = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'time']);
const WRAPPERS: ReadonlySet<string> = new Set(
  ['env', 'sudo', 'doas', 'command', 'nohup', 'timeout', 'stdbuf', 'setsid', 'nice', 'ionice', 'xargs'].flatMap((name) => [
    name,
    `/usr/bin/${name}`,
  ]),
);
/** Options, variables, durations and signal names between a wrapper and the program. */
const WRAPPER_WORD = /^(?:-.*|\w+=.*|[\d.]+[smhd]?|[A-Z]+\d*)$/s;
const VARIABLE = /^\w+=/;
const DEPTH_MAX = 3;

/** Returns the calls of a shell line, including those of `sh -c "…"`. */
export function callsIn(line: string, depth = 0, folder: string | undefined = ''): readonly ShellCall[] {
  const { rest, documents } = withoutHereDocuments(line);
  const calls = splitCalls(rest, folder);
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

function scriptOf(words: readonly string[]): string[] {
  const [program = '', ...args] = words;
  if (program === 'eval') return [args.join(' ')];
  const shell = words.findIndex((word) => SHELLS.has(programName(word)));
  const option = shell === -1 ? -1 : words.findIndex((word, index) => index > shell && /^-[a-z]*c$/.test(word));
  return option === -1 ? [] : words.slice(option + 1, option + 2);
}

/** With more, searching for the end of each would take too long. */
const HERE_DOCUMENTS_MAX = 50;
const HERE_DOCUMENT = /<<-?[ \t]*(['"]?)(\w+)\1([^\n]*)\n(?:([\s\S]*?)\n)??[ \t]*\2(?=\n|$)/g;

/** The line without its here-documents (`<<EOF`), and their texts. */
function withoutHereDocuments(line: string): { readonly rest: string; readonly documents: readonly string[] } {
  if ((line.match(/<</g)?.length ?? 0) > HERE_DOCUMENTS_MAX) return { rest: line, documents: [] };
  const documents = [...line.matchAll(HERE_DOCUMENT)].map(([, , , , text = '']) => text);
  return { rest: line.replace(HERE_DOCUMENT, '$3'), documents };
}

/** The name of a program, without its folder. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}

function withoutWrappers(words: readonly string[]): readonly string[] {
  let at = 0;
  for (let isWrapped = false; at < words.length; at += 1) {
    const word = words[at] as string;
    if (WRAPPERS.has(word)) isWrapped = true;
    else if (!KEYWORDS.has(word) && !VARIABLE.test(word) && !(isWrapped && WRAPPER_WORD.test(word))) break;
  }
  return words.slice(at);
}

function folderAfter(folder: string | undefined, [program, ...args]: readonly string[]): string | undefined {
  if (program !== 'cd' && program !== 'pushd') return folder;
  const [to, ...more] = args.filter((word) => word !== '--');
  if (to === undefined || more.length > 0 || /^[-~]|[$*?]/.test(to)) return undefined;
  return isAbsolute(to) ? to : folder === undefined ? undefined : join(folder, to);
}

/** A piece of a word, a redirection, or the end of a command. */
const TOKEN = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\d*>{1,2}[|&]?\s*)|([;&|\n]+|[()`]|\$\()|([^\s'"\\;&|()<>`$]+|\$)|(\s+|<+)/gs;
const SUBSTITUTION = /\$\(([^()]*)\)|`([^`]*)`/g;

interface SplitCall extends ShellCall {
  /** The command substitutions inside double quotes. */
  readonly inner: readonly string[];
}

function splitCalls(line: string, start: string | undefined): SplitCall[] {
  const calls: SplitCall[] = [];
  const outerFolders: (string | undefined)[] = [];
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
    const words = withoutWrappers(now.words);
    if (now.words.length > 0 || now.writes.length > 0) calls.push({ ...now, words, folder });
    folder = folderAfter(folder, words);
    now = { words: [], writes: [], inner: [] };
    isTarget = false;
  };
  for (const [, single, double, escaped, redirect, end, plain] of line.matchAll(TOKEN)) {
    const piece = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (double !== undefined) now.inner.push(...[...double.matchAll(SUBSTITUTION)].map(([, one, other]) => one ?? other ?? ''));
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (redirect !== undefined) {
      endWord();
      isTarget = true;
    } else if (end !== undefined) {
      endCall();
      // A subshell in parentheses does not change the folder outside.
      if (end.endsWith('(')) outerFolders.push(folder);
      else if (end === ')' && outerFolders.length > 0) folder = outerFolders.pop();
    } else endWord();
  }
  endCall();
  return calls;
}
