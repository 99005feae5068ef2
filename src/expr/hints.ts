// Owns hints for syntax of other languages. Nothing here extends the grammar: each entry only says how to write the
// same thing in ours.

const CHARACTERS: Readonly<Record<string, string>> = {
  '`': 'quote text with \' or "',
  '“': 'quote text with \' or "',
  '”': 'quote text with \' or "',
  '‘': 'quote text with \' or "',
  '’': 'quote text with \' or "',
  '=': 'there are no assignments; write == to compare',
  '=>': 'there are no functions; use a filter, such as | map("field")',
  '&': 'write && or "and"',
  '?.': 'write a plain path, with ?? for a value that may be missing: a.b ?? null',
  ';': 'an expression is a single value; remove the semicolon',
  '{': 'there are no object literals, and a template is {{ … }} around a whole expression',
  '}': 'there are no object literals, and a template is {{ … }} around a whole expression',
  '\\': 'a backslash is only allowed inside quoted text',
  '#': 'there are no comments inside an expression',
};

const WORDS: Readonly<Record<string, string>> = {
  undefined: 'write null, or use ?? for a value that may be missing',
  typeof: 'compare the value itself',
  instanceof: 'compare the value itself',
  is: 'write ==',
};

const KEYWORDS =
  'this globalThis new function class void delete import export await async yield let const var return throw if else for while do switch try with eval';
const RESERVED = new Set([...KEYWORDS.split(' '), ...Object.keys(WORDS)]);

const METHODS: Readonly<Record<string, string>> = {
  includes: 'write x in list',
  contains: 'write x in list, or list | contains(x)',
  indexOf: 'write x in list',
  hasOwnProperty: "write 'key' in object",
  startsWith: "write text | starts_with('x')",
  endsWith: "write text | ends_with('x')",
  toLowerCase: 'write text | lower',
  toUpperCase: 'write text | upper',
  test: "write text | matches('pattern')",
  match: "write text | matches('pattern')",
  toString: 'write value | string',
};

/** Returns how to write what an unknown character was meant for. */
export function characterHint(character: string): string {
  return own(CHARACTERS, character) ?? 'remove it, or put it in quotes';
}

/** True for a keyword of programming languages that cannot start a path here. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word);
}

/** Returns how to write what a reserved word was meant for. */
export function wordHint(word: string): string {
  return own(WORDS, word) ?? `expressions read data only; a field of that name is written with its parent, as in context.${word}`;
}

/** Returns how to write what a call of a method or function was meant for. */
export function callHint(name: string): string {
  return own(METHODS, name) ?? 'use a filter: value | filter(argument)';
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
