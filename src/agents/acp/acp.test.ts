import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleProgram } from '../../../test/bundled-program.ts';
import type { ScriptedPlan, ScriptedTurn } from '../../../test/programs/acp-scripted.ts';
import { standInHarness } from '../../../test/programs/stand-in-harness.ts';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { Json } from '../../base/json.ts';
import { createAgentRequest, describeDriver } from '../../proof/driver-suite.ts';
import type { AgentAnswer, AgentDriver, AgentEvent, AgentFailure, AgentRequest } from '../driver.ts';
import { type AcpOptions, createAcpDriver } from './acp.ts';

describeDriver(
  'acp',
  standInHarness('acp', ['repair', 'sessions', 'permissions', 'program'], (call) => createAcpDriver(call)),
);

const { file: PROGRAM, remove } = await bundleProgram('programs/acp-scripted.ts');
afterAll(remove);
const cwd = tempFolder();

function scripted(plan: ScriptedPlan, options: Partial<AcpOptions> = {}): AgentDriver {
  return createAcpDriver({ argv: [process.execPath, PROGRAM, JSON.stringify(plan)], ...options });
}

interface AskResult {
  readonly answer: AgentAnswer;
  readonly events: readonly AgentEvent[];
}

async function ask(plan: ScriptedPlan, fields: Partial<AgentRequest> = {}, options: Partial<AcpOptions> = {}): Promise<AskResult> {
  const events: AgentEvent[] = [];
  const answer = await scripted(plan, options).ask(createAgentRequest({ cwd, onEvent: (event) => events.push(event), ...fields }));
  return { answer, events };
}

const REPORT: ScriptedTurn = { reports: true };
const reported = ({ answer }: AskResult): Json => (answer.kind === 'answered' ? answer.output : (answer as unknown as Json));
const GOOD = '{"success": true, "output": "good"}';

describe('sessions', () => {
  const session = { id: 'old-session', handover: 'Before, the plan was made.' };

  test('a session is new if none was requested, and is returned', async () => {
    const asked = await ask({ turns: [REPORT] });
    expect(asked.answer).toMatchObject({ kind: 'answered', session: 'fresh-session' });
    expect(asked.answer).not.toHaveProperty('sessionLost');
    expect(reported(asked)).toContainEqual({ new: cwd });
  });

  test('a session is resumed without a replay if the agent supports it', async () => {
    const asked = await ask({ capabilities: { loadSession: true, sessionCapabilities: { resume: {} } }, turns: [REPORT] }, { session });
    expect(asked.answer).toMatchObject({ session: 'old-session' });
    expect(reported(asked)).toContainEqual({ resume: 'old-session' });
  });

  test('a session is loaded, and its earlier messages are not the answer', async () => {
    const asked = await ask({ capabilities: { loadSession: true }, turns: [REPORT] }, { session });
    expect(asked.answer).toMatchObject({ kind: 'answered', session: 'old-session' });
    expect(reported(asked)).toContainEqual({ load: 'old-session' });
    expect(asked.events.filter(({ kind }) => kind === 'text')).toHaveLength(1);
  });

  test.each<[string, Partial<ScriptedPlan>]>([
    ['the agent has forgotten it', { capabilities: { loadSession: true }, isForgetful: true }],
    ['the agent keeps none', {}],
  ])('a session that no longer exists is replaced by a new one with the handover: %s', async (_why, plan) => {
    const asked = await ask({ ...plan, turns: [REPORT] }, { session, prompt: '# Go on' });
    expect(asked.answer).toMatchObject({ kind: 'answered', session: 'fresh-session', sessionLost: true });
    expect(reported(asked)).toContainEqual({
      prompt: [expect.stringMatching(new RegExp(`^${session.handover}\n\n# Go on\n\n## How to answer\n`))],
    });
  });
});

