// Owns one conversation with Claude Code over its standard input and output: prompts, permission answers, events, and
// the outcome.
//
// - The conversation ends at the first valid result, at the second invalid one, or at a failure.
// - A denial is reported once, whether the program asked for permission or denied the use itself.

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { CommandInput } from '../../process/command.ts';
import { type AgentAnswer, type AgentEvent, type AgentRefusal, type AgentRequest, type AgentUsage, WORK_IN_PLACE } from '../driver.ts';
import { answerOf, type Failing, failureOf, judgeReply, overBudget } from '../judgement.ts';
import { repairInstructions } from '../reply.ts';
import { addUsage, blocksOf, failureIn, numberIn, objectIn, parseMessage, resultText, textIn, usageOf, usageSoFar } from './message.ts';
import { deedOf, refusalOf } from './permission.ts';

interface ToolUse {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

const AUTH_TRIES_MAX = 2;

/** A conversation with the program about one request. */
export class ClaudeCodeTalk {
  /** True once the program has a session. If it never gets one, it did not find the session to resume. */
  hasBegun = false;
  private readonly request: AgentRequest;
  private readonly prompt: string;
  private readonly stop: () => void;
  private stdin: CommandInput | undefined;
  private session: string | undefined;
  private rounds = 0;
  private outcome: ReturnType<typeof judgeReply> | Failing | undefined;
  private resetsAt: number | undefined;
  private usage: AgentUsage = {};
  private readonly uses = new Map<string, ToolUse>();
  private readonly spent = new Map<string, AgentUsage>();
  private readonly refusals = new Map<string, AgentRefusal>();

  /** `stop` ends the program at once, if it would only wait. */
  constructor(request: AgentRequest, prompt: string, stop: () => void) {
    this.request = request;
    this.prompt = prompt;
    this.stop = stop;
  }

  begin(stdin: CommandInput): void {
    this.stdin = stdin;
    this.say(this.prompt);
  }

  /** Returns the answer, or undefined if the conversation ended without one. */
  answer(): AgentAnswer | undefined {
    if (this.outcome === undefined) return undefined;
    return 'failure' in this.outcome ? failureOf(this.outcome, this.notes()) : answerOf(this.outcome, this.notes());
  }

  /** Returns what is known besides the reply, also after an early end. */
  notes() {
    return {
      ...(this.session === undefined ? {} : { session: this.session }),
      ...(Object.keys(this.usage).length === 0 ? {} : { usage: this.usage }),
      ...(this.refusals.size === 0 ? {} : { refusals: [...this.refusals.values()] }),
    };
  }

  hear(line: string, answered: () => void): void {
    const message = parseMessage(line);
    if (message === undefined) return void (line.trim() !== '' && this.emit({ kind: 'notice', text: line }));
    if (this.outcome !== undefined) return;
    if (message.type === 'system') this.hearSystem(message);
    else if (message.type === 'rate_limit_event') this.hearLimit(objectIn(message.rate_limit_info));
    else if (message.type === 'assistant') this.hearAssistant(message);
    else if (message.type === 'user') this.hearToolResults(message);
    else if (message.type === 'control_request') this.hearAsking(message);
    else if (message.type === 'result') this.hearResult(message);
    if (this.outcome !== undefined) {
      answered();
      this.stdin?.end();
    }
  }

  private hearSystem(message: JsonObject): void {
    if (message.subtype === 'init') {
      this.hasBegun = true;
      this.session = textIn(message.session_id);
    }
    if (message.subtype === 'api_retry') this.hearRetry(message);
  }

  // The program retries for minutes. If authentication failed twice, it will fail again.
  private hearRetry(message: JsonObject): void {
    const status = numberIn(message.error_status);
    this.emit({ kind: 'notice', text: `the API returned ${status ?? 'no response'} (${textIn(message.error)}); retrying` });
    if ((status === 401 || status === 403) && (numberIn(message.attempt) ?? 0) >= AUTH_TRIES_MAX)
      this.end({
        failure: 'auth',
        message: `the API returned ${status}: log in to Claude Code, or set ANTHROPIC_API_KEY and pass it on ("environment" in the settings)`,
      });
  }

