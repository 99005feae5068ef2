// Owns what a server knows of its client and asks of it: its name, whether it can put a form before its user, and the
// requests of the server that wait for the client's response.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** What a client said about itself. It is a claim. */
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

/** The first version with forms. Versions are dates, so they compare as texts. */
const ELICITS_SINCE = '2025-06-18';
const NAME_MAX = 60;

/** What a client says about itself, in `initialize` or in `_meta` of a request. */
export function clientFacts({ capabilities, clientInfo }: JsonObject, version: string): ClientFacts {
  const name = isJsonObject(clientInfo) && typeof clientInfo.name === 'string' ? clientInfo.name.slice(0, NAME_MAX) : undefined;
  const elicitation = isJsonObject(capabilities) ? capabilities.elicitation : undefined;
  // Without modes it is forms: the first version had nothing else.
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

  /** Takes a response of the client; one to no open request is ignored. */
  receive({ id, result }: JsonObject): void {
    if (typeof id === 'string') this.open.get(id)?.(isJsonObject(result) ? result : CANCELLED);
  }

  /** The client is gone. */
  end(): void {
    for (const [, settle] of this.open) settle(CANCELLED);
  }
}

const CANCELLED: JsonObject = { action: 'cancel' };