describe('permission requests', () => {
  const options = (['allow_always', 'allow_once', 'reject_always', 'reject_once'] as const).map((kind) => ({
    kind,
    optionId: `id-${kind}`,
    name: kind,
  }));
  const turns = (toolCall: { readonly kind?: 'edit' | 'fetch' | 'switch_mode'; readonly rawInput?: unknown; readonly name?: string }) => [
    { permission: { toolCall: { toolCallId: 't1', title: 'Do it', ...toolCall }, options }, reports: true },
  ];
  const chosen = (asked: AskResult): Json | undefined =>
    (reported(asked) as Json[]).find((entry) => JSON.stringify(entry).includes('permission'));

  test('a request for permission is granted once for a kind of action that the role permits', async () => {
    const asked = await ask({ turns: turns({ kind: 'edit' }) });
    expect(chosen(asked)).toEqual({ permission: { outcome: 'selected', optionId: 'id-allow_once' } });
    expect(asked.answer).not.toHaveProperty('refusals');
  });

  test.each<[string, Parameters<typeof turns>[0], AgentRequest['permissions']]>([
    ['a kind that is not permitted by default', { kind: 'fetch' }, undefined],
    ['a kind that the role does not permit', { kind: 'edit' }, { allow: ['read'] }],
    ['an unknown kind', { kind: 'switch_mode' }, undefined],
    ['no kind at all', {}, undefined],
    ['a tool that the role forbids', { kind: 'edit', name: 'Write' }, { allow: ['edit'], deny: ['Write'] }],
  ])('a request for permission is denied and recorded once: %s', async (_what, call, permissions) => {
    const asked = await ask({ turns: turns(call) }, permissions === undefined ? {} : { permissions });
    expect(chosen(asked)).toEqual({ permission: { outcome: 'selected', optionId: 'id-reject_once' } });
    const refusal = { tool: call.name ?? 'Do it', why: expect.stringMatching(/does not permit|permissions/) };
    expect(asked.answer).toMatchObject({ kind: 'answered', refusals: [refusal] });
    expect(asked.events.slice(0, 2)).toEqual([
      { kind: 'tool', id: 't1', name: call.name ?? 'Do it', input: null },
      { kind: 'refused', action: expect.any(String), ...refusal },
    ]);
  });

  test.each(['Do it', 'Bash', 'Bash(npm test)'])(
    'a request for permission is granted for a tool that the role permits, whatever its kind: %s',
    async (tool) => {
      const call = { kind: 'fetch', name: 'Bash', rawInput: { command: 'npm test' } } as const;
      const asked = await ask({ turns: turns(call) }, { permissions: { allow: [], tools: [tool] } });
      expect(chosen(asked)).toEqual({ permission: { outcome: 'selected', optionId: 'id-allow_once' } });
    },
  );

  test('a request for permission uses the kind of a call that was sent earlier', async () => {
    const announced = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Fetch it', kind: 'fetch' } as const;
    const [turn] = turns({});
    const asked = await ask({ turns: [{ ...turn, updates: [announced] }] });
    expect(asked.answer).toMatchObject({ refusals: [{ action: 'fetch' }] });
  });

  test('a request for permission to change a file outside the workspace is denied, although the role may change files', async () => {
    const [turn] = turns({ kind: 'edit' });
    const at = (path: string): ScriptedTurn => ({
      ...turn,
      permission: { toolCall: { toolCallId: 't1', kind: 'edit', title: 'Do it', locations: [{ path }] }, options },
    });
    const outside = await ask({ turns: [at(join(cwd, '../stray.txt'))] });
    expect(outside.answer).toMatchObject({ refusals: [{ action: 'edit', why: expect.stringContaining('outside the workspace') }] });
    expect((await ask({ turns: [at(join(cwd, 'plan.md'))] })).answer).not.toHaveProperty('refusals');
  });

  test('a request for permission that only offers "always" is denied', async () => {
    const always = options.filter(({ kind }) => kind.endsWith('always'));
    const toolCall = { toolCallId: 't1', title: 'Do it', kind: 'edit' } as const;
    const asked = await ask({ turns: [{ permission: { toolCall, options: always }, reports: true }] });
    expect(chosen(asked)).toEqual({ permission: { outcome: 'cancelled' } });
    expect(asked.answer).toMatchObject({ refusals: [{ action: 'edit' }] });
  });
});

describe('unrequested tool calls', () => {
  const done = (kind: 'edit' | 'fetch' | 'read' | 'other', path = 'plan.md'): ScriptedTurn => ({
    updates: [
      { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Do it', kind, locations: [{ path: join(cwd, path) }] },
      { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', kind: null, locations: null },
    ],
    text: GOOD,
  });

  test.each<[string, ScriptedTurn]>([
    ['the network', done('fetch')],
    ['a file outside the workspace', done('edit', '../stray.txt')],
  ])('a tool call without a permission request fails the attempt if the role forbids it: %s', async (_what, turn) => {
    const { answer } = await ask({ turns: [turn] });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'refused', message: expect.stringContaining('without asking') });
  });

  test.each([done('edit'), done('read', '../other.txt'), done('other')])(
    'a tool call without a permission request is accepted if the role permits it or it has no effect',
    async (turn) => {
      expect((await ask({ turns: [turn] })).answer).toMatchObject({ kind: 'answered', output: 'good' });
    },
  );
});

