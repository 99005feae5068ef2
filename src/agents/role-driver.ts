// Owns what a role adds to the driver it names: variables for its program, and how often a failure is tried again within
// an attempt. The driver itself knows nothing of it.
//
// - The value of a secret is fetched for each request and passed on in memory only.
// - Tries share the time limit of their attempt. Usage is summed; if one try did not report it, it is unknown.

import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../base/error.ts';
import type { AgentAnswer, AgentDriver, AgentFailure, AgentRequest, AgentUsage } from './driver.ts';
import { failureOf, withTimeLeft } from './judgement.ts';

/** The value of a variable: a text, or a secret of the settings by name. */
export type RoleVariable = string | { readonly secret: string };

/** How often a class of failure is tried again, and how long the pause before each try is. */
export interface RoleRetry {
  readonly count: number;
  readonly pauseMs: number;
}

/** The classes of failure that a role may try again. */
export const RETRIED_FAILURES = ['crash', 'timeout', 'quota', 'auth', 'refused', 'invalid-output', 'unavailable'] as const;

/** What a role adds to its driver. */
export interface RoleExtras {
  readonly env?: Readonly<Record<string, RoleVariable>>;
  readonly retry?: { readonly [failure in AgentFailure]?: RoleRetry };
  /** Fetches the value of a secret. */
  readonly secret: (name: string) => Promise<string>;
}

/** Returns a driver that asks another one with what the role adds. */
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
    const again = answer.kind === 'failed' ? retry[answer.failure] : undefined;
    const tried = answer.kind === 'failed' ? (tries.get(answer.failure) ?? 0) : 0;
    if (answer.kind !== 'failed' || again === undefined || tried >= again.count || request.signal.aborted) return withUsage(answer, used);
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
  if (used.length === 1) return answer;
  const { usage: _, ...rest } = answer;
  const total: Record<string, number> = {};
  for (const one of used) {
    if (one === undefined) return rest as AgentAnswer;
    for (const [name, value] of Object.entries(one)) total[name] = (total[name] ?? 0) + value;
  }
  return { ...rest, usage: total } as AgentAnswer;
}
