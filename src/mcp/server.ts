// Owns the conversation with one client: which requests there are, in which order they may come, and that each gets one
// answer. What the tools do is not known here. Nothing a client sends ends the conversation but its end.

import type { Readable } from 'node:stream';
import { messageOf } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { faultOf, idOf, type Message, type MessageId, ProtocolFault, readLines, readMessage, resultOf } from './message.ts';
import { agreeOn, BATCHED, inVersion, isStateless, VERSIONS } from './version.ts';

/** A tool as clients see it. */
export interface ToolSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** What a tool answers: a text for the model, and whether it is about a failure. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** What is served. */
export interface Served {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  call(tool: string, args: JsonObject): Promise<ToolAnswer>;
}

/** The longest message that is read. */
const MESSAGE_MAX = 4 * 1024 * 1024;

/** Serves one client until its stream ends; resolves when the last answer was written. */
export async function serve(served: Served, input: Readable, write: (line: string) => void): Promise<void> {
  const conversation = new Conversation(served);
  const pending = new Set<Promise<void>>();
  const send = (answer: Json | undefined): void => {
    if (answer !== undefined) write(`${JSON.stringify(answer)}\n`);
  };
  for await (const read of readLines(input, MESSAGE_MAX)) {
    if (read === 'too-long') send(faultOf(null, new ProtocolFault('request', `a message has at most ${MESSAGE_MAX} characters`)));
    else if (read.line.trim() !== '') {
      const answering = conversation.take(read.line).then(send);
      pending.add(answering);
      answering.finally(() => pending.delete(answering));
    }
  }
  await Promise.all(pending);
}

/** The state of a conversation: what was agreed on, and which requests the client gave up. */
class Conversation {
  private readonly served: Served;
  private agreed: string | undefined;
  private readonly open = new Set<MessageId>();
  private readonly cancelled = new Set<MessageId>();

  constructor(served: Served) {
    this.served = served;
  }

  /** Takes one line and gives its answer, if it gets one. */
  async take(line: string): Promise<Json | undefined> {
    let value: Json;
    try {
      value = JSON.parse(line) as Json;
    } catch {
      return faultOf(null, new ProtocolFault('parse', 'this line is no JSON'));
    }
    if (!Array.isArray(value) || this.agreed !== BATCHED) return this.answer(value);
    if (value.length === 0) return faultOf(null, new ProtocolFault('request', 'this list holds no message'));
    const answers = (await Promise.all(value.map((one) => this.answer(one)))).filter((one) => one !== undefined);
    return answers.length === 0 ? undefined : answers;
  }

  private async answer(value: Json): Promise<JsonObject | undefined> {
    try {
      const message = readMessage(value);
      if (message === undefined) return undefined;
      if (message.id === undefined) return this.note(message);
      return await this.request(message, message.id);
    } catch (thrown) {
      return faultOf(idOf(value), thrown instanceof ProtocolFault ? thrown : new ProtocolFault('internal', messageOf(thrown)));
    }
  }

  private note({ method, params }: Message): undefined {
    const { requestId } = params;
    if (method !== 'notifications/cancelled' || (typeof requestId !== 'string' && typeof requestId !== 'number')) return;
    if (this.open.has(requestId)) this.cancelled.add(requestId);
  }

  private async request(message: Message, id: MessageId): Promise<JsonObject | undefined> {
    if (this.open.has(id)) throw new ProtocolFault('request', `a request with the id ${JSON.stringify(id)} is not answered yet`);
    this.open.add(id);
    try {
      const result = await this.resultOf(message);
      // What was asked for happened all the same; a client that gave up only wants no answer.
      return this.cancelled.has(id) ? undefined : resultOf(id, result);
    } finally {
      this.open.delete(id);
      this.cancelled.delete(id);
    }
  }

  private async resultOf(message: Message): Promise<JsonObject> {
    const { name, version, instructions } = this.served;
    const server = { name, version };
    const capabilities = { tools: {} };
    if (isStateless(message)) {
      const result =
        message.method === 'server/discover' ? { supportedVersions: [...VERSIONS], capabilities, instructions } : await this.work(message);
      return inVersion(result, { method: message.method, server });
    }
    if (message.method === 'initialize') {
      this.agreed = agreeOn(message.params);
      return { protocolVersion: this.agreed, capabilities, serverInfo: server, instructions };
    }
    if (message.method === 'ping') return {};
    if (this.agreed === undefined)
      throw new ProtocolFault('request', `begin with "initialize", or name the version of each request in _meta: ${VERSIONS[0]}`);
    return this.work(message);
  }

  /** The requests that all versions have. */
  private async work({ method, params }: Message): Promise<JsonObject> {
    if (method === 'tools/list') return { tools: this.served.tools.map((tool) => ({ ...tool })) };
    if (method !== 'tools/call') throw new ProtocolFault('method', `there is no method "${method}"`);
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !this.served.tools.some((tool) => tool.name === name))
      throw new ProtocolFault('params', `there is no tool ${JSON.stringify(name ?? null)}; "tools/list" has those there are`);
    if (!isJsonObject(args)) throw new ProtocolFault('params', '"arguments" must be an object');
    const { text, isError } = await this.served.call(name, args);
    return { content: [{ type: 'text', text }], isError };
  }
}
