// Owns the additions of a role to its driver: variables for its program, and retries of a failure within an attempt.
//
// - The value of a secret is read for each request and passed on only in memory.
// - Tries share the time limit of their attempt. Usage is summed; if one try did not report it, the sum is unknown.

import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { failureOf, sumUsage, withTimeLeft } from './answer.ts';
import type { AgentAnswer, AgentDriver, AgentFailure, AgentRequest, AgentUsage } from './driver.ts';

/** The value of a variable: a text, or a secret of the settings by name. */
export type RoleVariable = string | { readonly secret: string };

/** How often a class of failure is retried, and the pause before each retry. */
export interface RoleRetry {
  readonly count: number;
  readonly pauseMs: number;
}

/** The classes of failure that a role may retry. */
export const RETRIED_FAILURES = ['crash', 'timeout', 'quota', 'auth', 'refused', 'invalid-output', 'unavailable'] as const;

/** The additions of a role to its driver. */
export interface RoleExtras {
  readonly env?: Readonly<Record<string, RoleVariable>>;
  readonly retry?: { readonly [failure in AgentFailure]?: RoleRetry };
  /** Reads the value of a secret. */
  readonly secret: (name: string) => Promise<string>;
}

/** Returns a driver with the additions of a role. */
export function createRoleDriver(driver: AgentDriver, extras: RoleExtras): AgentDriver {
  if (extras.env === undefined && extras.retry === undefined) return driver;
  return { ...driver, ask: (request) => ask(driver, request, extras) };
}

async function ask(driver: AgentDriver, request: AgentRequest, { env = {}, retry = {}, secret }: RoleExtras): Promise<AgentAnswer> {
  const startedMs = performance.now();
  let variables: Record<string, string>;
  try {
    variables = Object.fromEntries(
      await Promise.all(
        Object.entries(env).map(async ([name, value]) => [name, typeof value === 'string' ? value : await secret(value.secret)]),
      ),
    );
  } catch (thrown) {
    return failureOf({ failure: 'auth', message: `the variables of the role cannot be set: ${messageOf(thrown)}` }, {});
  }
  const used: (AgentUsage | undefined)[] = [];
  const tries = new Map<AgentFailure, number>();
  for (;;) {
    const answer = await driver.ask({ ...withTimeLeft(request, startedMs), env: { ...request.env, ...variables } });
    used.push(answer.usage);
    if (answer.kind !== 'failed') return withUsage(answer, used);
    const again = retry[answer.failure];
    const tried = tries.get(answer.failure) ?? 0;
    if (again === undefined || tried >= again.count || request.signal.aborted) return withUsage(answer, used);
    tries.set(answer.failure, tried + 1);
    const text = `the agent failed (${answer.failure}): ${answer.message}; it is asked again, ${tried + 1} of ${again.count}`;
    request.onEvent?.({ kind: 'notice', text });
    await pause(again.pauseMs, undefined, { signal: request.signal }).catch(() => undefined);
    if (request.signal.aborted || isOver(request, startedMs)) return withUsage(answer, used);
  }
}

function isOver({ timeoutMs }: AgentRequest, startedMs: number): boolean {
  return timeoutMs !== undefined && performance.now() - startedMs >= timeoutMs;
}

function withUsage(answer: AgentAnswer, used: readonly (AgentUsage | undefined)[]): AgentAnswer {
  const { usage: _, ...rest } = answer;
  return { ...rest, ...omitUndefined({ usage: sumUsage(used) }) };
}
