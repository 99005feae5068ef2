// Parses JSON from outside and refuses what another program may read differently: a duplicate name in an object, of which one
// parser uses the first and another the last; `__proto__`, which some parsers drop; and values that are nested so deeply that
// a recursive function fails.

import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';

const DEPTH_MAX = 250;
const QUOTE = 34;
const BACKSLASH = 92;

/** Parses JSON. Throws REQUEST_INVALID for ambiguous JSON, and a SyntaxError for text that is not JSON. */
export function parseStrictJson(text: string): Json {
  // This throws unless the text is valid JSON, so the scan below need not check the grammar.
  const value = JSON.parse(text) as Json;
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > DEPTH_MAX) throw refused(`it is nested deeper than ${DEPTH_MAX}`);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) addName(names, JSON.parse(text.slice(at, end + 1)) as string);
      at = end;
    }
  }
  return value;
}

function addName(names: Set<string>, name: string): void {
  if (name === '__proto__') throw refused('an object in it has the name "__proto__"');
  if (names.has(name)) throw refused(`an object in it has the name ${JSON.stringify(name.slice(0, 100))} twice`);
  names.add(name);
}

/** The index of the closing quote of the string that starts at `from`. */
function endOfString(text: string, from: number): number {
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
