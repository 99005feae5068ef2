// Owns the driver `acp`: any agent that speaks version 1 of the Agent Client Protocol on its standard input and output.
// We offer neither files nor terminals, so an agent uses its own tools in the workspace and must request permission for
// each of them; `permission.ts` answers.

import type { InitializeRequest, NewSessionRequest, PromptRequest } from '@agentclientprotocol/sdk';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type AnswerNotes, checkReply, crashFailure, requestCorrection, toAnswer } from '../answer.ts';
import type { AgentAnswer, AgentDriver, AgentEvent, AgentRefusal, AgentRequest, AgentUsage } from '../driver.ts';
import { aborted } from '../in-process.ts';
import { listAt, numberAt, textAt, valueAt } from '../json-message.ts';
import { runProgram } from '../program.ts';
import { promptWithReply, type ReplyReading, withHandover } from '../reply.ts';
import { AcpConnection } from './connection.ts';
import { AcpFailure, failureOf, stopFailure } from './failure.ts';
import { type AcpGrant, type AcpToolCall, permissionFor, violationOf } from './permission.ts';
import { AcpTurn } from './turn.ts';

/** How to start an agent that speaks the protocol. */
export interface AcpOptions {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Environment variables of ours that the agent needs beyond the usual ones, such as its login. */
  readonly inherits?: readonly string[];
  /** The model, if the role does not set one. */
  readonly model?: string;
}

const PROTOCOL_VERSION = 1;
/** Asks Claude Code for two messages that the protocol lacks: retries of its API calls, and the usage of each call. */
const CLAUDE_MESSAGES = {
  claudeCode: { emitRawSDKMessages: [{ type: 'system', subtype: 'api_retry' }, { type: 'assistant' }] },
};
const CLAUDE_MESSAGE = '_claude/sdkMessage';
/** Claude Code retries for minutes. If authentication failed twice, it will fail again. */
const AUTH_TRIES_MAX = 2;
/** How long an agent may take to cancel before its program is ended. */
const CANCEL_MS = 500;
/** How long a program may run after its input has ended. */
const LINGER_MS = 1000;

/** Creates a driver for an agent that speaks the Agent Client Protocol. */
export function createAcpDriver(options: AcpOptions): AgentDriver {
  return {
    name: 'acp',
    fences: true,
    ask: async (request) => (request.signal.aborted ? aborted() : await new AcpAttempt(options, request).answer()),
  };
}

interface Session {
  readonly id: string;
  /** False for a resumed session: its reported usage includes earlier turns. */
  readonly isFresh: boolean;
  readonly isLost: boolean;
  /** The session's details as the agent reported them. */
  readonly details: Json;
}

type TurnResult = ReplyReading | AcpFailure;

/** One attempt: a program, a connection, a session, and one or two turns in it. */
class AcpAttempt {
  private readonly options: AcpOptions;
  private readonly request: AgentRequest;
  private readonly stop = new AbortController();
  private readonly refusals: AgentRefusal[] = [];
  private readonly turns: { readonly turn: AcpTurn; usage: Json | undefined }[] = [];
  private connection: AcpConnection | undefined;
  private session: Session | undefined;
  private current: AcpTurn | undefined;
  /** Why we cancelled the turn. */
  private ending: AcpFailure | undefined;
  private settled: TurnResult | undefined;
  private onAnswered: () => void = () => {};
  private cancelTimer: NodeJS.Timeout | undefined;

  constructor(options: AcpOptions, request: AgentRequest) {
    this.options = options;
    this.request = request;
  }

  async answer(): Promise<AgentAnswer> {
    const { request, options } = this;
    const onAbort = (): void => this.cancel();
    request.signal.addEventListener('abort', onAbort, { once: true });
    const end = await runProgram({
      argv: options.argv,
      request: { ...request, signal: this.stop.signal, watchdogs: { lingerMs: LINGER_MS, ...request.watchdogs } },
      ...omitUndefined({ env: options.env, inherits: options.inherits }),
      onStart: (stdin) => this.begin(stdin),
      onLine: (line, answered) => {
        this.onAnswered = answered;
        this.connection?.onLine(line);
      },
    });
    request.signal.removeEventListener('abort', onAbort);
    clearTimeout(this.cancelTimer);
    this.onAnswered = () => {};
    this.connection?.close();
    if (end.kind === 'answered' && this.settled !== undefined) return this.answerFor(this.settled);
    // If the agent ignored the cancel and its program was ended, the reason is the same.
    if (this.ending !== undefined && !request.signal.aborted) return this.answerFor(this.ending);
    if (end.kind === 'failed') return { ...end.answer, ...this.notes() };
    const name = `the program "${options.argv[0]}"`;
    return toAnswer(crashFailure(name, end.kind === 'exited' ? end : { exitCode: 0, stdout: '', stderr: '' }), this.notes());
  }