  private hearLimit(info: JsonObject): void {
    const seconds = numberIn(info.resetsAt);
    if (info.status === 'rejected' && seconds !== undefined) this.resetsAt = seconds * 1000;
  }

  private hearAssistant(message: JsonObject): void {
    for (const block of blocksOf(message)) {
      if (block.type === 'text') this.emit({ kind: 'text', text: textIn(block.text) });
      else if (block.type === 'thinking') this.emit({ kind: 'thought', text: textIn(block.thinking) });
      else if (block.type === 'tool_use') this.hearToolUse(block);
    }
    this.spent.set(textIn(objectIn(message.message).id), usageSoFar(message));
    this.keepBudget();
  }

  private keepBudget(): void {
    const spent = [...this.spent.values()].reduce(addUsage, {});
    const tokens = (spent.inputTokens ?? 0) + (spent.outputTokens ?? 0);
    const max = this.request.budget?.tokens;
    if (max === undefined || tokens <= max) return;
    this.usage = spent;
    this.end({ failure: 'budget', message: `the agent used ${tokens} tokens; the attempt's budget is ${max}` });
  }

  private hearToolUse(block: JsonObject): void {
    const use = { id: textIn(block.id), tool: textIn(block.name), input: objectIn(block.input) };
    this.uses.set(use.id, use);
    this.emit({ kind: 'tool', id: use.id, name: use.tool, input: use.input });
  }

  private hearToolResults(message: JsonObject): void {
    for (const block of blocksOf(message)) {
      if (block.type !== 'tool_result') continue;
      const id = textIn(block.tool_use_id);
      const use = this.uses.get(id);
      const why = block.is_error === true && use !== undefined ? this.refusalOf(use) : undefined;
      if (use !== undefined && why !== undefined) this.refuse(use, why);
      this.emit({ kind: 'tool-result', id, ok: block.is_error !== true, text: resultText(block.content) });
    }
  }

  private hearAsking(message: JsonObject): void {
    const request_id = textIn(message.request_id);
    const asked = objectIn(message.request);
    if (asked.subtype !== 'can_use_tool') {
      const error = `"${textIn(asked.subtype)}" is not supported`;
      return this.send({ type: 'control_response', response: { subtype: 'error', request_id, error } });
    }
    const use = { id: textIn(asked.tool_use_id), tool: textIn(asked.tool_name), input: objectIn(asked.input) };
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
    const refusal = { tool, deed: deedOf(tool), why };
    this.refusals.set(id, refusal);
    this.emit({ kind: 'refused', ...refusal });
  }

  private hearResult(result: JsonObject): void {
    this.rounds += 1;
    this.usage = addUsage(this.usage, usageOf(result, this.rounds === 1 && this.request.session === undefined));
    this.readDenials(result);
    const failing = failureIn(result, this.resetsAt);
    if (failing !== undefined) {
      this.outcome = failing;
      return;
    }
    const reading = judgeReply(textIn(result.result), this.request);
    const over = reading.kind === 'invalid' ? overBudget(this.request, this.usage) : undefined;
    if (over !== undefined) this.outcome = over;
    else if (reading.kind !== 'invalid' || this.rounds > 1) this.outcome = reading;
    else {
      this.emit({ kind: 'notice', text: `the answer was rejected and is requested again: ${reading.why}` });
      this.say(repairInstructions(reading.why));
    }
  }

  // Uses that a rule of the request forbids are denied by the program without asking.
  private readDenials({ permission_denials: denials }: JsonObject): void {
    if (!Array.isArray(denials)) return;
    for (const denial of denials.filter(isJsonObject)) {
      const use = { id: textIn(denial.tool_use_id), tool: textIn(denial.tool_name), input: objectIn(denial.tool_input) };
      this.refuse(use, this.refusalOf(use) ?? 'a rule forbids it');
    }
  }

  private end(failing: Failing): void {
    this.outcome = failing;
    this.stop();
  }

  private say(content: string): void {
    this.send({ type: 'user', message: { role: 'user', content } });
  }

  private send(message: JsonObject): void {
    this.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  private emit(event: AgentEvent): void {
    this.request.onEvent?.(event);
  }
}
