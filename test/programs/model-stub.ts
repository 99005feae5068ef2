// Owns what the stubs of model APIs have in common: a server on loopback that answers each call of a model as the test
// says, with words, a tool call, an error of the API, or nothing at all.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does when it is called. */
export type ModelTurn =
  | { readonly text: string }
  | { readonly tool: string; readonly namespace?: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }
  | 'silence';

/** One call of the model, as the stub of its API understood it. */
export interface ModelCall {
  /** The words of the last message that came from the program, results of tools included. */
  readonly last: string;
  /** All words of the conversation. */
  readonly all: string;
  /** Which call of the conversation's tools this answers: how many results of tools are in the last message. */
  readonly toolResults: number;
  readonly tools: readonly string[];
}

/** A model API on loopback. */
export interface ModelStub {
  readonly url: string;
  readonly calls: readonly ModelCall[];
  close(): Promise<void>;
}

/** How one API speaks: what a request is, and how a turn of the model is written. */
export interface ModelDialect {
  /** The call in a request, or undefined when the request is not one that the test is about. */
  read(path: string, body: Readonly<Record<string, unknown>>): ModelCall | undefined;
  write(response: ServerResponse, turn: Extract<ModelTurn, { text: string } | { tool: string }>): void;
  /** Answers what is not a call of the model. */
  other(path: string, response: ServerResponse): void;
}

/** Starts a model API that answers as `model` says. */
export async function startModelStub(dialect: ModelDialect, model: (call: ModelCall) => ModelTurn): Promise<ModelStub> {
  const calls: ModelCall[] = [];
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?')[0] as string;
    const call = dialect.read(path, await readBody(request));
    if (call === undefined) return dialect.other(path, response);
    calls.push(call);
    answer(dialect, response, model(call));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, calls, close };
}

function answer(dialect: ModelDialect, response: ServerResponse, turn: ModelTurn): void {
  if (turn === 'silence') return;
  if (!('status' in turn)) return dialect.write(response, turn);
  response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
  response.end(JSON.stringify(turn.body));
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += chunk;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Writes one event of a stream of server-sent events. */
export function writeEvent(response: ServerResponse, event: { readonly type: string }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
