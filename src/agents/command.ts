// Owns the driver `command`: any program that reads a prompt from its standard input and prints a reply at the end of
// its output. It has no session; to correct an invalid answer it is run once more, with the answer and the reason.
//
// - If no schema requires JSON, plain text is also a reply: success, with the text as its output.

import { omitUndefined } from '../base/fields.ts';
import { type AttemptFailure, checkReply, crashFailure, requestCorrection, toAnswer, withTimeLeft } from './answer.ts';
import type { AgentAnswer, AgentDriver, AgentRequest } from './driver.ts';
import { runProgram } from './program.ts';
import { promptWithReply, type ReplyReading, readReply, readReplyOrText } from './reply.ts';

/** Options of the command driver. */
export interface CommandDriverOptions {
  /** The program and its arguments, passed on unchanged. */
  readonly argv: readonly string[];
  /** Environment variables for it, which override those of the request. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of our environment variables that it needs beyond the usual ones. */
  readonly inherits?: readonly string[];
}

type ProgramOutput = { readonly text: string } | AttemptFailure;

const TEXT_MAX = 8 << 20;
/** Matches the beginning of a reply or of questions, with or without a code fence. */
const MAY_BEGIN = /^(?:\{|<needs_user_input>)/;
/** Longer than the closing brace, fence or tag at the end of a reply. */
const CLOSING_MAX = 64;
/** Matches the end of a reply or of questions, with or without a code fence. */
const MAY_END = /(\}|```|<\/needs_user_input>)\s*$/;
/** How many characters are parsed to find a reply before the program ends; after that, the search waits for the end. */
const EARLY_MAX = 4 * TEXT_MAX;

/** Creates a driver that runs a program once for each prompt. */
export function createCommandDriver(options: CommandDriverOptions): AgentDriver {
  return { name: 'command', fences: true, ask: (request) => ask(options, request) };
}

async function ask(options: CommandDriverOptions, request: AgentRequest): Promise<AgentAnswer> {
  const startedMs = performance.now();
  const prompt = `${promptWithReply(request)}\n`;
  const first = await run(options, request, prompt);
  if ('failure' in first) return toAnswer(first, {});
  const reading = readOutput(first.text, request);
  const correction = requestCorrection(reading, request);
  if (typeof correction !== 'string') return toAnswer(correction ?? reading, {});
  const repair = `${prompt}\nThis was your previous answer:\n${first.text}\n\n${correction}\n`;
  const second = await run(options, withTimeLeft(request, startedMs), repair);
  return toAnswer('failure' in second ? second : readOutput(second.text, request), {});
}

/** Reads the reply, or plain text as the output of a success, and applies the check of the step. */
function readOutput(text: string, request: AgentRequest): ReplyReading {
  const allowsText = request.schema === undefined || request.schema.type === 'string';
  return checkReply(text, request, allowsText ? readReplyOrText : readReply);
}

async function run(options: CommandDriverOptions, request: AgentRequest, stdin: string): Promise<ProgramOutput> {
  const lines: string[] = [];
  let length = 0;
  // The text that may be the reply. Parsing all output after each line would take quadratic time.
  let tail: string | undefined;
  let earlyLeft = EARLY_MAX;
  const { argv, env, inherits } = options;
  const end = await runProgram({
    argv,
    request,
    env: {
      ...env,
      PAWL_RUN: request.runId,
      PAWL_STEP: request.step,
      PAWL_ATTEMPT: String(request.attempt),
      PAWL_KEY: request.idempotencyKey,
    },
    ...omitUndefined({ inherits }),
    stdin,
    onLine: (line, answered) => {
      request.onEvent?.({ kind: 'text', text: `${line}\n` });
      if (length > TEXT_MAX) return;
      length += line.length + 1;
      lines.push(line);
      tail = MAY_BEGIN.test(line) ? line : tail === undefined ? undefined : `${tail}\n${line}`;
      if (tail === undefined || earlyLeft < 0 || !MAY_END.test(line.slice(-CLOSING_MAX))) return;
      earlyLeft -= tail.length;
      if (readReply(tail).kind !== 'invalid') answered();
    },
  });
  if (end.kind === 'failed') return end.answer;
  if (end.kind === 'exited' && end.exitCode !== 0) return crashFailure(`the program "${argv[0]}"`, end);
  if (length > TEXT_MAX) return { failure: 'invalid-output', message: `the program "${argv[0]}" printed more than ${TEXT_MAX} characters` };
  return { text: lines.join('\n') };
}
