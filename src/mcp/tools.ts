// Owns the tools of the server: their names, their arguments, and that every failure is an answer with its code. Their
// descriptions are fixed and contain nothing of a workflow, so that no file of a project can put words into them.

import type { AttendedSession } from '../attended/session.ts';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { misfit } from '../definition/json-schema.ts';
import { offersText, replyText, runText, summaryLine } from './rendering.ts';
import type { ToolAnswer, ToolServer, ToolSpec } from './server.ts';

interface Tool extends ToolSpec {
  readonly call: (session: AttendedSession, args: JsonObject) => Promise<string>;
}

const TOKEN = { type: 'string', minLength: 1, maxLength: 200, description: 'The token of the step, from pawl_next.' };
const RUN = { type: 'string', minLength: 1, maxLength: 16, description: 'The id of a run, if there are several.' };
const OUTSIDE = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const START: Tool = {
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
  annotations: OUTSIDE,
  call: async (session, { workflow, params, idempotency_key: key }) =>
    runText(await session.start(workflow as string, (params ?? {}) as JsonObject, key as string | undefined)),
};

const WORK: readonly Tool[] = [
  {
    name: 'pawl_next',
    title: 'The step that is open',
    description: 'Returns the step that is open for you, with its instructions and its token, or says what the run waits for.',
    inputSchema: { type: 'object', properties: { run: RUN }, additionalProperties: false },
    annotations: { ...OUTSIDE, idempotentHint: true },
    call: async (session, { run }) => (await session.next(run as string | undefined)).map(runText).join('\n\n') || NOTHING,
  },
  {
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
      },
      required: ['token'],
      additionalProperties: false,
    },
    annotations: { ...OUTSIDE, idempotentHint: true },
    call: async (session, { token, result, failure }) => {
      if (result !== undefined && failure !== undefined) throw new EngineError('USAGE', 'give "result" or "failure", not both');
      const report =
        failure === undefined
          ? { kind: 'result' as const, result: result ?? null }
          : { kind: 'failure' as const, failure: failure as string };
      return replyText(await session.submit({ token: token as string, ...report }));
    },
  },
  {
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
      },
      required: ['token', 'questions'],
      additionalProperties: false,
    },
    annotations: OUTSIDE,
    call: async (session, { token, questions }) =>
      replyText(await session.submit({ kind: 'questions', token: token as string, questions: questions as Json })),
  },
  {
    name: 'pawl_status',
    title: 'The state of the runs',
    description: 'Returns the state of your runs and the workflows that can be started. Changes nothing.',
    inputSchema: { type: 'object', properties: { run: RUN }, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
    call: async (session, { run }) => (await session.status(run as string | undefined)).map(summaryLine).join('\n') || NOTHING,
  },
];

const NOTHING = 'There is no run here yet.';
const INSTRUCTIONS =
  'Pawl hands out the steps of a workflow one at a time. Do the step that is open, report it with its token, and do what the answer says. Only what the engine could verify counts as done. Approvals are for people: when the run waits for one, say so and stop.';

/** The server of a session. `mayStart`: whether it starts runs, or serves only those it was given. */
export function serverOf(
  session: AttendedSession,
  { version, mayStart }: { readonly version: string; readonly mayStart: boolean },
): ToolServer {
  const tools = mayStart ? [START, ...WORK] : WORK;
  return {
    name: 'pawl',
    version,
    instructions: INSTRUCTIONS,
    tools: tools.map(({ call: _, ...spec }) => spec),
    call: async (name, args) => {
      const tool = tools.find((one) => one.name === name) as Tool;
      const fault = misfit(tool.inputSchema, args, 'the arguments');
      if (fault !== undefined) return failed('USAGE', fault);
      try {
        const text = await tool.call(session, args);
        return { text: mayStart && name === 'pawl_status' ? `${text}\n\n${offersText(await session.offers())}` : text, isError: false };
      } catch (thrown) {
        // A bug of ours is reported like any failure: the agent can continue with what it has.
        return failed(isEngineError(thrown) ? thrown.code : 'INTERNAL', messageOf(thrown));
      }
    },
  };
}

function failed(code: string, message: string): ToolAnswer {
  return { text: `${message} [${code}]`, isError: true };
}