  private begin(stdin: { write(text: string): void; end(): void }): void {
    this.connection = new AcpConnection((line) => stdin.write(line), {
      answer: (method, params) => this.reply(method, params),
      onNotification: (method, params) => this.onNotification(method, params),
    });
    const settle = (settled: TurnResult): void => {
      this.settled = settled;
      stdin.end();
      // A stopped attempt has no answer to wait for.
      if (this.request.signal.aborted) this.stop.abort();
      else this.onAnswered();
    };
    this.converse(this.connection).then(settle, (thrown: unknown) => settle(this.ending ?? failureOf(thrown)));
  }

  private async converse(connection: AcpConnection): Promise<TurnResult> {
    const hello = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} } satisfies InitializeRequest;
    const agent = await connection.request('initialize', hello);
    const version = numberAt(agent, 'protocolVersion');
    if (version !== PROTOCOL_VERSION)
      throw new AcpFailure(
        'crash',
        `the agent speaks version ${version ?? '?'} of the Agent Client Protocol, but Pawl supports only version ${PROTOCOL_VERSION}; install a release that supports it`,
      );
    this.session = await this.open(connection, agent);
    await this.chooseModel(connection, this.session);
    const { session } = this.request;
    const request = this.session.isLost && session !== undefined ? withHandover(this.request, session.handover) : this.request;
    const first = checkReply(await this.turn(connection, promptWithReply(request)), this.request);
    const correction = requestCorrection(first, this.request, this.usage());
    if (correction === undefined) return first;
    if (typeof correction !== 'string') return new AcpFailure(correction.failure, correction.message);
    return checkReply(await this.turn(connection, correction), this.request);
  }

  // A session is an optimisation: if it cannot be resumed, a new one with the handover can do the work.
  private async open(connection: AcpConnection, agent: Json): Promise<Session> {
    const wanted = this.request.session?.id;
    const place = { cwd: this.request.cwd, mcpServers: [], _meta: CLAUDE_MESSAGES } satisfies NewSessionRequest;
    const method = resumeMethod(agent);
    if (wanted !== undefined && method !== undefined) {
      try {
        const details = await connection.request(method, { sessionId: wanted, ...place });
        return { id: wanted, isFresh: false, isLost: false, details };
      } catch (thrown) {
        if (failureOf(thrown).failure === 'auth') throw thrown;
      }
    }
    const details = await connection.request('session/new', place);
    const id = textAt(details, 'sessionId');
    if (id === undefined) throw new AcpFailure('crash', 'the agent created a session without an id');
    return { id, isFresh: true, isLost: wanted !== undefined, details };
  }

  private async chooseModel(connection: AcpConnection, { id, details }: Session): Promise<void> {
    const model = this.request.model ?? this.options.model;
    if (model === undefined) return;
    const choice = listAt(details, 'configOptions').find((option) => valueAt(option, 'category') === 'model');
    const configId = textAt(choice, 'id');
    if (configId === undefined)
      throw new AcpFailure('refused', `the agent does not support choosing a model, but the role sets "${model}"`);
    const offered = offeredBy(valueAt(choice, 'options'));
    if (!offered.includes(model))
      throw new AcpFailure('refused', `the agent has no model "${model}", which the role sets; it offers ${offered.join(', ')}`);
    if (textAt(choice, 'currentValue') === model) return;
    await connection.request('session/set_config_option', { sessionId: id, configId, value: model });
  }

  private async turn(connection: AcpConnection, text: string): Promise<string> {
    const turn = new AcpTurn(
      (event) => this.request.onEvent?.(event),
      (call) => this.checkUnrequested(call),
    );
    const entry = { turn, usage: undefined as Json | undefined };
    this.turns.push(entry);
    this.current = turn;
    const prompt = { sessionId: this.session?.id as string, prompt: [{ type: 'text', text }] } satisfies PromptRequest;
    const end = await connection.request('session/prompt', prompt).finally(() => {
      this.current = undefined;
    });
    entry.usage = valueAt(end, 'usage');
    const message = turn.end();
    const failure = this.ending ?? stopFailure(textAt(end, 'stopReason'));
    if (failure !== undefined) throw failure;
    return message;
  }

  private onNotification(method: string, params: Json): void {
    // Outside a turn an agent replays earlier parts of the session.
    if (this.current === undefined) return;
    if (method === CLAUDE_MESSAGE) return this.onClaudeMessage(this.current, valueAt(params, 'message') ?? null);
    if (method !== 'session/update') return;
    this.current.onUpdate(valueAt(params, 'update') ?? null);
    this.checkBudget(this.current);
  }

  private onClaudeMessage(turn: AcpTurn, message: Json): void {
    const status = numberAt(message, 'error_status');
    if ((status === 401 || status === 403) && (numberAt(message, 'attempt') ?? 0) >= AUTH_TRIES_MAX)
      return this.endTurn(new AcpFailure('auth', `the API returned ${status}: log in to the agent, or fix its API key`));
    turn.onModelCall(message);
    this.checkBudget(turn);
  }

  private checkBudget(turn: AcpTurn): void {
    const { costUsd } = turn;
    const tokensSeen = Math.max(turn.tokensSeen ?? 0, turn.tokensOfCalls());
    const { budget } = this.request;
    if (budget === undefined || this.session?.isFresh !== true) return;
    const isOver = (used: number | undefined, most: number | undefined): boolean => used !== undefined && most !== undefined && used > most;
    if (isOver(costUsd, budget.costUsd)) this.endTurn(new AcpFailure('budget', `the agent used more than ${budget.costUsd} US dollars`));
    if (isOver(tokensSeen, budget.tokens)) this.endTurn(new AcpFailure('budget', `the agent used more than ${budget.tokens} tokens`));
  }

  private checkUnrequested(call: AcpToolCall): void {
    const violation = violationOf(call, grantOf(this.request));
    if (violation === undefined) return;
    const { tool, action, why } = violation;
    this.endTurn(
      new AcpFailure(
        'refused',
        `the agent used "${tool}" (${action}) without asking, and ${why}; change the agent's own settings so that it asks`,
      ),
    );
  }

  private endTurn(why: AcpFailure): void {
    if (this.ending !== undefined) return;
    this.ending = why;
    this.cancel();
  }

  private reply(method: string, params: Json): JsonObject | undefined {
    if (method !== 'session/request_permission') return undefined;
    const call = valueAt(params, 'toolCall') ?? null;
    if (this.current === undefined || this.request.signal.aborted) return { outcome: { outcome: 'cancelled' } };
    const { reply, refusal } = permissionFor(this.current.onPermissionRequest(call), valueAt(params, 'options'), grantOf(this.request));
    if (refusal !== undefined) {
      this.refusals.push(refusal);
      this.request.onEvent?.({ kind: 'refused', ...refusal } satisfies AgentEvent);
    }
    return reply;
  }

  // If the agent ignores the cancel, its program is ended.
  private cancel(): void {
    if (this.current === undefined || this.session === undefined) return this.stop.abort();
    this.connection?.notify('session/cancel', { sessionId: this.session.id });
    this.cancelTimer ??= setTimeout(() => this.stop.abort(), CANCEL_MS);
  }

  private answerFor(result: TurnResult): AgentAnswer {
    if (!(result instanceof AcpFailure)) return toAnswer(result, this.notes());
    const { failure, message } = result;
    const resumeAt = failure === 'quota' ? this.turns.at(-1)?.turn.resumeAt : undefined;
    return toAnswer({ failure, message, ...omitUndefined({ resumeAt }) }, this.notes());
  }

  private notes(): AnswerNotes {
    return omitUndefined({
      usage: this.usage(),
      session: this.session?.id,
      sessionLost: this.session?.isLost === true ? true : undefined,
      refusals: this.refusals.length === 0 ? undefined : this.refusals,
    });
  }

  // Some agents report the tokens of a turn, others those of the session. In the first turn of a new session both are equal.
  private usage(): AgentUsage | undefined {
    const last = this.turns.at(-1);
    if (this.session?.isFresh !== true || last === undefined) return undefined;
    const { costUsd } = last.turn;
    const input = this.turns.length === 1 ? inputTokens(last.usage) : undefined;
    const output = this.turns.length === 1 ? numberAt(last.usage, 'outputTokens') : undefined;
    if (costUsd === undefined && input === undefined && output === undefined) return undefined;
    return omitUndefined({ inputTokens: input, outputTokens: output, costUsd });
  }
}

function grantOf({ permissions, cwd }: AgentRequest): AcpGrant {
  return { permissions, cwd };
}

function inputTokens(usage: Json | undefined): number | undefined {
  const fresh = numberAt(usage, 'inputTokens');
  if (fresh === undefined) return undefined;
  return fresh + (numberAt(usage, 'cachedReadTokens') ?? 0) + (numberAt(usage, 'cachedWriteTokens') ?? 0);
}

/** Returns the method for resuming a session, if the agent supports one: preferably without replaying it. */
function resumeMethod(agent: Json): string | undefined {
  if (isJsonObject(valueAt(agent, 'agentCapabilities', 'sessionCapabilities', 'resume'))) return 'session/resume';
  return valueAt(agent, 'agentCapabilities', 'loadSession') === true ? 'session/load' : undefined;
}

/** The values that a config option of the agent offers, grouped or not. */
function offeredBy(options: Json | undefined): string[] {
  return listAt(options).flatMap((option) => textAt(option, 'value') ?? offeredBy(valueAt(option, 'options')));
}
