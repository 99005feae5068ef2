// Owns the driver `claude-code`: the Claude Code program in headless mode, over its JSON stream. The user's settings
// apply, but not those of the workspace: files that the agent can edit must not change its permissions.

import { omitUndefined } from '../../base/fields.ts';
import { crashFailure, failureOf, withTimeLeft } from '../answer.ts';
import type { AgentAnswer, AgentDriver, AgentRequest } from '../driver.ts';
import { runProgram, UUID } from '../program.ts';
import { promptWithReply, withHandover } from '../reply.ts';
import { ClaudeCodeConversation } from './conversation.ts';
import { type ClaudeCodeSettings, startArguments } from './start.ts';

/** Options of the Claude Code driver. */
export interface ClaudeCodeDriverOptions extends ClaudeCodeSettings {
  /** The program and the arguments before ours. Default: `claude` on the PATH. */
  readonly program?: string | readonly string[];
  /** Environment variables for it, which override those of the request. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of our environment variables that it needs beyond the usual ones, such as `ANTHROPIC_API_KEY`. */
  readonly inherits?: readonly string[];
}

// A program that updates itself during a run would be another one at the next step.
const ENVIRONMENT = { DISABLE_AUTOUPDATER: '1' };

/** Creates a driver for the Claude Code program. */
export function createClaudeCodeDriver(options: ClaudeCodeDriverOptions = {}): AgentDriver {
  return { name: 'claude-code', fences: true, ask: (request) => ask(options, request) };
}

async function ask(options: ClaudeCodeDriverOptions, request: AgentRequest): Promise<AgentAnswer> {
  const { session, ...withoutSession } = request;
  if (session === undefined) return (await converse(options, request)).answer;
  const startedMs = performance.now();
  if (UUID.test(session.id)) {
    const { answer, hasBegun } = await converse(options, request);
    if (hasBegun || (answer.kind === 'failed' && answer.failure !== 'crash')) return answer;
  }
  const { answer } = await converse(options, withTimeLeft(withHandover(withoutSession, session.handover), startedMs));
  return { ...answer, sessionLost: true };
}

interface ConversationResult {
  readonly answer: AgentAnswer;
  readonly hasBegun: boolean;
}

async function converse(options: ClaudeCodeDriverOptions, request: AgentRequest): Promise<ConversationResult> {
  const { program = 'claude', env, inherits } = options;
  const stop = new AbortController();
  const conversation = new ClaudeCodeConversation(request, promptWithReply(request), () => stop.abort());
  const end = await runProgram({
    argv: [...(typeof program === 'string' ? [program] : program), ...startArguments(options, request)],
    request: { ...request, signal: AbortSignal.any([request.signal, stop.signal]) },
    env: { ...ENVIRONMENT, ...env },
    ...omitUndefined({ inherits }),
    onStart: (stdin) => conversation.begin(stdin),
    onLine: (line, answered) => conversation.onLine(line, answered),
  });
  const { hasBegun } = conversation;
  const answer = conversation.answer();
  if (answer !== undefined) return { answer, hasBegun };
  if (end.kind === 'failed') return { answer: { ...end.answer, ...conversation.notes() }, hasBegun };
  const crash =
    end.kind === 'exited' ? crashFailure('Claude Code', end) : { failure: 'crash' as const, message: 'Claude Code returned no answer' };
  return { answer: failureOf(crash, conversation.notes()), hasBegun };
}
