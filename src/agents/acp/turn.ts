// Owns one turn of an agent: its messages, the last of which is the answer, its thoughts and tool calls as events, and
// its reported usage.

import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { AgentEvent } from '../driver.ts';
import { listAt, numberAt, textAt, valueAt } from '../json-message.ts';
import { type AcpToolCall, toolCallOf } from './permission.ts';

type UpdateName = SessionUpdate['sessionUpdate'];

interface Tool {
  /** The fields of the call that the agent has sent so far. */
  fields: JsonObject;
  isReported: boolean;
  /** Whether the agent asked for permission before this call. */
  wasRequested: boolean;
}

/** One turn of an agent, from a prompt to its end. */
export class AcpTurn {
  /** The largest reported context in tokens, and the reported cost of the session. */
  tokensSeen: number | undefined;
  costUsd: number | undefined;
  /** When the account can be used again, if the agent reported it. */
  resumeAt: number | undefined;
  private readonly onEvent: (event: AgentEvent) => void;
  private readonly onUnrequested: (call: AcpToolCall) => void;
  private readonly tools = new Map<string, Tool>();
  private readonly calls = new Map<string, number>();
  private message = '';
  /** The length of the reported part of the message. */
  private reported = 0;
  private messageId: string | undefined;
  private thought = '';

  constructor(onEvent: (event: AgentEvent) => void, onUnrequested: (call: AcpToolCall) => void) {
    this.onEvent = onEvent;
    this.onUnrequested = onUnrequested;
  }

  /** Handles an update of the session. Unknown kinds are ignored. */
  onUpdate(update: Json): void {
    const name = textAt(update, 'sessionUpdate') as UpdateName | undefined;
    if (name === 'agent_message_chunk') this.onText(update);
    else if (name === 'agent_thought_chunk') this.thought += textAt(update, 'content', 'text') ?? '';
    else if (name === 'tool_call') this.onTool(update, true);
    else if (name === 'tool_call_update') this.onTool(update, false);
    else if (name === 'usage_update') this.onUsage(update);
  }

  /** Records the usage of one call of the model, which an agent may report more than once. */
  onModelCall(message: Json): void {
    const usage = valueAt(message, 'message', 'usage');
    const parts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];
    const tokens = parts.reduce((sum, part) => sum + (numberAt(usage, part) ?? 0), 0);
    if (tokens > 0) this.calls.set(textAt(message, 'message', 'id') ?? '', tokens);
  }

  /** The reported tokens of all calls of the model so far. */
  tokensOfCalls(): number {
    return [...this.calls.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Ends the turn and returns its last message. */
  end(): string {
    const { message } = this;
    this.endMessage();
    return message;
  }

  /** Handles a permission request; returns the tool call, as far as it has been described. */
  onPermissionRequest(update: Json): AcpToolCall {
    const id = textAt(update, 'toolCallId') ?? '';
    const tool = this.toolOf(id);
    tool.wasRequested = true;
    merge(tool, update);
    this.reportTool(id, tool);
    return toolCallOf(tool.fields);
  }

  private toolOf(id: string): Tool {
    const tool = this.tools.get(id) ?? { fields: {}, isReported: false, wasRequested: false };
    this.tools.set(id, tool);
    return tool;
  }

  private onText(update: Json): void {
    const id = textAt(update, 'messageId');
    if (id !== undefined && this.messageId !== undefined && id !== this.messageId) this.endMessage();
    this.messageId = id;
    this.reportThought();
    this.message += textAt(update, 'content', 'text') ?? '';
    // Whole lines are reported immediately, so that people can follow.
    const end = this.message.lastIndexOf('\n') + 1;
    if (this.message.slice(this.reported, end).trim() === '') return;
    this.onEvent({ kind: 'text', text: this.message.slice(this.reported, end) });
    this.reported = end;
  }

  // Text before a tool call is not the answer, even if it looks like one.
  private endMessage(): void {
    this.reportThought();
    const rest = this.message.slice(this.reported);
    if (rest.trim() !== '') this.onEvent({ kind: 'text', text: rest });
    this.message = '';
    this.reported = 0;
    this.messageId = undefined;
  }

  private reportThought(): void {
    if (this.thought.trim() !== '') this.onEvent({ kind: 'thought', text: this.thought });
    this.thought = '';
  }

  private onTool(update: Json, isNew: boolean): void {
    const id = textAt(update, 'toolCallId');
    if (id === undefined) return;
    if (isNew) this.endMessage();
    const tool = this.toolOf(id);
    merge(tool, update);
    const status = textAt(update, 'status');
    const isOver = status === 'completed' || status === 'failed';
    // A call is reported once. Its input often follows in a later update.
    if (isOver || status === 'in_progress') this.reportTool(id, tool);
    if (status === 'completed' && !tool.wasRequested) this.onUnrequested(toolCallOf(tool.fields));
    if (isOver) this.onEvent({ kind: 'tool-result', id, ok: status === 'completed', text: contentText(valueAt(tool.fields, 'content')) });
  }

  private reportTool(id: string, tool: Tool): void {
    if (tool.isReported) return;
    tool.isReported = true;
    this.onEvent({ kind: 'tool', id, name: toolCallOf(tool.fields).name, input: valueAt(tool.fields, 'rawInput') ?? null });
  }

  private onUsage(update: Json): void {
    const used = numberAt(update, 'used');
    if (used !== undefined) this.tokensSeen = Math.max(used, this.tokensSeen ?? 0);
    if (textAt(update, 'cost', 'currency') === 'USD') this.costUsd = numberAt(update, 'cost', 'amount') ?? this.costUsd;
    const resetsAt = numberAt(update, '_meta', '_claude/rateLimit', 'resetsAt');
    if (resetsAt !== undefined) this.resumeAt = resetsAt * 1000;
  }
}

// An update contains only new fields; null keeps the earlier value.
function merge(tool: Tool, update: Json): void {
  const news = Object.entries(isJsonObject(update) ? update : {}).filter(([, value]) => value !== null);
  tool.fields = { ...tool.fields, ...Object.fromEntries(news) };
}

function contentText(content: Json | undefined): string {
  return listAt(content)
    .map((block) => textAt(block, 'content', 'text') ?? textAt(block, 'path'))
    .filter((text) => text !== undefined)
    .join('\n');
}
