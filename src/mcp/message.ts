// Owns the messages of the protocol on a pipe: lines of JSON-RPC 2.0 in, answers out, and what makes a line no message.
// A line that is too long is refused without being kept, so that nobody can fill the memory with one.

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** The name by which an answer finds its request. */
export type MessageId = string | number;

/** What a client sends: a request with an id, or a notification without. */
export interface Message {
  readonly id?: MessageId;
  readonly method: string;
  readonly params: JsonObject;
}

/** Numbers of JSON-RPC, and of the protocol, for what cannot be answered. */
export const FAULTS = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  version: -32022,
} as const;

/** A request that is answered with an error of the protocol instead of a result. */
export class ProtocolFault extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(fault: keyof typeof FAULTS, message: string, data?: JsonObject) {
    super(message);
    this.code = FAULTS[fault];
    this.data = data;
  }
}

/** The answer to a request that went well. */
export function resultOf(id: MessageId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

/** The answer to a request that could not be taken; `null` stands for an id that could not be read. */
export function faultOf(id: MessageId | null, { code, message, data }: ProtocolFault): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** Reads one JSON value as a message; undefined when it is an answer, which nothing here waits for. */
export function readMessage(value: Json): Message | undefined {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') throw new ProtocolFault('request', 'this is no message of JSON-RPC 2.0');
  const { id, method, params = {} } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return undefined;
  if (typeof method !== 'string') throw new ProtocolFault('request', '"method" must be a text');
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    throw new ProtocolFault('request', '"id" must be a text or a number');
  if (!isJsonObject(params)) throw new ProtocolFault('params', '"params" must be an object');
  return { method, params, ...(id === undefined ? {} : { id }) };
}

/** The id of a value that is no proper message, as far as it has one. */
export function idOf(value: Json): MessageId | null {
  const id = isJsonObject(value) ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The lines of a stream; one that is longer than `max` characters is given as `too-long`. */
export async function* readLines(input: Readable, max: number): AsyncGenerator<{ readonly line: string } | 'too-long'> {
  const decoder = new StringDecoder('utf8');
  let kept: string[] = [];
  let size = 0;
  for await (const chunk of input) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        yield size > max ? 'too-long' : { line: kept.join('') };
        kept = [];
        size = 0;
      }
      size += part.length;
      if (size > max) kept = [];
      else kept.push(part);
    }
  }
  if (size > 0) yield size > max ? 'too-long' : { line: kept.join('') };
}
