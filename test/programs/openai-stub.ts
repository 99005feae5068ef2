// Owns the stub of OpenAI's responses API: enough of its stream for the real Codex to work against.

import type { ServerResponse } from 'node:http';
import { type ModelCall, type ModelDialect, type ModelStub, type ModelTurn, startModelStub, writeEvent } from './model-stub.ts';

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: unknown;
}

interface Tool {
  readonly type: string;
  readonly name?: string;
}

const DIALECT: ModelDialect = { read, write, other };

/** Starts a responses API whose model does as `model` says. A tool named `apply_patch` is called with its patch as text. */
export function startOpenaiStub(model: (call: ModelCall) => ModelTurn): Promise<ModelStub> {
  return startModelStub(DIALECT, model);
}

function read(path: string, body: Readonly<Record<string, unknown>>): ModelCall | undefined {
  const { input, tools = [] } = body as { readonly input?: readonly Item[]; readonly tools?: readonly Tool[] };
  if (path !== '/v1/responses' || input === undefined) return undefined;
  const said = input.findLastIndex((item) => item.type === 'message' && item.role === 'user');
  const since = input.slice(said + 1).filter(({ type }) => type.endsWith('_call_output'));
  const last = since.at(-1) ?? input[said];
  return {
    last: last === undefined ? '' : wordsOf(last),
    all: input.map(wordsOf).join('\n'),
    toolResults: since.length,
    tools: tools.map(({ name, type }) => name ?? type),
  };
}

function wordsOf({ content, output }: Item): string {
  if (content !== undefined && content !== null) return content.map(({ text }) => text ?? '').join('\n');
  return typeof output === 'string' ? output : JSON.stringify(output ?? '');
}

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
};

function write(response: ServerResponse, turn: Extract<ModelTurn, { text: string } | { tool: string }>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const id = `resp_${Math.random().toString(36).slice(2)}`;
  const send = (event: { readonly type: string } & Readonly<Record<string, unknown>>): void => writeEvent(response, event);
  send({ type: 'response.created', response: { id } });
  send({ type: 'response.output_item.done', output_index: 0, item: itemOf(turn, id) });
  send({ type: 'response.completed', response: { id, usage: USAGE } });
  response.end();
}

function itemOf(turn: Extract<ModelTurn, { text: string } | { tool: string }>, id: string): object {
  if ('text' in turn)
    return { type: 'message', role: 'assistant', id: `msg_${id}`, content: [{ type: 'output_text', text: turn.text, annotations: [] }] };
  const call = { call_id: `call_${id}`, name: turn.tool, ...(turn.namespace === undefined ? {} : { namespace: turn.namespace }) };
  if (turn.tool === 'apply_patch') return { type: 'custom_tool_call', ...call, input: turn.input.patch };
  return { type: 'function_call', ...call, arguments: JSON.stringify(turn.input) };
}

function other(_path: string, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end('{}');
}
