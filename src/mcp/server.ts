// Owns the connection with one client: the known requests, the order in which they may come, and one response to each.
// It does not know what the tools do. No message ends the connection, only the end of the stream.
//
// - A tool may ask the client for input. Up to 2025-11-25 the server sends its own request and waits; since 2026-07-28 the
//   response lists the requested inputs, and the client repeats its request with the answers.
// - A client that cancels a request gets no response. Whatever the tool recorded before that stays recorded.

import type { Readable } from 'node:stream';
import { messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
import { type ClientFacts, ClientLink, type ClientRequest, clientFacts } from './client.ts';
import {
  errorResponse,
  idOf,
  isResponse,
  type Message,
  type MessageId,
  ProtocolError,
  parseMessage,
  readLines,
  resultResponse,
} from './message.ts';
import { BATCHED, isStateless, negotiateVersion, statelessClient, statelessResult, VERSIONS } from './version.ts';

/** A tool as clients see it. */
export interface ToolSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** The result of a tool: text for the model, and whether it is an error; or the inputs that it needs first. */
export type ToolAnswer =
  | { readonly text: string; readonly isError: boolean }
  | { readonly inputRequests: Readonly<Record<string, ClientRequest>> };

/** The context of a tool call. */
export interface CallContext {
  /** Aborted when the client cancels the request. */
  readonly signal: AbortSignal;
  readonly client: ClientFacts;
  /** Reports progress; absent if the client did not ask for it. */
  readonly progress?: (message: string) => void;
  /** The client's answers to the requested inputs, by the same names. */
  readonly inputs?: JsonObject;
}

/** The content of a resource. */
export interface ResourceContent {
  readonly mimeType: string;
  readonly text: string;
}

/** The resources that clients can read, by URI. */
export interface ResourceServer {
  list(): Promise<readonly JsonObject[]>;
  readonly templates: readonly JsonObject[];
  /** Undefined for an unknown URI. */
  read(uri: string): Promise<ResourceContent | undefined>;
}

/** The tools, the resources and the name of a server. */
export interface ToolServer {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly resources?: ResourceServer;
  call(tool: string, args: JsonObject, context: CallContext): Promise<ToolAnswer>;
}

/** The longest message that is read. */
const MESSAGE_MAX = 4 * 1024 * 1024;
/** How often one call may ask the client for input. */
const ROUNDS_MAX = 5;

/** Serves one client until its stream ends; resolves when the last response was written. */
export async function serve(server: ToolServer, input: Readable, write: (line: string) => void): Promise<void> {
  const pending = new Set<Promise<void>>();
  const send = (answer: Json | undefined): void => {
    if (answer !== undefined) write(`${JSON.stringify(answer)}\n`);
  };
  const connection = new Connection(server, send);
  for await (const read of readLines(input, MESSAGE_MAX)) {
    if (read === 'too-long')
      send(errorResponse(null, new ProtocolError('request', `a message can have at most ${MESSAGE_MAX} characters`)));
    else if (read.line.trim() !== '') {
      const answering = connection.receive(read.line).then(send);
      pending.add(answering);
      answering.finally(() => pending.delete(answering));
    }
  }
  connection.end();
  await Promise.all(pending);
}

/** The state of a connection: the negotiated version, and the open requests, each with its abort controller. */
class Connection {
  private readonly server: ToolServer;
  private readonly send: (message: Json) => void;
  private readonly link: ClientLink;
  private version: string | undefined;
  private client: ClientFacts = { name: undefined, elicits: false };
  private readonly open = new Map<MessageId, AbortController>();
  /** The open requests with progress notifications, which may take long. */
  private readonly withProgress = new Set<AbortController>();

  constructor(server: ToolServer, send: (message: Json) => void) {
    this.server = server;
    this.send = send;
    this.link = new ClientLink(send);
  }

  /** The client has disconnected, so its answers and progress notifications are no longer needed. */
  end(): void {
    this.link.end();
    for (const request of this.withProgress) request.abort('disconnected');
  }

  /** Handles one line; returns the response, if there is one. */
  async receive(line: string): Promise<Json | undefined> {
    const value = parseJson(line);
    if (value === undefined) return errorResponse(null, new ProtocolError('parse', 'this line is not JSON'));
    if (!Array.isArray(value) || this.version !== BATCHED) return this.answer(value);
    if (value.length === 0) return errorResponse(null, new ProtocolError('request', 'the batch is empty'));
    const answers = (await Promise.all(value.map((message) => this.answer(message)))).filter((answer) => answer !== undefined);
    return answers.length === 0 ? undefined : answers;
  }

  private async answer(value: Json): Promise<JsonObject | undefined> {
    try {
      if (isResponse(value)) return void this.link.receive(value);
      const message = parseMessage(value);
      if (message.id === undefined) return this.notification(message);
      return await this.request(message, message.id);
    } catch (thrown) {
      return errorResponse(idOf(value), thrown instanceof ProtocolError ? thrown : new ProtocolError('internal', messageOf(thrown)));
    }
  }

  private notification({ method, params }: Message): undefined {
    const { requestId } = params;
    if (method !== 'notifications/cancelled' || (typeof requestId !== 'string' && typeof requestId !== 'number')) return;
    this.open.get(requestId)?.abort('cancelled');
  }

  private async request(message: Message, id: MessageId): Promise<JsonObject | undefined> {
    if (this.open.has(id)) throw new ProtocolError('request', `a request with the id ${JSON.stringify(id)} is not answered yet`);
    const cancel = new AbortController();
    this.open.set(id, cancel);
    if (progressToken(message.params) !== undefined) this.withProgress.add(cancel);
    try {
      const result = await this.resultOf(message, cancel.signal);
      // A cancelled request was carried out, too; it only gets no response.
      return cancel.signal.reason === 'cancelled' ? undefined : resultResponse(id, result);
    } finally {
      this.open.delete(id);
      this.withProgress.delete(cancel);
    }
  }

  private async resultOf(message: Message, signal: AbortSignal): Promise<JsonObject> {
    const { name, version, instructions, resources } = this.server;
    const serverInfo = { name, version };
    const capabilities = { tools: {}, ...(resources === undefined ? {} : { resources: {} }) };
    if (isStateless(message)) {
      const { method, params } = message;
      const result =
        method === 'server/discover'
          ? { supportedVersions: [...VERSIONS], capabilities, instructions }
          : await this.work(message, { signal, client: statelessClient(params), isStateless: true });
      return statelessResult(result, { method, serverInfo });
    }
    if (message.method === 'initialize') {
      this.version = negotiateVersion(message.params);
      this.client = clientFacts(message.params, this.version);
      return { protocolVersion: this.version, capabilities, serverInfo, instructions };
    }
    if (message.method === 'ping') return {};
    if (this.version === undefined)
      throw new ProtocolError('request', `send "initialize" first, or name the protocol version in _meta of each request: ${VERSIONS[0]}`);
    return this.work(message, { signal, client: this.client, isStateless: false });
  }

  /** The requests that all versions have. */
  private async work({ method, params }: Message, request: RequestFacts): Promise<JsonObject> {
    const { resources } = this.server;
    if (method === 'tools/list') return { tools: this.server.tools.map((tool) => ({ ...tool })) };
    if (method === 'tools/call') return this.callTool(params, request);
    if (resources !== undefined && method === 'resources/list') return { resources: [...(await resources.list())] };
    if (resources !== undefined && method === 'resources/templates/list') return { resourceTemplates: [...resources.templates] };
    if (resources !== undefined && method === 'resources/read') return readResource(resources, params);
    throw new ProtocolError('method', `unknown method "${method}"`);
  }

  private async callTool(params: JsonObject, request: RequestFacts): Promise<JsonObject> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !this.server.tools.some((tool) => tool.name === name))
      throw new ProtocolError('params', `unknown tool ${JSON.stringify(name ?? null)}; "tools/list" lists the tools`);
    if (!isJsonObject(args)) throw new ProtocolError('params', '"arguments" must be an object');
    const { signal, client } = request;
    const progress = this.progressFor(params, signal);
    let inputs = request.isStateless && isJsonObject(params.inputResponses) ? params.inputResponses : undefined;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const answer = await this.server.call(name, args, { signal, client, ...omitUndefined({ progress, inputs }) });
      if (!('inputRequests' in answer)) return { content: [{ type: 'text', text: answer.text }], isError: answer.isError };
      if (request.isStateless) return { resultType: 'input_required', inputRequests: answer.inputRequests as unknown as JsonObject };
      inputs = await this.link.ask(answer.inputRequests, signal);
    }
    throw new ProtocolError('internal', `the tool "${name}" asked the client more than ${ROUNDS_MAX} times`);
  }

  /** Sends progress notifications while a request is open, if its client gave a token for them. */
  private progressFor(params: JsonObject, signal: AbortSignal): ((message: string) => void) | undefined {
    const token = progressToken(params);
    if (token === undefined) return undefined;
    let progress = 0;
    return (message) => {
      if (signal.aborted) return;
      progress += 1;
      this.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress, message } });
    };
  }
}

function progressToken({ _meta }: JsonObject): string | number | undefined {
  const token = isJsonObject(_meta) ? _meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** A request: the signal that cancels it, its client, and whether it names its protocol version itself. */
interface RequestFacts {
  readonly signal: AbortSignal;
  readonly client: ClientFacts;
  readonly isStateless: boolean;
}

async function readResource(resources: ResourceServer, { uri }: JsonObject): Promise<JsonObject> {
  if (typeof uri !== 'string') throw new ProtocolError('params', '"uri" must be a string');
  const content = await resources.read(uri);
  if (content === undefined) throw new ProtocolError('params', `Resource not found: ${uri}; "resources/list" lists the resources`, { uri });
  return { contents: [{ uri, ...content }] };
}
