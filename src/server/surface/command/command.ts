// Parses a command in a comment: the first line of the comment, exactly `/pawl VERB WORDS…`, in plain ASCII. The first line
// cannot be inside a quotation, a code block or hidden text. A comment has one command at most.

const COMMANDS = ['approve', 'reject', 'retry', 'cancel', 'status', 'answer'] as const;

/** A parsed command. */
export interface ParsedCommand {
  readonly verb: (typeof COMMANDS)[number];
  /** What it names: a run, a step, a digest. */
  readonly words: readonly string[];
  /** The texts after each ` -- `: a reason, or answers. */
  readonly texts: readonly string[];
}

/** A comment that looks like a command but is invalid. */
export interface InvalidCommand {
  readonly problem: string;
}

const LINE_MAX = 4000;
const WORD = /^[\w.:#/-]{1,200}$/;
/** Characters that cannot be seen, or that reorder a line. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u;

/** The command of a comment; undefined for a comment that has none. */
export function commandIn(body: string): ParsedCommand | InvalidCommand | undefined {
  const [first = '', ...rest] = body.split(/\r\n|\r|\n/);
  if (!/^\/pawl(?: |$)/.test(first)) return undefined;
  if (first.length > LINE_MAX) return { problem: `a command has at most ${LINE_MAX} characters` };
  if (HIDDEN.test(first)) return { problem: 'the line contains invisible characters; type it again' };
  if (rest.some((line) => /^\s*\/pawl(?:\s|$)/.test(line))) return { problem: 'a comment can contain only one command, on its first line' };
  const [head = '', ...texts] = first.split(' -- ');
  const [, word = '', ...words] = head.trimEnd().split(/ +/);
  const verb = COMMANDS.find((name) => name === word);
  if (verb === undefined) return { problem: `the commands are ${COMMANDS.map((name) => `/pawl ${name}`).join(', ')}` };
  if (!words.every((word) => WORD.test(word)))
    return { problem: 'a command is followed by a run, a step or a digest; put text after " -- "' };
  return { verb, words, texts: texts.map((text) => text.trim()).filter((text) => text !== '') };
}
