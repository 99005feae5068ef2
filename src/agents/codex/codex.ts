// Owns the driver `codex`: the Codex program in headless mode (`codex exec --json`). A second round, to correct an invalid
// answer, resumes the thread of the first.

import { omitUndefined } from '../../base/fields.ts';
import { type AnswerNotes, checkReply, failureOf, requestCorrection, sumUsage, toAnswer, withTimeLeft } from '../answer.ts';
import { type AgentAnswer, type AgentDriver, type AgentRequest, type AgentUsage, WORK_IN_PLACE } from '../driver.ts';
import { runProgram, UUID } from '../program.ts';
import { promptWithReply, withHandover } from '../reply.ts';
import { type CodexSettings, startArguments, unenforceablePermission } from './start.ts';
import { CodexTurn, resultOf, type TurnResult } from './turn.ts';

/** Options of the Codex driver. */
export interface CodexDriverOptions extends CodexSettings {
  /** The program and the arguments before ours. Default: `codex` on the PATH. */
  readonly program?: string | readonly string[];
  /** Environment variables for it, which override those of the request. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Codex {
  readonly options: CodexDriverOptions;
  /** The last known usage of each thread: Codex reports only a thread's total. */
  readonly totals: Map<string, AgentUsage>;
}

/** Creates a driver for the Codex program. */
export function createCodexDriver(options: CodexDriverOptions = {}): AgentDriver {
  const codex: Codex = { options, totals: new Map() };
  return { name: 'codex', fences: true, ask: (request) => ask(codex, request) };
}

async function ask(codex: Codex, request: AgentRequest): Promise<AgentAnswer> {
  const why = unenforceablePermission(request.permissions ?? WORK_IN_PLACE);
  if (why !== undefined) return failureOf({ failure: 'refused', message: why }, {});
  const startedMs = performance.now();
  const { session } = request;
  if (session === undefined) return await converse(codex, request);
  if (UUID.test(session.id)) {
    const result = await turn(codex, request, { session: session.id, prompt: promptWithReply(request) });
    if (result.thread !== undefined || !('failure' in result.end) || result.end.failure !== 'crash')
      return await repair(codex, withTimeLeft(request, startedMs), result);
  }
  const restarted = withHandover(withTimeLeft(request, startedMs), session.handover);
  return { ...(await converse(codex, restarted)), sessionLost: true };
}

async function converse(codex: Codex, request: AgentRequest): Promise<AgentAnswer> {
  const startedMs = performance.now();
  const result = await turn(codex, request, { session: undefined, prompt: promptWithReply(request) });
  return await repair(codex, withTimeLeft(request, startedMs), result);
}

async function repair(codex: Codex, request: AgentRequest, first: TurnResult): Promise<AgentAnswer> {
  const notes = notesOf([first]);
  if ('failure' in first.end) return toAnswer(first.end, notes);
  const reading = checkReply(first.end.text, request);
  const correction = first.thread === undefined ? undefined : requestCorrection(reading, request, notes.usage);
  if (typeof correction !== 'string') return toAnswer(correction ?? reading, notes);
  const second = await turn(codex, request, { session: first.thread, prompt: correction });
  return toAnswer('failure' in second.end ? second.end : checkReply(second.end.text, request), notesOf([first, second]));
}

async function turn(
  codex: Codex,
  request: AgentRequest,
  { session, prompt }: { readonly session: string | undefined; readonly prompt: string },
): Promise<TurnResult> {
  const { program = 'codex', env, inherits } = codex.options;
  const reader = new CodexTurn(request);
  const end = await runProgram({
    argv: [...(typeof program === 'string' ? [program] : program), ...startArguments(codex.options, request, session)],
    request,
    ...omitUndefined({ env, inherits }),
    stdin: prompt,
    onLine: (line, answered) => reader.onLine(line, answered),
  });
  return resultOf(reader, end, { isResumed: session !== undefined, totals: codex.totals });
}

function notesOf(turns: readonly TurnResult[]): AnswerNotes {
  const refusals = turns.flatMap((result) => result.refusals);
  const usage = sumUsage(turns.map((result) => result.usage));
  const session = turns.findLast(({ thread }) => thread !== undefined)?.thread;
  return { ...omitUndefined({ session, usage }), ...(refusals.length === 0 ? {} : { refusals }) };
}
