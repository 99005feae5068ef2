// Owns the connection with one client: which requests there are, in which order they may come, and that each gets one
// response. It does not know what the tools do. No message ends the connection, only the end of the stream.

import type { Readable } from 'node:stream';
import { messageOf } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { errorResponse, idOf, type Message, type MessageId, ProtocolError, parseMessage, readLines, resultResponse } from './message.ts';
import { BATCHED, isStateless, negotiateVersion, statelessResult, VERSIONS } from './version.ts';

/** A tool as clients see it. */
export interface ToolSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** The result of a tool: a text for the model, and whether it is an error. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** The tools and the name of a server. */
export interface ToolServer {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  call(tool: string, args: JsonObject): Promise<ToolAnswer>;
}

/** The longest message that is read. */
const MESSAGE_MAX = 4 * 1024 * 1024;

/** Serves one client until its stream ends; resolves when the last response was written. */
export async function serve(server: ToolServer, input: Readable, write: (line: string) => void): Promise<void> {
  const connection = new Connection(server);
  const pending = new Set<Promise<void>>();
  const send = (answer: Json | undefined): void => {
    if (answer !== undefined) write(`${JSON.stringify(answer)}\n`);
  };
  for await (const read of readLines(input, MESSAGE_MAX)) {
    if (read === 'too-long')
      send(errorResponse(null, new ProtocolError('request', `a message can have at most ${MESSAGE_MAX} characters`)));
    else if (read.line.trim() !== '') {
      const answering = connection.receive(read.line).then(send);
      pending.add(answering);
      answering.finally(() => pending.delete(answering));
    }
  }
  await Promise.all(pending);
}

/** The state of a connection: the negotiated version, the open requests, and those that the client cancelled. */
class Connection {
  private readonly server: ToolServer;
  private version: string | undefined;
  private readonly open = new Set<MessageId>();
  private readonly cancelled = new Set<MessageId>();

  constructor(server: ToolServer) {
    this.server = server;
  }

  /** Handles one line; returns the response, if there is one. */
  async receive(line: string): Promise<Json | undefined> {
    let value: Json;
    try {
      value = JSON.parse(line) as Json;
    } catch {
      return errorResponse(null, new ProtocolError('parse', 'this line is not JSON'));
    }
    if (!Array.isArray(value) || this.version !== BATCHED) return this.answer(value);
    if (value.length === 0) return errorResponse(null, new ProtocolError('request', 'this list contains no message'));
    const answers = (await Promise.all(value.map((one) => this.answer(one)))).filter((one) => one !== undefined);
    return answers.length === 0 ? undefined : answers;
  }

  private async answer(value: Json): Promise<JsonObject | undefined> {
    try {
      const message = parseMessage(value);
      if (message === undefined) return undefined;
      if (message.id === undefined) return this.note(message);
      return await this.request(message, message.id);
    } catch (thrown) {
      return errorResponse(idOf(value), thrown instanceof ProtocolError ? thrown : new ProtocolError('internal', messageOf(thrown)));
    }
  }

  private note({ method, params }: Message): undefined {
    const { requestId } = params;
    if (method !== 'notifications/cancelled' || (typeof requestId !== 'string' && typeof requestId !== 'number')) return;
    if (this.open.has(requestId)) this.cancelled.add(requestId);
  }

  private async request(message: Message, id: MessageId): Promise<JsonObject | undefined> {
    if (this.open.has(id)) throw new ProtocolError('request', `a request with the id ${JSON.stringify(id)} is not answered yet`);
    this.open.add(id);
    try {
      const result = await this.resultOf(message);
      // The request was carried out all the same; the client only wants no response.
      return this.cancelled.has(id) ? undefined : resultResponse(id, result);
    } finally {
      this.open.delete(id);
      this.cancelled.delete(id);
    }
  }

  private async resultOf(message: Message): Promise<JsonObject> {
    const { name, version, instructions } = this.server;
    const serverInfo = { name, version };
    const capabilities = { tools: {} };
    if (isStateless(message)) {
      const result =
        message.method === 'server/discover' ? { supportedVersions: [...VERSIONS], capabilities, instructions } : await this.work(message);
      return statelessResult(result, { method: message.method, serverInfo });
    }
    if (message.method === 'initialize') {
      this.version = negotiateVersion(message.params);
      return { protocolVersion: this.version, capabilities, serverInfo, instructions };
    }
    if (message.method === 'ping') return {};
    if (this.version === undefined)
      throw new ProtocolError('request', `send "initialize" first, or name the protocol version in _meta of each request: ${VERSIONS[0]}`);
    return this.work(message);
  }

  /** The requests that all versions have. */
  private async work({ method, params }: Message): Promise<JsonObject> {
    if (method === 'tools/list') return { tools: this.server.tools.map((tool) => ({ ...tool })) };
    if (method !== 'tools/call') throw new ProtocolError('method', `unknown method "${method}"`);
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !this.server.tools.some((tool) => tool.name === name))
      throw new ProtocolError('params', `unknown tool ${JSON.stringify(name ?? null)}; "tools/list" lists the tools`);
    if (!isJsonObject(args)) throw new ProtocolError('params', '"arguments" must be an object');
    const { text, isError } = await this.server.call(name, args);
    return { content: [{ type: 'text', text }], isError };
  }
}
