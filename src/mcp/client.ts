// Owns the client of a connection: its name, whether it can show a form to its user, and the requests of the server that
// wait for its response.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** What a client declares about itself. Nothing proves it. */
export interface ClientFacts {
  readonly name: string | undefined;
  /** It can show a form to its user. */
  readonly elicits: boolean;
}

/** A request of the server. */
export interface ClientRequest {
  readonly method: 'elicitation/create';
  readonly params: JsonObject;
}

/** The first version with forms. Versions are dates, so they compare as strings. */
const ELICITS_SINCE = '2025-06-18';
const NAME_MAX = 60;

/** Reads what a client declares about itself, in `initialize` or in `_meta` of a request. */
export function clientFacts({ capabilities, clientInfo }: JsonObject, version: string): ClientFacts {
  const name = isJsonObject(clientInfo) && typeof clientInfo.name === 'string' ? clientInfo.name.slice(0, NAME_MAX) : undefined;
  const elicitation = isJsonObject(capabilities) ? capabilities.elicitation : undefined;
  // The first version had only forms, so no modes means forms.
  const hasForms = isJsonObject(elicitation) && (Object.keys(elicitation).length === 0 || isJsonObject(elicitation.form));
  return { name, elicits: hasForms && version >= ELICITS_SINCE };
}

/** The requests of the server that the client has not answered yet. */
export class ClientLink {
  private readonly send: (message: Json) => void;
  private readonly open = new Map<string, (result: JsonObject) => void>();
  private count = 0;

  constructor(send: (message: Json) => void) {
    this.send = send;
  }

  /** Sends requests one by one and returns the results by the same names; one that fails or is cancelled is `cancel`. */
  async ask(requests: Readonly<Record<string, ClientRequest>>, signal: AbortSignal): Promise<JsonObject> {
    const results: [string, Json][] = [];
    for (const [name, request] of Object.entries(requests)) results.push([name, await this.askOne(request, signal)]);
    return Object.fromEntries(results);
  }

  private askOne({ method, params }: ClientRequest, signal: AbortSignal): Promise<JsonObject> {
    this.count += 1;
    const id = `pawl-${this.count}`;
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    const settle = (result: JsonObject): void => {
      this.open.delete(id);
      signal.removeEventListener('abort', cancel);
      resolve(result);
    };
    const cancel = (): void => {
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      settle(CANCELLED);
    };
    this.open.set(id, settle);
    signal.addEventListener('abort', cancel);
    this.send({ jsonrpc: '2.0', id, method, params });
    return promise;
  }

  /** Handles a response of the client; it is ignored if no request with its id is open. */
  receive({ id, result }: JsonObject): void {
    if (typeof id === 'string') this.open.get(id)?.(isJsonObject(result) ? result : CANCELLED);
  }

  /** Cancels all open requests: the client has disconnected. */
  end(): void {
    for (const [, settle] of this.open) settle(CANCELLED);
  }
}

const CANCELLED: JsonObject = { action: 'cancel' };
