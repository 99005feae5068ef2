import { describe, expect, test } from 'vitest';
import type { AgentAnswer, AgentRequest } from '../../agents/driver.ts';
import { createScriptedDriver } from '../../agents/scripted.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { createAttemptRequest } from '../../proof/attempt-request.ts';
import { createAttemptRunner } from '../runner.ts';
import type { Accounting, Admission, Refusal, Spawn } from './accounting.ts';

/** Runs a step whose agent is admitted so; gives what was asked, and what was put on the books. */
async function admitted(
  admission: Partial<Admission> | Refusal,
  { timeoutMs, stops = false }: { readonly timeoutMs?: number; readonly stops?: boolean } = {},
) {
  const asked: AgentRequest[] = [];
  const spawns: Spawn[] = [];
  const closed: AgentAnswer[] = [];
  const controller = new AbortController();
  const driver = createScriptedDriver((request) => {
    asked.push(request);
    return [{ do: 'fail', failure: 'timeout', message: 'too long' }];
  });
  const accounting: Accounting = {
    reported: async () => undefined,
    open: async (spawn) => {
      spawns.push(spawn);
      if (stops) controller.abort();
      const close = async (answer: AgentAnswer) => {
        closed.push(answer);
        return answer;
      };
      return 'reason' in admission ? admission : { left: {}, onEvent: () => undefined, close, ...admission };
    },
  };
  const roles = { worker: { driver: 'scripted', credential: 'team', budget: { turns: 3, day: { tokens: 9 } } } };
  const run = createAttemptRunner({ cwd: '.', roles, drivers: { scripted: driver }, now: () => 0, accounting }, REGISTRY);
  const request = createAttemptRequest({
    kind: 'agent',
    config: { role: 'worker', budget: { costUsd: 1 } },
    ...(timeoutMs === undefined ? {} : { model: { timeoutMs } }),
  });
  const result = await run({ ...request, signal: controller.signal });
  return { result, asked, spawns, closed };
}

describe('agents', () => {
  test('an agent is admitted on its account, with the budgets of its attempt, its step and its role', async () => {
    const { spawns } = await admitted({});
    expect(spawns).toMatchObject([
      { role: 'worker', account: 'team', step: 'work', budgets: { attempt: { turns: 3 }, step: { costUsd: 1 }, day: { tokens: 9 } } },
    ]);
  });

  test('an agent that is not admitted is not called, and its step waits', async () => {
    const { result, asked } = await admitted({ reason: 'budget', message: 'used up', resumeAt: 5 });
    expect(asked).toEqual([]);
    expect(result).toMatchObject({ error: { code: 'LIMIT_REACHED', reason: 'budget', message: 'used up', resumeAt: 5 } });
  });

  test('an agent gets the remaining budget, and no more time than that', async () => {
    const { asked } = await admitted({ left: { tokens: 7, timeMs: 20 } }, { timeoutMs: 50 });
    expect(asked).toMatchObject([{ budget: { tokens: 7 }, timeoutMs: 20 }]);
    expect((await admitted({ left: { timeMs: 90 } }, { timeoutMs: 50 })).asked).toMatchObject([{ timeoutMs: 50 }]);
  });

  test('an agent that used up the time of its budget is over budget; that of its step, it timed out', async () => {
    const short = await admitted({ left: { timeMs: 20 } }, { timeoutMs: 50 });
    expect([short.result, short.closed]).toMatchObject([{ error: { reason: 'budget' } }, [{ failure: 'budget' }]]);
    expect((await admitted({ left: { timeMs: 90 } }, { timeoutMs: 50 })).result).toMatchObject({ error: { reason: 'timeout' } });
  });

  test('an agent that is stopped before it was called has used nothing, and its usage is known', async () => {
    const { asked, closed } = await admitted({}, { stops: true });
    expect(asked).toEqual([]);
    expect(closed).toMatchObject([{ failure: 'aborted', usage: { costUsd: 0, inputTokens: 0, outputTokens: 0, turns: 0 } }]);
  });
});
