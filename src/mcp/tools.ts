// Owns the tools of the server: their names, their arguments, and the results, in which a failure has an error code.
// Their descriptions are constants: they contain no text of a workflow, so that no file of a project can inject text there.
//
// - Without progress notifications a call returns within a minute, since clients give up then. With them, a call waits as
//   long as the engine works, up to half an hour, and reports its activity.

import type { DriveLimits } from '../attended/drive.ts';
import type { AttendedSession, SessionRuns } from '../attended/session.ts';
import { onlyOwnStep, type Submission } from '../attended/submission.ts';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { invariant } from '../base/invariant.ts';
import type { JsonObject } from '../base/json.ts';
import { type FromSchema, matchesSchema, schemaMismatch } from '../definition/param/json-schema.ts';
import { SEVERITIES } from '../definition/review/review.ts';
import { type FormRight, formsFor, recordAnswers } from './elicitation.ts';
import { offersText, othersText, ownStepText, replyText, runText, summaryLine } from './rendering.ts';
import type { CallContext, ResourceServer, ToolAnswer, ToolServer, ToolSpec } from './server.ts';

/** A tool. `parse` throws USAGE if the arguments do not match its schema, and returns the call otherwise. */
interface Tool extends ToolSpec {
  readonly parse: (args: JsonObject) => (caller: Caller) => Promise<string>;
}

interface TypedTool<Schema extends JsonObject> extends ToolSpec {
  readonly inputSchema: Schema;
  readonly call: (caller: Caller, args: FromSchema<Schema>) => Promise<string>;
}

function tool<const Schema extends JsonObject>({ call, ...spec }: TypedTool<Schema>): Tool {
  const { inputSchema } = spec;
  return {
    ...spec,
    parse: (args) => {
      if (!matchesSchema(inputSchema, args)) throw new EngineError('USAGE', schemaMismatch(inputSchema, args, 'the arguments') ?? '');
      return (caller) => call(caller, args);
    },
  };
}

/** The session of a call, how long the call waits, and the tokens of the steps whose instructions this connection has sent. */
interface Caller {
  readonly session: AttendedSession;
  readonly limits: DriveLimits;
  readonly seen: Set<string>;
}

const TOKEN = { type: 'string', minLength: 1, maxLength: 200, description: 'The token of the step, from pawl_next.' } as const;
const RUN = { type: 'string', minLength: 1, maxLength: 16, description: 'The id of a run, if there are several.' } as const;
const ONLY = {
  type: 'boolean',
  description:
    'For a sub-agent that does this one step: the answer has the verdict, and this step again if it is not done, but no other step.',
} as const;
const WRITE_HINTS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const START = tool({
  name: 'pawl_start',
  title: 'Start a workflow',
  description:
    'Starts a run of a trusted workflow of this project and returns its first step. You do the steps that are open for you; the engine does the others and verifies yours. pawl_status lists the workflows.',
  inputSchema: {
    type: 'object',
    properties: {
      workflow: { type: 'string', minLength: 1, maxLength: 200, description: 'The name of the workflow.' },
      params: { type: 'object', description: 'Its parameters.' },
      idempotency_key: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'Any text. Starting again with the same key returns the run that was started first.',
      },
    },
    required: ['workflow'],
    additionalProperties: false,
  },
  annotations: WRITE_HINTS,
  call: async ({ session, limits, seen }, { workflow, params, idempotency_key: key }) =>
    runText(await session.start({ workflow, params: params ?? {}, key }, limits), { seen }),
});

const NEXT = tool({
  name: 'pawl_next',
  title: 'Get the open step',
  description:
    'Returns the step that is open for you, with its instructions and its token, or says what the run waits for. In a new session it continues the open run of this project; if there are several, it lists them, and "run" selects one. A sub-agent that was given a token gets exactly its step with "token".',
  inputSchema: {
    type: 'object',
    properties: {
      run: RUN,
      token: { ...TOKEN, description: 'Only the step with this token.' },
      step: { type: 'string', minLength: 1, maxLength: 300, description: 'Only the open steps with this name.' },
      item: { type: 'string', minLength: 1, maxLength: 300, description: 'Only this item of a fan-out.' },
      page: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Which page of the open steps, if there are many.' },
    },
    additionalProperties: false,
  },
  annotations: { ...WRITE_HINTS, idempotentHint: true },
  call: async ({ session, limits, seen }, { run, token, step, item, page }) => {
    const { runs, others } = await session.next({ run, token, step, item }, limits);
    return [...runs.map((open) => runText(open, { seen, ...omitUndefined({ page }) })), ...othersText(others)].join('\n\n') || NOTHING;
  },
});

