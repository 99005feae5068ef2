// Owns the stub of Google's generative language API: enough of its stream for the real Gemini CLI to work against.

import type { ServerResponse } from 'node:http';
import { type ModelCall, type ModelDialect, type ModelStub, type ModelTurn, startModelStub } from './model-stub.ts';

interface Part {
  readonly text?: string;
  readonly functionResponse?: { readonly response?: unknown };
}

interface Body {
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

const DIALECT: ModelDialect = { read, write, other };

/** Starts a generative language API whose model does as `model` says. Calls without tools are not counted. */
export function startGeminiStub(model: (call: ModelCall) => ModelTurn): Promise<ModelStub> {
  return startModelStub(DIALECT, model);
}

function read(path: string, body: Readonly<Record<string, unknown>>): ModelCall | undefined {
  const { contents = [], tools = [] } = body as Body;
  const names = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
  if (!path.endsWith(':streamGenerateContent') || names.length === 0) return undefined;
  const last = contents.at(-1)?.parts ?? [];
  return {
    last: last.map(wordsOf).join('\n'),
    all: contents.flatMap(({ parts = [] }) => parts.map(wordsOf)).join('\n'),
    toolResults: last.filter(({ functionResponse }) => functionResponse !== undefined).length,
    tools: names,
  };
}

function wordsOf({ text, functionResponse }: Part): string {
  if (text !== undefined) return text;
  const { response } = functionResponse ?? {};
  const { output, error } = (response ?? {}) as { readonly output?: unknown; readonly error?: unknown };
  return [output, error].map((one) => (typeof one === 'string' ? one : JSON.stringify(one ?? ''))).join('\n');
}

function write(response: ServerResponse, turn: Extract<ModelTurn, { text: string } | { tool: string }>): void {
  const part = 'text' in turn ? { text: turn.text } : { functionCall: { name: turn.tool, args: turn.input } };
  const candidates = [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }];
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`);
}

function other(path: string, response: ServerResponse): void {
  if (path.endsWith(':streamGenerateContent')) return write(response, { text: 'ok' });
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end('{}');
}
