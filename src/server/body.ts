// Owns reading the body of a request: JSON only, with limits on each body and on all bodies together, checked before and
// while they are read.

import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { ServerContext } from './route.ts';
import { parseStrictJson } from './strict-json.ts';

/** The largest body in bytes, unless a route says otherwise. */
const BODY_MAX = 1024 * 1024;

/** How many bytes of bodies may be in memory while they are read. Callers without a login share a limit of their own. */
const HELD_MAX = { known: 128 * 1024 * 1024, nobody: 64 * 1024 * 1024 };
const held = { known: 0, nobody: 0 };

/** The bytes of a body. Throws VALUE_TOO_LARGE as soon as there are too many. */
export async function readBody(c: ServerContext, max = BODY_MAX): Promise<Uint8Array> {
  const declared = Number(c.req.header('content-length') ?? '0');
  if (declared > max) throw tooLarge(max);
  const { body } = c.req.raw;
  if (body === null) return new Uint8Array();
  const who = c.get('caller') === undefined ? 'nobody' : 'known';
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