const WORK: readonly Tool[] = [
  NEXT,
  tool({
    name: 'pawl_report',
    title: 'Report a step',
    description:
      'Reports that a step is done, with its result, or that it cannot be done, with the reason. The engine verifies it and returns the next step, or what is missing. The same report again gets the same answer.',
    inputSchema: {
      type: 'object',
      properties: {
        token: TOKEN,
        result: { description: 'The result that the step asks for: any JSON.' },
        failure: { type: 'string', minLength: 1, maxLength: 20_000, description: 'Why it cannot be done, instead of a result.' },
        only: ONLY,
      },
      required: ['token'],
      additionalProperties: false,
    },
    annotations: { ...WRITE_HINTS, idempotentHint: true },
    call: async ({ session, limits, seen }, { token, result, failure, only = false }) => {
      if (result !== undefined && failure !== undefined) throw new EngineError('USAGE', 'give "result" or "failure", not both');
      const submission: Submission =
        failure === undefined ? { token, kind: 'result', result: result ?? null } : { token, kind: 'failure', failure };
      const reply = await session.submit(submission, { ...limits, only });
      return only ? ownStepText(onlyOwnStep(reply)) : replyText(reply, seen);
    },
  }),
  tool({
    name: 'pawl_ask',
    title: 'Ask the person',
    description:
      'Asks the person you work for, when only they know the answer. The attempt ends here; the step is opened again with the answers.',
    inputSchema: {
      type: 'object',
      properties: {
        token: TOKEN,
        questions: {
          type: 'array',
          minItems: 1,
          maxItems: 3,
          items: {
            type: 'object',
            properties: {
              header: { type: 'string', description: 'A word or two.' },
              question: { type: 'string' },
              options: { type: 'array', minItems: 2, maxItems: 3, items: { type: ['string', 'object'] } },
              multiSelect: { type: 'boolean' },
            },
            required: ['question', 'options'],
          },
        },
        only: ONLY,
      },
      required: ['token', 'questions'],
      additionalProperties: false,
    },
    annotations: WRITE_HINTS,
    call: async ({ session, limits, seen }, { token, questions, only = false }) => {
      const reply = await session.submit({ kind: 'questions', token, questions }, limits);
      return only ? ownStepText(onlyOwnStep(reply)) : replyText(reply, seen);
    },
  }),
  tool({
    name: 'pawl_assume',
    title: 'Record an assumption',
    description:
      'Records what you assume instead of asking the person, and the step continues. They answer later; if the answer differs, the step runs again. Nothing is merged while a MUST is open.',
    inputSchema: {
      type: 'object',
      properties: {
        token: TOKEN,
        question: { type: 'string', minLength: 1, maxLength: 500 },
        assumed: { type: 'string', minLength: 1, maxLength: 500, description: 'What you assume.' },
        severity: { enum: [...SEVERITIES], description: 'MUST: a wrong guess does harm.' },
        options: { type: 'array', maxItems: 6, items: { type: 'string' }, description: 'Other possible answers.' },
      },
      required: ['token', 'question', 'assumed', 'severity'],
      additionalProperties: false,
    },
    annotations: { ...WRITE_HINTS, idempotentHint: true },
    call: async ({ session, limits, seen }, { token, ...assumption }) =>
      replyText(await session.submit({ kind: 'assumptions', token, assumptions: [assumption] }, limits), seen),
  }),
  tool({
    name: 'pawl_status',
    title: 'Show the state of the runs',
    description:
      'Returns the state of your runs, the other open runs of this project that you could continue, and the workflows that can be started, with their parameters. Changes nothing.',
    inputSchema: { type: 'object', properties: { run: RUN }, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
    call: async ({ session }, { run }) => statusText(await session.status(run)),
  }),
];

function statusText({ runs, others }: SessionRuns): string {
  return [...runs.map(summaryLine), ...othersText(others)].join('\n') || NOTHING;
}

const NOTHING = 'This session has no run yet.';
const INSTRUCTIONS =
  'Pawl hands out the steps of a workflow one at a time. Do the step that is open, report it with its token, and do what the answer says. Only what the engine could verify counts as done. If you do not know what you were doing, call pawl_next. Approvals are for people: when the run waits for one, say so and stop.';

/** How long a call with progress notifications waits, and how often it sends one. */
const LONG_MS = 30 * 60_000;
const PROGRESS_MS = 5000;

/** The options of a server. */
export interface ServerOptions {
  readonly version: string;
  /** Whether it starts runs, or serves only those it was given. */
  readonly mayStart: boolean;
  readonly resources?: ResourceServer;
  /** Set if answers from a form of the client count. */
  readonly forms?: FormRight;
  readonly progressMs?: number;
}

/** The server of a session. */
export function serverOf(session: AttendedSession, options: ServerOptions): ToolServer {
  const { version, mayStart, resources } = options;
  const tools = mayStart ? [START, ...WORK] : WORK;
  const seen = new Set<string>();
  return {
    name: 'pawl',
    version,
    instructions: INSTRUCTIONS,
    tools: tools.map(({ parse: _, ...spec }) => spec),
    ...omitUndefined({ resources }),
    call: async (name, args, context) => {
      const caller = { session, seen, limits: limitsOf(context) };
      const stop = reportProgress(session, context, options.progressMs ?? PROGRESS_MS);
      try {
        const called = tools.find((known) => known.name === name);
        invariant(called !== undefined, 'only a listed tool is called', name);
        const text = await answerOf(called, { args, caller, context, forms: options.forms });
        if (typeof text !== 'string') return text;
        return { text: mayStart && name === 'pawl_status' ? `${text}\n\n${offersText(await session.offers())}` : text, isError: false };
      } catch (thrown) {
        // A bug in Pawl is reported like any failure, so that the agent can continue.
        return failed(isEngineError(thrown) ? thrown.code : 'INTERNAL', messageOf(thrown));
      } finally {
        stop();
      }
    },
  };
}

interface ToolCall {
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly context: CallContext;
  readonly forms: FormRight | undefined;
}

/** The reply of a tool, or the questions of an agent that the client must show to its user first. */
async function answerOf({ parse, annotations }: Tool, { args, caller, context, forms }: ToolCall): Promise<string | ToolAnswer> {
  const { client, inputs } = context;
  const call = parse(args);
  if (forms === undefined || annotations.readOnlyHint === true) return call(caller);
  // The client has shown the forms: the submission is already recorded, and the answers continue the run.
  if (inputs !== undefined) {
    const isAnswered = await recordAnswers(caller.session, inputs, forms.actorFor(client));
    const next = await NEXT.parse({})(caller);
    return isAnswered ? next : `The person left the questions for later.\n\n${next}`;
  }
  const text = await call(caller);
  const inputRequests = args.only === true ? undefined : await formsFor(caller.session, client);
  return inputRequests === undefined ? text : { inputRequests };
}

function limitsOf({ progress, signal }: CallContext): DriveLimits {
  return progress === undefined ? { signal } : { signal, idleMs: LONG_MS };
}

/** Reports the engine's activity at intervals, until it is stopped. */
function reportProgress(session: AttendedSession, { progress }: CallContext, everyMs: number): () => void {
  if (progress === undefined) return () => undefined;
  let isStopped = false;
  const report = async (): Promise<void> => {
    const lines = await session.activity(Date.now());
    if (!isStopped) progress(lines.join('; ') || 'working');
  };
  // A failed read is retried at the next interval; the call itself reports a lasting failure.
  const timer = setInterval(() => report().catch(() => undefined), everyMs);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

function failed(code: string, message: string): ToolAnswer {
  return { text: `${message} [${code}]`, isError: true };
}
