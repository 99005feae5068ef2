// Parses JSON from outside that is unambiguous. JSON that another program may read differently is refused: a duplicate name in
// an object, where one reader uses the first and another the last; `__proto__`, which some readers drop; and values that are
// nested so deeply that a recursive function fails.

import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';

const DEPTH_MAX = 250;
const QUOTE = 34;
const BACKSLASH = 92;

/** Parses JSON; what is ambiguous is REQUEST_INVALID, and what is not JSON a SyntaxError. */
export function parseStrictJson(text: string): Json {
  // From here on the text is known to be JSON, so that it can be scanned without a grammar.
  const value = JSON.parse(text) as Json;
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > DEPTH_MAX) throw refused(`it is nested deeper than ${DEPTH_MAX}`);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfText(text, at);
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) take(names, JSON.parse(text.slice(at, end + 1)) as string);
      at = end;
    }
  }
  return value;
}

function take(names: Set<string>, name: string): void {
  if (name === '__proto__') throw refused('an object in it has the name "__proto__"');
  if (names.has(name)) throw refused(`an object in it has the name ${JSON.stringify(name.slice(0, 100))} twice`);
  names.add(name);
}

/** Where the quote is that ends the text which begins at a quote. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
}

function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (' \t\n\r'.includes(text[at] ?? '.')) at += 1;
  return text[at] === ':';
}

function refused(why: string): EngineError {
  return new EngineError('REQUEST_INVALID', `the body is ambiguous: ${why}`);
}
