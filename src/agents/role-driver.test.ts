import { expect, test } from 'vitest';
import { createAgentRequest } from '../proof/driver-suite.ts';
import type { AgentAnswer, AgentDriver, AgentEvent, AgentFailure, AgentRequest } from './driver.ts';
import { createRoleDriver, type RoleExtras } from './role-driver.ts';

const failed = (failure: AgentFailure): AgentAnswer => ({ kind: 'failed', failure, message: 'no', usage: { inputTokens: 5 } });
const DONE: AgentAnswer = { kind: 'answered', success: true, output: null, usage: { inputTokens: 7 } };

/** A driver that returns these answers one after another, and its requests. */
function scripted(answers: readonly AgentAnswer[]): { readonly driver: AgentDriver; readonly asked: AgentRequest[] } {
  const asked: AgentRequest[] = [];
  return { asked, driver: { name: 'scripted', ask: async (request) => answers[asked.push(request) - 1] ?? DONE } };
}

const noSecret: RoleExtras['secret'] = () => Promise.reject(new Error('there is no secret "KEY"'));

test('a class of failure is retried as often as the role allows, and the usage is summed', async () => {
  const { driver, asked } = scripted([failed('crash'), failed('crash')]);
  const events: AgentEvent[] = [];
  const role = createRoleDriver(driver, { retry: { crash: { count: 2, pauseMs: 1 } }, secret: noSecret });
  const answer = await role.ask(createAgentRequest({ cwd: '/', onEvent: (event) => events.push(event) }));
  expect(answer).toEqual({ ...DONE, usage: { inputTokens: 17 } });
  expect([asked.length, events.length]).toEqual([3, 2]);
});

test.each<[string, AgentFailure, number]>([
  ['beyond its count', 'crash', 2],
  ['of another class', 'timeout', 1],
])('a failure %s is the answer', async (_what, failure, calls) => {
  const { driver, asked } = scripted([failed(failure), failed(failure), failed(failure)]);
  const role = createRoleDriver(driver, { retry: { crash: { count: 1, pauseMs: 1 } }, secret: noSecret });
  expect(await role.ask(createAgentRequest({ cwd: '/' }))).toMatchObject({ kind: 'failed', failure });
  expect(asked).toHaveLength(calls);
});

test('a stopped attempt is not retried', async () => {
  const { driver, asked } = scripted([failed('crash')]);
  const stop = new AbortController();
  const role = createRoleDriver(driver, { retry: { crash: { count: 9, pauseMs: 60_000 } }, secret: noSecret });
  const answer = role.ask(createAgentRequest({ cwd: '/', signal: stop.signal, onEvent: () => stop.abort() }));
  expect(await answer).toMatchObject({ failure: 'crash' });
  expect(asked).toHaveLength(1);
});

test('the request has the variables of the role and the values of its secrets', async () => {
  const { driver, asked } = scripted([]);
  const env = { MODE: 'fast', KEY: { secret: 'API' } };
  const role = createRoleDriver(driver, { env, secret: (name) => Promise.resolve(`value of ${name}`) });
  await role.ask(createAgentRequest({ cwd: '/', env: { MODE: 'slow', OTHER: '1' } }));
  expect(asked[0]?.env).toEqual({ MODE: 'fast', KEY: 'value of API', OTHER: '1' });
});

test('a missing secret fails the attempt before the agent is called', async () => {
  const { driver, asked } = scripted([]);
  const role = createRoleDriver(driver, { env: { KEY: { secret: 'KEY' } }, secret: noSecret });
  expect(await role.ask(createAgentRequest({ cwd: '/' }))).toMatchObject({
    failure: 'auth',
    message: expect.stringContaining('no secret "KEY"'),
  });
  expect(asked).toEqual([]);
});
