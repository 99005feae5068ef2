// Owns the parts of the contract that hold only for some agent drivers: those whose agents get a second chance, or have
// sessions, permissions or a separate program.

import { expect, test } from 'vitest';
import type { AgentEvent, AgentReply } from '../agents/driver.ts';
import type { Json } from '../base/json.ts';
import type { CallAgent, DriverHarness } from './driver-suite.ts';

const WRONG = 'output.n must be a number';

/** Tests that an agent can correct its answer once. */
export function describeRepair(callAgent: CallAgent): void {
  test('an invalid answer is sent back once, with what is wrong', async () => {
    const check = ({ output }: AgentReply): string | undefined => (JSON.stringify(output).includes('corrected') ? undefined : WRONG);
    const answer = await callAgent({ agent: 'corrects', first: { n: 'one' }, feedback: WRONG }, { check });
    expect(answer).toMatchObject({ kind: 'answered', success: true, output: { corrected: true } });
  });

  test('a second invalid answer is a failure that says why', async () => {
    const checked: Json[] = [];
    const check = ({ output }: AgentReply): string => {
      checked.push(output);
      return WRONG;
    };
    const answer = await callAgent({ agent: 'answers', output: { n: 'one' } }, { check });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'invalid-output', message: expect.stringContaining(WRONG) });
    expect(checked).toEqual([{ n: 'one' }, { n: 'one' }]);
  });
}

/** Tests that sessions can be resumed, and that a lost one is replaced. */
export function describeSessions(callAgent: CallAgent): void {
  const prompts = (answer: Awaited<ReturnType<CallAgent>>): Json =>
    answer.kind === 'answered' ? (answer.output as { readonly prompts: Json }).prompts : null;

  test('a session continues where it stopped', async () => {
    const first = await callAgent({ agent: 'remembers' }, { prompt: 'one' });
    const session = first.session as string;
    expect(session).toEqual(expect.any(String));
    const second = await callAgent({ agent: 'remembers' }, { prompt: 'two', session: { id: session, handover: 'what came before' } });
    expect(prompts(second)).toEqual(['one', 'two']);
    expect(second).toMatchObject({ session });
    expect(second.sessionLost ?? false).toBe(false);
  });

  test('without a session the agent starts from scratch', async () => {
    await callAgent({ agent: 'remembers' }, { prompt: 'one' });
    expect(prompts(await callAgent({ agent: 'remembers' }, { prompt: 'two' }))).toEqual(['two']);
  });

  test.each(['0199a213-81c0-7800-8aa1-bbab2a035a53', 'no-such-session', '--help'])(
    'a lost session is replaced by a new one with the summary, and the answer says so: %s',
    async (id) => {
      const answer = await callAgent({ agent: 'remembers' }, { prompt: 'two', session: { id, handover: 'what came before' } });
      expect(answer).toMatchObject({ kind: 'answered', sessionLost: true, session: expect.any(String) });
      expect(answer.session).not.toBe(id);
      expect(prompts(answer)).toEqual(['what came before\n\ntwo']);
    },
  );
}

/** Tests that permissions are enforced. */
export function describePermissions(callAgent: CallAgent): void {
  test('an action without permission is denied, and the answer and the transcript say so', async () => {
    const events: AgentEvent[] = [];
    const answer = await callAgent({ agent: 'fetches' }, { permissions: { allow: ['read'] }, onEvent: (event) => events.push(event) });
    expect(answer).toMatchObject({ kind: 'answered', output: { allowed: false }, refusals: [{ action: 'fetch' }] });
    expect(answer.refusals).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'refused')).toEqual([{ kind: 'refused', ...answer.refusals?.[0] }]);
  });

  test('without permissions, the network is not reachable', async () => {
    expect(await callAgent({ agent: 'fetches' })).toMatchObject({ output: { allowed: false }, refusals: [{ action: 'fetch' }] });
  });

  test('a permitted action is not denied', async () => {
    const answer = await callAgent({ agent: 'fetches' }, { permissions: { allow: ['read', 'edit', 'fetch', 'execute'] } });
    expect(answer).toMatchObject({ kind: 'answered', output: { allowed: true } });
    expect(answer.refusals ?? []).toEqual([]);
  });
}

const CANARY = 'PAWL_SUITE_CANARY_TOKEN';

/** Tests a driver that runs its agent as a program. */
export function describeProgram(callAgent: CallAgent, harness: DriverHarness): void {
  test('a silent agent is stopped, and the reason is given', async () => {
    const answer = await callAgent({ agent: 'hangs', begun: () => {} }, { watchdogs: { idleMs: 300 } });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'timeout', message: expect.stringContaining('silent') });
    expect(await harness.running()).toBe(0);
  });

  test('a program that keeps running after the answer is stopped, and the answer counts', async () => {
    const answer = await callAgent({ agent: 'lingers', output: { n: 1 } }, { watchdogs: { lingerMs: 50 } });
    expect(answer).toMatchObject({ kind: 'answered', success: true, output: { n: 1 } });
    expect(await harness.running()).toBe(0);
  });

  test('a program that the agent left running in its own session is stopped', async () => {
    expect(await callAgent({ agent: 'forks', output: { n: 1 } })).toMatchObject({ kind: 'answered', output: { n: 1 } });
    expect(await harness.running()).toBe(0);
  });

  test('the agent sees the usual variables and those declared for it, but no secrets of Pawl', async () => {
    process.env[CANARY] = 'canary';
    try {
      const answer = await callAgent({ agent: 'lists-env' }, { env: { DECLARED: 'yes' } });
      const { env } = (answer.kind === 'answered' ? answer.output : {}) as { readonly env: readonly string[] };
      expect(env).toEqual(expect.arrayContaining(['PATH', 'DECLARED']));
      expect(env).not.toContain(CANARY);
    } finally {
      delete process.env[CANARY];
    }
  });

  test('usage that the program does not report is unknown, not zero', async () => {
    const { usage = {} } = await callAgent({ agent: 'answers', output: null });
    expect(Object.values(usage).filter((value) => value === 0 || Number.isNaN(value))).toEqual([]);
  });
}
