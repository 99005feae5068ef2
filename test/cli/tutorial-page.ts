// Owns how a page of the documents is read: which files it has its reader write, which commands it has them give, what
// it says comes of them, and what the reader types. A page is run as it stands.

/** Something the reader of a page does. */
export type PageAction =
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  | { readonly do: 'command'; readonly line: string; readonly printed: readonly string[]; readonly place: 'pipe' | 'terminal' };

/** Everything a page has its reader do, in order. */
export function readPage(markdown: string): PageAction[] {
  const blocks = [...markdown.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language = '', word, text = '']): PageAction[] => {
    if (language === 'sh') return readCommands(text, word === 'terminal' ? 'terminal' : 'pipe');
    // What only shows something: `test/guides.test.ts` reads those that are workflow files, settings or roles.
    if (language === 'text' || (word === undefined && (language === 'yaml' || language === 'md'))) return [];
    if (word === undefined) throw new Error(`a block of ${language} names no file: ${text.slice(0, 60)}`);
    return [{ do: 'write', path: word, text }];
  });
}

function readCommands(text: string, place: 'pipe' | 'terminal'): PageAction[] {
  const [before = '', ...commands] = text.split(/^\$ /m);
  if (before !== '') throw new Error(`a block of commands begins with "${before}", not with "$ "`);
  return commands.map((command) => {
    const [line = '', ...printed] = command.trimEnd().split('\n');
    return { do: 'command', line, printed, place };
  });
}

/** What the reader types at a prompt, and the prompt. */
export interface Typed {
  readonly prompt: string;
  readonly answer: string;
}

/** A line such as `❯ Your answer: publish`, if it is one. */
export function readTyped(line: string): Typed | undefined {
  const [, prompt, answer] = /^(❯ .+): (\S.*)$/.exec(line) ?? [];
  return prompt === undefined || answer === undefined ? undefined : { prompt, answer };
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '<id>': '(?<id>[0-9a-hjkmnp-tv-z]{16})',
  '<time>': '\\d\\d:\\d\\d:\\d\\d',
  '<span>': '[\\d.]+ ?m?s',
  '<token>': '(?<token>[\\w-]{22})',
  '<secret>': '(?<secret>pawlt_[\\w-]{43})',
  '<port>': '(?<port>\\d{2,5})',
  '<any>': '.+',
};

/** A pattern for lines as a page prints them; `…` alone on a line stands for any lines. */
export function patternOf(lines: readonly string[]): RegExp {
  const named = new Set<string>();
  const source = lines.map((line) => {
    if (line === '…') return '(?:.*\\n)*?';
    const parts = line.split(/(<\w+>)/).map((part) => {
      const pattern = PLACEHOLDERS[part];
      if (pattern === undefined) return escaped(part);
      if (!pattern.startsWith('(?<')) return pattern;
      const again = named.has(part);
      named.add(part);
      return again ? `\\k${part}` : pattern;
    });
    return `${parts.join('')}[ ]*\\n`;
  });
  return new RegExp(`^${source.join('')}$`);
}

/** A text as a pattern that matches it and nothing else; a placeholder in it keeps its meaning. */
export function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&').replaceAll('<any>', '.+');
}
