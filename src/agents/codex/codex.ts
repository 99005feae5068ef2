// Owns the driver `codex`: the Codex program without a terminal (`codex exec --json`). A second round, to mend an answer,
// goes on with the thread of the first.

import { type AgentAnswer, type AgentDriver, type AgentRequest, type AgentUsage, WORK_IN_PLACE } from '../driver.ts';
import { type AnswerNotes, answerOf, failureOf, judgeReply, withTimeLeft } from '../judgement.ts';
import { runProgram } from '../program.ts';
import { repairInstructions, replyInstructions } from '../reply.ts';
import { type CodexSettings, startArguments, unheldPermission } from './start.ts';
import { CodexTurn, ended, type Heard } from './turn.ts';

/** How Codex is reached. */
export interface CodexDriverOptions extends CodexSettings {
  /** The program and the arguments before ours; `codex` on the PATH without it. */
  readonly program?: string | readonly string[];
  /** Variables for it, over those of the request. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Codex {
  readonly options: CodexDriverOptions;
  /** What each thread had used when it was last heard: Codex tells the thread's total only. */
  readonly totals: Map<string, AgentUsage>;
}

const THREAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A driver for the Codex program. */
export function createCodexDriver(options: CodexDriverOptions = {}): AgentDriver {
  const codex: Codex = { options, totals: new Map() };
  return { name: 'codex', ask: (request) => ask(codex, request) };
}

async function ask(codex: Codex, request: AgentRequest): Promise<AgentAnswer> {
  const why = unheldPermission(request.permissions ?? WORK_IN_PLACE);
  if (why !== undefined) return failureOf({ failure: 'refused', message: why }, {});
  const startedMs = performance.now();
  const { session } = request;
  if (session === undefined) return await converse(codex, request);
  if (THREAD_ID.test(session.id)) {
    const heard = await turn(codex, request, { session: session.id, told: promptOf(request) });
    if (heard.thread !== undefined || !('failure' in heard.end) || heard.end.failure !== 'crash')
      return await mend(codex, withTimeLeft(request, startedMs), heard);
  }
  const afresh = { ...withTimeLeft(request, startedMs), prompt: `${session.handover}\n\n${request.prompt}` };
  return { ...(await converse(codex, afresh)), sessionLost: true };
}

function promptOf({ prompt, schema }: AgentRequest): string {
  return `${prompt}\n\n${replyInstructions(schema)}`;
}

async function converse(codex: Codex, request: AgentRequest): Promise<AgentAnswer> {
  const startedMs = performance.now();
  const heard = await turn(codex, request, { session: undefined, told: promptOf(request) });
  return await mend(codex, withTimeLeft(request, startedMs), heard);
}

async function mend(codex: Codex, request: AgentRequest, first: Heard): Promise<AgentAnswer> {
  if ('failure' in first.end) return failureOf(first.end, notesOf([first]));
  const reading = judgeReply(first.end.text, request);
  if (reading.kind !== 'invalid' || first.thread === undefined) return answerOf(reading, notesOf([first]));
  request.onEvent?.({ kind: 'notice', text: `the answer is sent back: ${reading.why}` });
  const second = await turn(codex, request, { session: first.thread, told: repairInstructions(reading.why) });
  const notes = notesOf([first, second]);
  return 'failure' in second.end ? failureOf(second.end, notes) : answerOf(judgeReply(second.end.text, request), notes);
}

async function turn(
  codex: Codex,
  request: AgentRequest,
  say: { readonly session: string | undefined; readonly told: string },
): Promise<Heard> {
  const { program = 'codex', env, inherits } = codex.options;
  const said = new CodexTurn(request);
  const end = await runProgram({
    argv: [...(typeof program === 'string' ? [program] : program), ...startArguments(codex.options, request, say.session)],
    request,
    ...(env === undefined ? {} : { env }),
    ...(inherits === undefined ? {} : { inherits }),
    talk: (stdin) => {
      stdin.write(say.told);
      stdin.end();
    },
    onLine: (line, answered) => said.hear(line, answered),
  });
  return ended(said, end, { isResumed: say.session !== undefined, totals: codex.totals });
}

function notesOf(turns: readonly Heard[]): AnswerNotes {
  const refusals = turns.flatMap((heard) => heard.refusals);
  const usage = turns.every((heard) => heard.usage !== undefined) ? sumOf(turns.map((heard) => heard.usage ?? {})) : undefined;
  const session = turns.findLast(({ thread }) => thread !== undefined)?.thread;
  return {
    ...(session === undefined ? {} : { session }),
    ...(usage === undefined ? {} : { usage }),
    ...(refusals.length === 0 ? {} : { refusals }),
  };
}

function sumOf(usages: readonly AgentUsage[]): AgentUsage {
  const total = (field: 'inputTokens' | 'outputTokens'): number => usages.reduce((sum, usage) => sum + (usage[field] ?? 0), 0);
  return { inputTokens: total('inputTokens'), outputTokens: total('outputTokens') };
}