describe('answers', () => {
  test('an answer is the last message, and earlier ones are reported as they happen', async () => {
    const chunk = (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string) =>
      ({ sessionUpdate, content: { type: 'text', text } }) as const;
    const { answer, events } = await ask({
      banner: 'A new release is there!',
      turns: [
        {
          updates: [
            chunk('agent_thought_chunk', 'Let me '),
            chunk('agent_thought_chunk', 'see.'),
            chunk('agent_message_chunk', '{"success": true, "output": "too early"}'),
            { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Read plan.md', kind: 'read', rawInput: {} },
            { sessionUpdate: 'tool_call_update', toolCallId: 't1', rawInput: { path: 'plan.md' } },
            {
              sessionUpdate: 'tool_call_update',
              toolCallId: 't1',
              status: 'completed',
              content: [{ type: 'content', content: { type: 'text', text: '# Plan' } }],
            },
          ],
          text: GOOD,
        },
      ],
    });
    expect(answer).toMatchObject({ kind: 'answered', output: 'good' });
    expect(events).toEqual([
      { kind: 'thought', text: 'Let me see.' },
      { kind: 'text', text: '{"success": true, "output": "too early"}' },
      { kind: 'tool', id: 't1', name: 'Read plan.md', input: { path: 'plan.md' } },
      { kind: 'tool-result', id: 't1', ok: true, text: '# Plan' },
      { kind: 'text', text: GOOD },
    ]);
  });

  test('an answer is the last message if messages have ids', async () => {
    const chunk = (messageId: string, text: string) =>
      ({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } }) as const;
    const updates = [chunk('a', '{"success": true, '), chunk('a', '"output": "too early"}\n'), chunk('b', GOOD)];
    const { answer, events } = await ask({ turns: [{ updates }] });
    expect(answer).toMatchObject({ kind: 'answered', output: 'good' });
    expect(events).toHaveLength(2);
  });

  test('an answer that is invalid can be corrected once, in the same session', async () => {
    const check: AgentRequest['check'] = ({ output }) => (output === 'bad' ? 'the output is bad' : undefined);
    const asked = await ask({ turns: [{ text: '{"success": true, "output": "bad"}' }, REPORT] }, { check });
    const prompts = (reported(asked) as { prompt?: string[] }[]).flatMap(({ prompt }) => (prompt === undefined ? [] : [prompt]));
    expect(prompts).toEqual([[expect.stringMatching(/^# Work\n\n.*JSON object/s)], [expect.stringContaining('the output is bad')]]);
    const { answer } = await ask({ turns: [{ text: '{"success": true, "output": "bad"}' }] }, { check });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'invalid-output', message: expect.stringContaining('the output is bad') });
  });

  test('an answer may consist of questions', async () => {
    const question = { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] };
    const { answer } = await ask({ turns: [{ text: `<needs_user_input>${JSON.stringify([question])}</needs_user_input>` }] });
    expect(answer).toMatchObject({ kind: 'asks', questions: [question] });
  });

  test('an answer contains only the usage that the agent reported', async () => {
    const usage = { totalTokens: 36, inputTokens: 10, cachedReadTokens: 5, outputTokens: 21 };
    const cost = { sessionUpdate: 'usage_update', used: 15, size: 100, cost: { amount: 0.25, currency: 'USD' } } as const;
    const current = await ask({ turns: [{ updates: [cost], text: GOOD, usage }] });
    expect(current.answer.usage).toEqual({ inputTokens: 15, outputTokens: 21, costUsd: 0.25 });
    expect((await ask({ turns: [{ text: GOOD }] })).answer).not.toHaveProperty('usage');
    const session = { id: 'old-session', handover: '' };
    const old = await ask({ capabilities: { loadSession: true }, turns: [{ updates: [cost], text: GOOD, usage }] }, { session });
    expect(old.answer).not.toHaveProperty('usage');
  });
});

describe('failures', () => {
  test.each<[string, ScriptedPlan, [AgentFailure, string]]>([
    ['another version of the protocol', { version: 2, turns: [] }, ['crash', 'version 2']],
    ['a missing login', { needsLogin: true, turns: [] }, ['auth', 'login']],
    ['a refusal', { turns: [{ stop: 'refusal' }] }, ['refused', 'refused']],
    ['no tokens left', { turns: [{ text: GOOD, stop: 'max_tokens' }] }, ['budget', 'token limit']],
    ['no requests left', { turns: [{ text: GOOD, stop: 'max_turn_requests' }] }, ['budget', 'request limit']],
    ['a turn cancelled by somebody else', { turns: [{ text: GOOD, stop: 'cancelled' }] }, ['crash', 'cancelled']],
    [
      'an internal error',
      { turns: [{ error: { code: -32_603, message: 'broken', data: { details: 'disk' } } }] },
      ['crash', 'broken: disk'],
    ],
    ['a quota', { turns: [{ error: { code: -32_603, message: 'limit', data: { errorKind: 'rate_limit' } } }] }, ['quota', 'limit']],
    ['an invalid login', { turns: [{ error: { code: -32_603, message: 'unexpected status 401 Unauthorized' } }] }, ['auth', '401']],
    ['an exit', { turns: [{ exits: 3 }] }, ['crash', 'exit code 3']],
  ])('a failure is classified: %s', async (_what, plan, [failure, message]) => {
    const { answer } = await ask(plan);
    expect(answer).toMatchObject({ kind: 'failed', failure, message: expect.stringContaining(message) });
  });

  test('a quota failure has its reset time', async () => {
    const limited = {
      sessionUpdate: 'usage_update',
      used: 1,
      size: 9,
      _meta: { '_claude/rateLimit': { resetsAt: 1_900_000_000 } },
    } as const;
    const error = { code: -32_603, message: 'limit', data: { errorKind: 'rate_limit' } };
    const { answer } = await ask({ turns: [{ updates: [limited], error }] });
    expect(answer).toMatchObject({ failure: 'quota', resumeAt: 1_900_000_000_000 });
  });

  test.each<[string, AgentRequest['budget'] & {}, ScriptedTurn]>([
    ['money', { costUsd: 0.2 }, { untilCancelled: true, stop: 'cancelled' }],
    ['tokens', { tokens: 10 }, { untilCancelled: true, stop: 'cancelled' }],
    ['money, by an agent that ignores the cancel,', { costUsd: 0.2 }, { hangs: true }],
  ])('more %s than the budget allows is a budget failure', async (_what, budget, turn) => {
    const update = { sessionUpdate: 'usage_update', used: 15, size: 100, cost: { amount: 0.25, currency: 'USD' } } as const;
    const { answer } = await ask({ turns: [{ updates: [update], ...turn }] }, { budget });
    expect(answer).toMatchObject({
      kind: 'failed',
      failure: 'budget',
      message: expect.stringContaining('more than'),
      usage: { costUsd: 0.25 },
    });
  });

  test('more tokens than the budget allows, summed over the calls of a turn, are a budget failure', async () => {
    const call = (id: string) => ({ type: 'assistant', message: { id, usage: { input_tokens: 150, output_tokens: 50 } } });
    const turn = { claude: [call('a'), call('a'), call('b')], untilCancelled: true, stop: 'cancelled' } as const;
    const { answer } = await ask({ turns: [turn] }, { budget: { tokens: 300 } });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'budget', message: 'the agent used more than 300 tokens' });
    const { answer: within } = await ask({ turns: [{ claude: [call('a'), call('a')], text: GOOD }] }, { budget: { tokens: 300 } });
    expect(within).toMatchObject({ kind: 'answered' });
  });

  test('a rejected login ends the turn at the second retry', async () => {
    const retry = (attempt: number) => ({ type: 'system', subtype: 'api_retry', error_status: 401, attempt });
    const { answer } = await ask({ turns: [{ claude: [retry(1), retry(2)], hangs: true }] });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'auth', message: expect.stringContaining('401') });
  });

  test('a stopped attempt cancels the turn before its program is ended', async () => {
    rmSync(join(cwd, 'cancelled'), { force: true });
    const controller = new AbortController();
    const began = { sessionUpdate: 'tool_call', toolCallId: 'begun', title: 'begun', status: 'in_progress' } as const;
    const { answer } = await ask(
      { turns: [{ updates: [began], untilCancelled: true, stop: 'cancelled' }] },
      { signal: controller.signal, onEvent: () => controller.abort() },
    );
    expect(answer).toMatchObject({ kind: 'failed', failure: 'aborted', session: 'fresh-session' });
    expect(existsSync(join(cwd, 'cancelled'))).toBe(true);
  });
});

describe('models', () => {
  const config = (...values: string[]) => [
    {
      id: 'm',
      name: 'Model',
      category: 'model',
      type: 'select' as const,
      currentValue: values[0] as string,
      options: values.map((value) => ({ value, name: value })),
    },
  ];

  test("a model is set: the role's takes precedence over the driver's", async () => {
    expect(reported(await ask({ config: config('small', 'big'), turns: [REPORT] }, {}, { model: 'big' }))).toContainEqual({
      set: 'm',
      value: 'big',
    });
    const asked = await ask({ config: config('small', 'big', 'huge'), turns: [REPORT] }, { model: 'huge' }, { model: 'big' });
    expect(reported(asked)).toContainEqual({ set: 'm', value: 'huge' });
  });

  test.each([
    ['is not offered', config('small'), 'it offers small'],
    ['cannot be chosen', [], 'does not support choosing'],
  ])('a model that %s is an error', async (_why, offered, message) => {
    const { answer } = await ask({ config: offered, turns: [REPORT] }, { model: 'big' });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'refused', message: expect.stringContaining(message) });
  });
});
