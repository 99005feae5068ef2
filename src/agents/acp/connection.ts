// Owns the transport of the Agent Client Protocol: JSON-RPC 2.0, one message per line, over the input and output of a
// program. We do not use the protocol's library: it takes a tenth of a second to load, may deliver a response before earlier
// updates, and prints unknown messages.
//
// - Messages are handled one after another, in the order of their arrival.
// - Lines that are not messages are ignored: programs print banners, and newer versions send unknown messages.

import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { parseMessage } from '../json-message.ts';

/** An error response of the agent. */
export class AcpError extends Error {
  readonly code: number;
  readonly data: Json;

  constructor(error: JsonObject) {
    super(typeof error.message === 'string' ? error.message : 'the agent gave no reason');
    this.name = 'AcpError';
    this.code = typeof error.code === 'number' ? error.code : 0;
    this.data = error.data ?? null;
  }
}

/** Handles messages from the agent. */
interface AcpListener {
  /** Answers a request of the agent. Returns undefined if the method is unknown. */
  answer(method: string, params: Json): JsonObject | undefined;
  /** Handles a notification of the agent. */
  onNotification(method: string, params: Json): void;
}

interface PendingRequest {
  readonly resolve: (result: Json) => void;
  readonly reject: (error: Error) => void;
}

const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;

/** One connection to an agent's program. */
export class AcpConnection {
  private readonly write: (line: string) => void;
  private readonly listener: AcpListener;
  private readonly pending = new Map<number, PendingRequest>();
  private nextId = 1;
  private isClosed = false;

  constructor(write: (line: string) => void, listener: AcpListener) {
    this.write = write;
    this.listener = listener;
  }

  /** Sends a request to the agent. Rejects with an AcpError, or if the connection closes first. */
  request(method: string, params: JsonObject): Promise<Json> {
    const id = this.nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    if (this.isClosed) reject(closedError());
    else {
      this.pending.set(id, { resolve, reject });
      this.send({ id, method, params });
    }
    return promise;
  }

  /** Sends a notification, which has no response. */
  notify(method: string, params: JsonObject): void {
    if (!this.isClosed) this.send({ method, params });
  }

  /** Handles the next line of the program. */
  onLine(line: string): void {
    const message = parseMessage(line);
    if (message === undefined || this.isClosed) return;
    const { id, method, params = null } = message;
    if (typeof method !== 'string') this.settle(message);
    else if (id === undefined) this.listener.onNotification(method, params);
    else this.send({ id, ...this.replyTo(method, params) });
  }

  /** Rejects all pending requests. */
  close(): void {
    this.isClosed = true;
    for (const { reject } of this.pending.values()) reject(closedError());
    this.pending.clear();
  }

  private send(message: JsonObject): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  private settle({ id, result = null, error }: JsonObject): void {
    const request = typeof id === 'number' ? this.pending.get(id) : undefined;
    if (request === undefined) return;
    this.pending.delete(id as number);
    if (error === undefined) request.resolve(result);
    else request.reject(new AcpError(isJsonObject(error) ? error : {}));
  }

  private replyTo(method: string, params: Json): JsonObject {
    try {
      const result = this.listener.answer(method, params);
      return result === undefined ? { error: { code: METHOD_NOT_FOUND, message: `method ${method} is not supported` } } : { result };
    } catch (thrown) {
      return { error: { code: INTERNAL_ERROR, message: messageOf(thrown) } };
    }
  }
}

function closedError(): Error {
  return new Error('the connection to the agent has closed');
}
