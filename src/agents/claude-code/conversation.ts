// Owns one conversation with Claude Code over its standard input and output: prompts, permission answers, events, and
// the outcome.
//
// - The conversation ends at the first valid result, at the second invalid one, or at a failure.
// - A denial is reported once, whether the program asked for permission or denied the use itself.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { CommandInput } from '../../process/command.ts';
import { type AnswerNotes, type AttemptFailure, addUsage, checkReply, requestCorrection, toAnswer } from '../answer.ts';
import { type AgentAnswer, type AgentEvent, type AgentRefusal, type AgentRequest, type AgentUsage, WORK_IN_PLACE } from '../driver.ts';
import { listAt, numberAt, objectAt, parseMessage, textAt } from '../json-message.ts';
import { blocksOf, failureIn, resultText, usageOf, usageSoFar } from './message.ts';
import { actionOf, refusalOf } from './permission.ts';

interface ToolUse {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

const AUTH_TRIES_MAX = 2;

/** A conversation with the program about one request. */
export class ClaudeCodeConversation {
  /** True once the program has a session. If it never gets one, it did not find the session to resume. */
  hasBegun = false;
  private readonly request: AgentRequest;
  private readonly opening: string;
  private readonly stop: () => void;
  private stdin: CommandInput | undefined;
  private session: string | undefined;
  private rounds = 0;
  private outcome: ReturnType<typeof checkReply> | AttemptFailure | undefined;
  private resetsAt: number | undefined;
  private usage: AgentUsage = {};
  private readonly uses = new Map<string, ToolUse>();
  private readonly spent = new Map<string, AgentUsage>();
  private readonly refusals = new Map<string, AgentRefusal>();

  /** `stop` ends the program immediately. */
  constructor(request: AgentRequest, opening: string, stop: () => void) {
    this.request = request;
    this.opening = opening;
    this.stop = stop;
  }

  begin(stdin: CommandInput): void {
    this.stdin = stdin;
    this.prompt(this.opening);
  }

  /** Returns the answer, or undefined if the conversation ended without one. */
  answer(): AgentAnswer | undefined {
    return this.outcome === undefined ? undefined : toAnswer(this.outcome, this.notes());
  }

  /** Returns the fields besides the reply, even after an early end. */
  notes(): AnswerNotes {
    return omitUndefined({
      session: this.session,
      usage: Object.keys(this.usage).length === 0 ? undefined : this.usage,
      refusals: this.refusals.size === 0 ? undefined : [...this.refusals.values()],
    });
  }

  /** Handles the next line of the program; `answered` is called once the conversation has its outcome. */
  onLine(line: string, answered: () => void): void {
    const message = parseMessage(line);
    if (message === undefined) return void (line.trim() !== '' && this.emit({ kind: 'notice', text: line }));
    if (this.outcome !== undefined) return;
    if (message.type === 'system') this.onSystem(message);
    else if (message.type === 'rate_limit_event') this.onRateLimit(objectAt(message, 'rate_limit_info'));
    else if (message.type === 'assistant') this.onAssistant(message);
    else if (message.type === 'user') this.onToolResults(message);
    else if (message.type === 'control_request') this.onControlRequest(message);
    else if (message.type === 'result') this.onResult(message);
    if (this.outcome !== undefined) {
      answered();
      this.stdin?.end();
    }
  }

  private onSystem(message: JsonObject): void {
    if (message.subtype === 'init') {
      this.hasBegun = true;
      this.session = textAt(message, 'session_id') ?? '';
    }
    if (message.subtype === 'api_retry') this.onRetry(message);
  }

  // The program retries for minutes. If authentication failed twice, it will fail again.
  private onRetry(message: JsonObject): void {
    const status = numberAt(message, 'error_status');
    this.emit({ kind: 'notice', text: `the API returned ${status ?? 'no response'} (${textAt(message, 'error') ?? ''}); retrying` });
    if ((status === 401 || status === 403) && (numberAt(message, 'attempt') ?? 0) >= AUTH_TRIES_MAX)
      this.end({
        failure: 'auth',
        message: `the API returned ${status}: log in to Claude Code, or set ANTHROPIC_API_KEY and pass it on ("environment" in the settings)`,
      });
  }

  private onRateLimit(info: JsonObject): void {
    const seconds = numberAt(info, 'resetsAt');
    if (info.status === 'rejected' && seconds !== undefined) this.resetsAt = seconds * 1000;
  }

