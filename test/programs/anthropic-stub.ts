// Owns the stub of Anthropic's messages API: enough of its stream for the real Claude Code to work against, how that
// program finds the stub, and how its model writes files.

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type ModelCall, type ModelDialect, type ModelStub, type ModelTurn, startModelStub, writeEvent } from './model-stub.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

const DIALECT: ModelDialect = { read, write, other };

/** Starts a messages API whose model does as `model` says. Calls without tools, which name sessions, are not counted. */
export function startAnthropicStub(model: (call: ModelCall) => ModelTurn): Promise<ModelStub> {
  return startModelStub(DIALECT, model);
}

/** The variables that lead Claude Code to the stub and to a home of its own, and keep it from every other address. */
export function claudeEnv({ url }: ModelStub, home: string): Readonly<Record<string, string>> {
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1' };
  return { HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude'), ANTHROPIC_BASE_URL: url, ...quiet };
}

/** How the model writes the plan and the code of three steps: with the tool for files, and with a command. */
export const WRITES = {
  plan: { tool: 'Write', input: { file_path: 'plan.md', content: '# Plan\n' } },
  code: { tool: 'Bash', input: { command: 'echo built > code.txt' } },
} satisfies Readonly<Record<string, ModelTurn>>;

function read(path: string, body: Readonly<Record<string, unknown>>): ModelCall | undefined {
  const { messages, tools } = body as { readonly messages?: readonly Message[]; readonly tools?: readonly { readonly name: string }[] };
  if (path !== '/v1/messages' || messages === undefined || tools === undefined || tools.length === 0) return undefined;
  const last = messages.findLast(({ role }) => role === 'user');
  const blocks = Array.isArray(last?.content) ? last.content : [];
  return {
    last: wordsOf(last?.content ?? ''),
    all: messages.map(({ content }) => wordsOf(content)).join('\n'),
    toolResults: blocks.filter(({ type }) => type === 'tool_result').length,
    tools: tools.map(({ name }) => name),
  };
}

function wordsOf(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => block.text ?? wordsOf(block.content ?? '')).join('\n');
}

const USAGE = { input_tokens: 100, cache_creation_input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 20 };

function write(response: ServerResponse, turn: Extract<ModelTurn, { text: string } | { tool: string }>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const message = { id: `msg_${Math.random()}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [] };
  const usage = { ...USAGE, output_tokens: 1 };
  const send = (event: { readonly type: string } & Readonly<Record<string, unknown>>): void => writeEvent(response, event);
  send({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  if ('text' in turn) {
    send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: turn.text } });
  } else {
    const block = { type: 'tool_use', id: `toolu_${Math.random().toString(36).slice(2)}`, name: turn.tool, input: {} };
    send({ type: 'content_block_start', index: 0, content_block: block });
    send({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) } });
  }
  send({ type: 'content_block_stop', index: 0 });
  const reason = 'text' in turn ? 'end_turn' : 'tool_use';
  send({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: USAGE.output_tokens } });
  send({ type: 'message_stop' });
  response.end();
}

function other(path: string, response: ServerResponse): void {
  if (path === '/v1/messages') return write(response, { text: 'ok' });
  response.writeHead(path.endsWith('/count_tokens') ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ input_tokens: 100 }));
}
