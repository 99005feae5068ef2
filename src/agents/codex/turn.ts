// Owns one run of the Codex program: its messages and actions as events, and the outcome.

import type { Json, JsonObject } from '../../base/json.ts';
import { type AttemptFailure, crashFailure } from '../answer.ts';
import type { AgentEvent, AgentRefusal, AgentRequest, AgentUsage } from '../driver.ts';
import { numberAt, parseMessage, textAt } from '../json-message.ts';
import type { ProgramEnd } from '../program.ts';
import { actionOf, type CodexItem, failureIn, itemOf } from './event.ts';

/** The result of one run of the program. */
export interface TurnResult {
  /** The thread, or undefined if the program never created one. */
  readonly thread: string | undefined;
  readonly end: { readonly text: string } | AttemptFailure;
  /** The usage of this run, if known. */
  readonly usage: AgentUsage | undefined;
  readonly refusals: readonly AgentRefusal[];
}

/** Reads the output of one run of the program. */
export class CodexTurn {
  thread: string | undefined;
  text: string | undefined;
  failure: AttemptFailure | undefined;
  total: AgentUsage | undefined;
  readonly refusals: AgentRefusal[] = [];
  private readonly begun = new Set<string>();
  private readonly request: AgentRequest;

  constructor(request: AgentRequest) {
    this.request = request;
  }

  /** Handles the next line of the program; `answered` is called at the end of the turn. */
  onLine(line: string, answered: () => void): void {
    const event = parseMessage(line);
    if (event === undefined) return void (line.trim() !== '' && this.emit({ kind: 'notice', text: line }));
    if (event.type === 'thread.started' && typeof event.thread_id === 'string') this.thread = event.thread_id;
    else if (event.type === 'item.started' || event.type === 'item.completed') this.readItem(event);
    else if (event.type === 'error') this.emit({ kind: 'notice', text: messageIn(event) });
    else if (event.type === 'turn.failed') this.failure = failureIn(messageIn(event.error), Date.now());
    else if (event.type === 'turn.completed') this.total = usageIn(event.usage);
    if (event.type === 'turn.failed' || event.type === 'turn.completed') answered();
  }

  private readItem(event: JsonObject): void {
    const item = itemOf(event);
    if (item === undefined) return;
    if (actionOf(item) !== undefined) this.onAction(item, event.type === 'item.completed');
    else if (event.type === 'item.completed') this.onText(item);
  }

  private onText({ type, fields }: CodexItem): void {
    const text = textAt(fields, 'text') ?? textAt(fields, 'message') ?? '';
    if (type === 'agent_message') this.text = text;
    if (text !== '') this.emit({ kind: type === 'agent_message' ? 'text' : type === 'reasoning' ? 'thought' : 'notice', text });
  }

  // Quick actions are reported only once, when they are done.
  private onAction(item: CodexItem, isDone: boolean): void {
    const { id, type, fields } = item;
    if (!this.begun.has(id)) this.emit({ kind: 'tool', id, name: type, input: inputOf(fields) });
    this.begun.add(id);
    if (!isDone) return;
    if (fields.status === 'declined') this.refuse(item);
    this.emit({ kind: 'tool-result', id, ok: isFine(fields), text: textAt(fields, 'aggregated_output') ?? '' });
  }

  private refuse(item: CodexItem): void {
    const refusal = { tool: item.type, action: actionOf(item) ?? 'other', why: 'the sandbox denied it' } as const;
    this.refusals.push(refusal);
    this.emit({ kind: 'refused', ...refusal });
  }

  private emit(event: AgentEvent): void {
    this.request.onEvent?.(event);
  }
}

interface Before {
  readonly isResumed: boolean;
  /** The last known usage of each thread. */
  readonly totals: Map<string, AgentUsage>;
}

/** Returns the result after the program has ended. */
export function resultOf(turn: CodexTurn, end: ProgramEnd, before: Before): TurnResult {
  const { thread, refusals } = turn;
  return { thread, refusals, end: endOf(turn, end), usage: usageSince(turn, before) };
}

function endOf({ failure, text, total }: CodexTurn, end: ProgramEnd): TurnResult['end'] {
  if (failure !== undefined) return failure;
  if (total !== undefined || end.kind === 'answered') return { text: text ?? '' };
  return end.kind === 'failed' ? end.answer : crashFailure('Codex', end);
}

// Codex reports the usage of the whole thread. If another program started the thread, this turn's share is unknown.
function usageSince({ thread, total }: CodexTurn, { isResumed, totals }: Before): AgentUsage | undefined {
  if (thread === undefined || total === undefined) return undefined;
  const earlier = isResumed ? totals.get(thread) : { inputTokens: 0, outputTokens: 0 };
  totals.set(thread, total);
  if (earlier === undefined || total.inputTokens === undefined || total.outputTokens === undefined) return undefined;
  return {
    inputTokens: total.inputTokens - (earlier.inputTokens ?? 0),
    outputTokens: total.outputTokens - (earlier.outputTokens ?? 0),
  };
}

function usageIn(value: Json | undefined): AgentUsage {
  const [inputTokens, outputTokens] = [numberAt(value, 'input_tokens'), numberAt(value, 'output_tokens')];
  return inputTokens === undefined || outputTokens === undefined ? {} : { inputTokens, outputTokens };
}

function messageIn(value: Json | undefined): string {
  return textAt(value, 'message') || 'Codex failed without a reason';
}

function inputOf(fields: JsonObject): Json {
  return fields.command ?? fields.changes ?? fields.query ?? fields.arguments ?? fields.tool ?? null;
}

function isFine({ status, exit_code: exitCode }: JsonObject): boolean {
  return status !== 'failed' && status !== 'declined' && (typeof exitCode !== 'number' || exitCode === 0);
}
