// Owns the messages of the protocol on a pipe: parsing lines of JSON-RPC 2.0, and creating responses. A line that is too
// long is rejected without being buffered, so that a client cannot fill the memory.

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** The id of a request and its response. */
export type MessageId = string | number;

/** What a client sends: a request with an id, or a notification without. */
export interface Message {
  readonly id?: MessageId;
  readonly method: string;
  readonly params: JsonObject;
}

/** The error codes of JSON-RPC and of the protocol. */
const ERROR_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  version: -32022,
} as const;

/** The reason why a request gets an error response instead of a result. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(kind: keyof typeof ERROR_CODES, message: string, data?: JsonObject) {
    super(message);
    this.code = ERROR_CODES[kind];
    this.data = data;
  }
}

/** The response with the result of a request. */
export function resultResponse(id: MessageId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

/** The response to an invalid request; the id is null if it could not be read. */
export function errorResponse(id: MessageId | null, { code, message, data }: ProtocolError): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, ...omitUndefined({ data }) } };
}

/** Whether a JSON value is the client's response to a request of the server. */
export function isResponse(value: Json): value is JsonObject {
  return isJsonObject(value) && value.jsonrpc === '2.0' && value.method === undefined && ('result' in value || 'error' in value);
}

/** Parses a JSON value as a request or a notification. */
export function parseMessage(value: Json): Message {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') throw new ProtocolError('request', 'this is not a JSON-RPC 2.0 message');
  const { id, method, params = {} } = value;
  if (typeof method !== 'string') throw new ProtocolError('request', '"method" must be a string');
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    throw new ProtocolError('request', '"id" must be a string or a number');
  if (!isJsonObject(params)) throw new ProtocolError('params', '"params" must be an object');
  return { method, params, ...omitUndefined({ id }) };
}

/** The id of a value that is not a valid message, or null. */
export function idOf(value: Json): MessageId | null {
  const id = isJsonObject(value) ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The lines of a stream; one with more than `max` characters is returned as `too-long`. */
export async function* readLines(input: Readable, max: number): AsyncGenerator<{ readonly line: string } | 'too-long'> {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let size = 0;
  for await (const chunk of input) {
    const pieces = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield size > max ? 'too-long' : { line: parts.join('') };
        parts = [];
        size = 0;
      }
      size += piece.length;
      if (size > max) parts = [];
      else parts.push(piece);
    }
  }
  if (size > 0) yield size > max ? 'too-long' : { line: parts.join('') };
}