  private onAssistant(message: JsonObject): void {
    for (const block of blocksOf(message)) {
      if (block.type === 'text') this.emit({ kind: 'text', text: textAt(block, 'text') ?? '' });
      else if (block.type === 'thinking') this.emit({ kind: 'thought', text: textAt(block, 'thinking') ?? '' });
      else if (block.type === 'tool_use') this.onToolUse(block);
    }
    this.spent.set(textAt(message, 'message', 'id') ?? '', usageSoFar(message));
    this.checkBudget();
  }

  private checkBudget(): void {
    const spent = [...this.spent.values()].reduce(addUsage, {});
    const tokens = (spent.inputTokens ?? 0) + (spent.outputTokens ?? 0);
    const max = this.request.budget?.tokens;
    if (max === undefined || tokens <= max) return;
    this.usage = spent;
    this.end({ failure: 'budget', message: `the agent used ${tokens} tokens; the attempt's budget is ${max}` });
  }

  private onToolUse(block: JsonObject): void {
    const use = toolUse(block, { id: 'id', tool: 'name', input: 'input' });
    this.uses.set(use.id, use);
    this.emit({ kind: 'tool', id: use.id, name: use.tool, input: use.input });
  }

  private onToolResults(message: JsonObject): void {
    for (const block of blocksOf(message)) {
      if (block.type !== 'tool_result') continue;
      const id = textAt(block, 'tool_use_id') ?? '';
      const use = this.uses.get(id);
      const why = block.is_error === true && use !== undefined ? this.refusalOf(use) : undefined;
      if (use !== undefined && why !== undefined) this.refuse(use, why);
      this.emit({ kind: 'tool-result', id, ok: block.is_error !== true, text: resultText(block.content) });
    }
  }

  private onControlRequest(message: JsonObject): void {
    const request_id = textAt(message, 'request_id') ?? '';
    const request = objectAt(message, 'request');
    if (request.subtype !== 'can_use_tool') {
      const error = `"${textAt(request, 'subtype') ?? ''}" is not supported`;
      return this.send({ type: 'control_response', response: { subtype: 'error', request_id, error } });
    }
    const use = toolUse(request, { id: 'tool_use_id', tool: 'tool_name', input: 'input' });
    const why = this.refusalOf(use);
    if (why !== undefined) this.refuse(use, why);
    const response = why === undefined ? { behavior: 'allow', updatedInput: use.input } : { behavior: 'deny', message: why };
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }

  private refusalOf(use: ToolUse): string | undefined {
    return refusalOf(use, this.request.permissions ?? WORK_IN_PLACE, this.request.cwd);
  }

  private refuse({ id, tool }: ToolUse, why: string): void {
    if (this.refusals.has(id)) return;
    const refusal = { tool, action: actionOf(tool), why };
    this.refusals.set(id, refusal);
    this.emit({ kind: 'refused', ...refusal });
  }

  private onResult(result: JsonObject): void {
    this.rounds += 1;
    this.usage = addUsage(this.usage, usageOf(result, this.rounds === 1 && this.request.session === undefined));
    this.readDenials(result);
    this.outcome = failureIn(result, this.resetsAt);
    if (this.outcome !== undefined) return;
    const reading = checkReply(textAt(result, 'result') ?? '', this.request);
    const correction = this.rounds > 1 ? undefined : requestCorrection(reading, this.request, this.usage);
    if (typeof correction === 'string') this.prompt(correction);
    else this.outcome = correction ?? reading;
  }

  // The program denies uses that a rule forbids without asking.
  private readDenials(result: JsonObject): void {
    for (const denial of listAt(result, 'permission_denials').filter(isJsonObject)) {
      const use = toolUse(denial, { id: 'tool_use_id', tool: 'tool_name', input: 'tool_input' });
      this.refuse(use, this.refusalOf(use) ?? 'a rule forbids it');
    }
  }

  private end(failure: AttemptFailure): void {
    this.outcome = failure;
    this.stop();
  }

  private prompt(content: string): void {
    this.send({ type: 'user', message: { role: 'user', content } });
  }

  private send(message: JsonObject): void {
    this.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  private emit(event: AgentEvent): void {
    this.request.onEvent?.(event);
  }
}

/** Reads the use of a tool, whose fields have different names in each kind of message. */
function toolUse(message: JsonObject, names: Readonly<Record<keyof ToolUse, string>>): ToolUse {
  return { id: textAt(message, names.id) ?? '', tool: textAt(message, names.tool) ?? '', input: objectAt(message, names.input) };
}
