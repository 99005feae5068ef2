// Reads the body of a request: JSON only, with limits on each body and on all bodies together, checked before and while
// they are read.

import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { ServerContext } from './route.ts';

/** The largest body in bytes, unless a route says otherwise. */
const BODY_MAX = 1024 * 1024;

/** How many bytes of bodies may be in memory while they are read. Callers without a login share a separate limit. */
const HELD_MAX = { known: 128 * 1024 * 1024, anonymous: 64 * 1024 * 1024 };
const held = { known: 0, anonymous: 0 };

/** The bytes of a body. Throws VALUE_TOO_LARGE as soon as there are too many. */
export async function readBody(c: ServerContext, max = BODY_MAX): Promise<Uint8Array> {
  const declared = Number(c.req.header('content-length') ?? '0');
  if (declared > max) throw tooLarge(max);
  const { body } = c.req.raw;
  if (body === null) return new Uint8Array();
  const who = c.get('caller') === undefined ? 'anonymous' : 'known';
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      held[who] += chunk.byteLength;
      if (size > max) throw tooLarge(max);
      if (held[who] > HELD_MAX[who])
        throw new EngineError('LIMIT_REACHED', 'the server is reading too many large requests at once; try again in a moment');
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    // The client aborted the request, which is not an error of the server.
    throw new EngineError('REQUEST_INVALID', 'the request ended before its body was complete', { cause });
  } finally {
    held[who] -= size;
  }
  return Buffer.concat(chunks);
}

/** The JSON of a body; an empty body is an empty object. */
export async function readJsonBody(c: ServerContext): Promise<Json> {
  return parseJsonBody(await readBody(c), c.req.header('content-type'));
}

/** The JSON of the bytes of a body. */
export function parseJsonBody(bytes: Uint8Array, contentType = ''): Json {
  if (bytes.byteLength === 0) return {};
  const type = contentType.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new EngineError('REQUEST_INVALID', `the body must be JSON: send it with "content-type: application/json", not "${type}"`);
  try {
    return parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw new EngineError('REQUEST_INVALID', `the body is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function tooLarge(max: number): EngineError {
  return new EngineError('VALUE_TOO_LARGE', `the body is larger than ${max} bytes; send less, or pass the name of a file`, {
    details: { max },
  });
}

const DEPTH_MAX = 250;
const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Parses JSON and rejects what another program may read differently: a duplicate name in an object, of which one parser uses the
 * first and another the last; `__proto__`, which some parsers drop; and values that are nested so deeply that a recursive function
 * fails. Throws REQUEST_INVALID for ambiguous JSON, and a SyntaxError for text that is not JSON.
 */
function parseStrictJson(text: string): Json {
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
