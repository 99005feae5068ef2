// Owns the messages about invalid YAML: the parser knows where it stopped, but an author needs to know what to write.

import type { Fault } from '../problem/problem.ts';

/** A message of the parser, with its offset. */
export interface SyntaxMessage {
  readonly offset: number;
  readonly code: string;
  readonly message: string;
}

const QUOTES = 'text with ": ", " #" or a special character at its beginning needs quotes';

const WORDS: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  TAB_AS_INDENT: ['a tab cannot indent in YAML', 'indent with spaces'],
  BAD_DQ_ESCAPE: ['this escape is not known in double quotes', 'write \\\\ for a backslash, or use single quotes'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a value on the same line cannot contain another ": "',
    'put the value in quotes, or the inner map on a new line',
  ],
  MULTILINE_IMPLICIT_KEY: ['a key goes over several lines; a ":" may be missing here', 'write "name: value"; list items begin with "- "'],
  BLOCK_IN_FLOW: [
    'this is not closed: lines with ":" or "-" cannot stand inside brackets',
    'close the bracket before, or put commas between',
  ],
  KEY_OVER_1024_CHARS: ['a key is longer than 1024 characters', 'a ":" in a long text needs quotes around the text'],
  BAD_SCALAR_START: ['text cannot begin with this character', QUOTES],
  MULTIPLE_ANCHORS: ['a value has more than one &anchor', 'keep one; text that begins with & needs quotes'],
  MULTIPLE_TAGS: ['a value has more than one tag', 'remove them; text that begins with ! needs quotes'],
  BAD_ALIAS: ['an alias has no name', 'text that begins with * needs quotes'],
  ALIAS_PROPS: ['an alias cannot have an anchor or a tag', 'text that begins with * needs quotes'],
  BAD_PROP_ORDER: ['an anchor or a tag is in the wrong place', 'put it right before the value'],
  BAD_DIRECTIVE: ['this directive is not known', 'remove the line; text that begins with % needs quotes'],
  BAD_INDENT: ['the indentation does not match the lines above', 'give all fields of one map the same indentation'],
  BAD_COLLECTION_TYPE: ['the tag does not match the value', 'remove the tag'],
  TAG_RESOLVE_FAILED: ['the tag does not match the value', 'remove the tag'],
};

/** The fault at an offset where the parser stopped. */
export function syntaxFault(text: string, { offset, code, message }: SyntaxMessage): Fault {
  const line = lineAround(text, offset);
  // The most frequent mistake: a value that begins with a template and has no quotes.
  if (/(?:^|[:,[-])\s*\{\{/.test(line.slice(0, line.indexOf('{{') + 2)) && line.includes('{{'))
    return {
      code: 'TEMPLATE_UNQUOTED',
      message: 'without quotes, YAML reads {{ }} as maps',
      hint: 'put the whole value in quotes, as in "{{ context.pr_number }}"',
    };
  const [reason, hint] = isUnclosed(message)
    ? missingEnd(message)
    : (missingSpace(line) ?? indentationFault(message) ?? WORDS[code] ?? [simplified(message), QUOTES]);
  return { code: 'YAML_SYNTAX', message: `this is not YAML: ${reason}`, hint };
}

/** A dash or a colon without a space after it. */
function missingSpace(line: string): readonly [string, string] | undefined {
  const [, item] = /^\s*-([A-Za-z_][\w-]*:(?: |$).*)/.exec(line) ?? [];
  if (item !== undefined) return ['a list item needs a space after "-"', `write "- ${item.trim()}"`];
  const [, name, value = ''] = /^\s*(?:- )?([A-Za-z_][\w-]*):([^\s:/].*)/.exec(line) ?? [];
  return name === undefined ? undefined : ['a key needs a space after ":"', `write "${name}: ${value.trim()}"`];
}

/** A line whose indentation matches none of the lines around it. */
function indentationFault(message: string): readonly [string, string] | undefined {
  return /without - indicator|same column/.test(message) ? WORDS.BAD_INDENT : undefined;
}

/** True for the parser's message about a quote or a bracket that is not closed. */
export function isUnclosed(message: string): boolean {
  return /closing .quote|end with a/.test(message);
}

function missingEnd(message: string): readonly [string, string] {
  if (message.includes('"quote')) return ['a text that begins with " has no closing "', 'close it; a " inside is written \\"'];
  if (message.includes("'quote")) return ["a text that begins with ' has no closing '", "close it; a ' inside is written ''"];
  if (message.includes(']')) return ['a list that begins with [ has no closing ]', 'close it, with commas between its items'];
  if (message.includes('}')) return ['a map that begins with { has no closing }', 'close it, with commas between its fields'];
  return [simplified(message), QUOTES];
}

function simplified(message: string): string {
  return `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`;
}

function lineAround(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text.slice(start, end === -1 ? text.length : end);
}
