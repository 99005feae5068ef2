import { describe, expect, test } from 'vitest';
import { defineWorkflow as defineList } from '../compat/index.ts';
import { createEngine, defineWorkflow, step, workflow } from '../index.ts';

describe('an option that does not exist is an error', () => {
  test.each([
    [{ limit: {} }, 'createEngine: unknown option "limit" (did you mean "limits"?)'],
    [{ limits: { globl: 1 } }, 'createEngine, limits: unknown option "globl" (did you mean "global"?)'],
    [{ budgets: { daily: {} } }, 'createEngine, budgets: unknown option "daily"'],
    [{ webhooks: { alow: [] } }, 'createEngine, webhooks: unknown option "alow" (did you mean "allow"?)'],
    [{ worktrees: { folder: '.', dir: '.' } }, 'createEngine, worktrees: unknown option "dir"'],
    [{ roles: { dev: { driver: 'x', modle: 'y' } } }, 'createEngine, role "dev": unknown option "modle" (did you mean "model"?)'],
    [{ roles: { dev: { driver: 'atended' } } }, 'createEngine, role "dev": there is no driver "atended" (did you mean "attended"?)'],
    [
      { roles: { dev: { driver: 'claude-code' } } },
      'there is no driver "claude-code"; pass it as one of `drivers`, or use one of attended',
    ],
    [{ roles: { dev: { driver: 'scriptd' } }, drivers: { scripted: {} } }, 'or use one of attended, scripted'],
  ])('of an engine: %j', async (options, message) => {
    await expect(createEngine(options as never)).rejects.toThrow(message);
  });

  const action = (): number => 1;
  const loose = step('a') as unknown as Record<string, (...args: unknown[]) => unknown>;
  test.each([
    ['task', [{ action, kwargs: {} }], 'step "a": unknown option "kwargs"'],
    ['task', [{ action, postconditons: [] }], 'unknown option "postconditons" (did you mean "postconditions"?)'],
    ['command', [{ run: 'x', on_failure: 'y' }], 'unknown option "on_failure"'],
    ['agent', [{ agent: 'dev', promt: 'x' }], 'unknown option "promt" (did you mean "prompt"?)'],
    ['generate', [{ generator: 'x', contxt: {} }], 'unknown option "contxt" (did you mean "context"?)'],
    ['validate', [{ on_failure: 1 }], 'unknown option "on_failure" (did you mean "onFailure"?)'],
    ['gate', [{ checks: ['x'], timeuot: 1 }], 'unknown option "timeuot" (did you mean "timeout"?)'],
    ['human', [{ prompt: 'p', option: [] }], 'unknown option "option" (did you mean "options"?)'],
    ['human', [{ prompt: 'p', options: [{ label: 'yes', needsInput: true }] }], 'has no field "needsInput"'],
    ['action', [{ action: 'notify', target: 'maintainers' }, { retries: 1 }], 'unknown option "retries"'],
    ['webhook', [{ request: { url: 'https://x' } }, { retries: 1 }], 'unknown option "retries"'],
    ['delay', [{ duration: '1s', pol: {} }], 'unknown option "pol" (did you mean "poll"?)'],
    [
      'delay',
      [{ duration: '1s', poll: { interval: '1s', condition: 'true', every: 1 } }],
      'step "a" cannot be built: a poll has no field "every"',
    ],
    ['signal', ['s', { tiemout: 1 }], 'unknown option "tiemout" (did you mean "timeout"?)'],
    ['workflow', ['c', {}, { titel: 'x' }], 'unknown option "titel" (did you mean "title"?)'],
    ['each', [[1], () => step('b').task(() => 1), { concurency: 1 }], 'unknown option "concurency" (did you mean "concurrency"?)'],
    ['task', [{ action, retry: { max: 1, dely: 1 } }], 'step "a" cannot be built: a retry has no field "dely"'],
    ['task', [{ action, retry: { max: 1, backoff: { initial: 1, jitter: 1 } } }], 'a backoff has no field "jitter"'],
    ['task', [{ action, preconditions: [{ name: 'n', check: 'true', eror: 'e' }] }], 'the condition "n" has no field "eror"'],
  ])('of a step of a flow: %s %#', (kind, args, message) => {
    expect(() => loose[kind]?.call(step('a'), ...args)).toThrow(message);
  });

  test('an unknown option of a flow is an error', () => {
    const body = function* () {};
    expect(() => workflow('w', { parms: {} } as never, body)).toThrow('workflow "w": unknown option "parms" (did you mean "params"?)');
    expect(() => workflow('w', { limits: { iterations: 1 } } as never, body)).toThrow(
      'workflow "w" is not valid: `limits` has no field "iterations"',
    );
  });

  test.each([
    [{ retry: { max: 1, dealy: 1 } }, 'a retry has no field "dealy"'],
    [{ retry: { max: 1, backoff: { initial: 1, jitter: 1 } } }, 'a backoff has no field "jitter"'],
    [{ preconditions: [{ name: 'n', check: 'true', eror: 'e' }] }, 'the condition "n" has no field "eror" (did you mean "error"?)'],
    [{ command: undefined, delay: { duration: '1s', pol: 1 } }, 'a delay has no field "pol" (did you mean "poll"?)'],
    [{ command: undefined, gate: { checks: ['x'], check: 1 } }, 'a gate has no field "check" (did you mean "checks"?)'],
    [{ command: undefined, validate: { stage: 'x' } }, 'a validation has no field "stage" (did you mean "stages"?)'],
    [{ extend: { by: '1s', onExtended: 'x' } }, 'an extension has no field "onExtended" (did you mean "onExtend"?)'],
  ])('an unknown option of a step is an error in both syntaxes: %j', (fields, message) => {
    const step = { command: 'x', ...fields, next: null };
    expect(() => defineWorkflow({ name: 'w', steps: { a: step } } as never)).toThrow(message);
    expect(() => defineList({ name: 'w', steps: [{ id: 'a', ...step }] } as never)).toThrow(message);
  });

  test('an unknown limit of a graph is an error', () => {
    const define = () => defineWorkflow({ name: 'w', limits: { maxIteration: 1 }, steps: { a: { command: 'x', next: null } } } as never);
    expect(define).toThrow('`limits` has no field "maxIteration" (did you mean "maxIterations"?)');
  });
});
