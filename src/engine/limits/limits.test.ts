import { describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../compat/index.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { type LimitScope, limitOf, slotsOf } from './limits.ts';

const definition = defineWorkflow({
  name: 'w',
  steps: [
    { id: 'write', agent: 'writer', prompt: 'write', slots: ['db', 'free'], next: 'ask' },
    { id: 'ask', human: { prompt: 'Go?' }, slots: ['db'], next: null },
  ],
}).definition;
const [write, ask] = definition.steps;
const scope = (limits: LimitScope['limits']): LimitScope => ({
  limits,
  repository: 'repo',
  credentialOf: (role) => (role === 'writer' ? 'account' : undefined),
});

describe('the semaphores of a step', () => {
  test('the semaphores of a step are those with a limit: total, repository, role, credential, and custom keys', () => {
    const all = scope({ global: 9, repository: 8, roles: { writer: 7 }, credentials: { account: 6 }, keys: { db: 5 } });
    const keys = slotsOf({ limits: all, facts: REGISTRY }, write as never);
    expect(keys).toEqual(['global', 'repository:repo', 'role:writer', 'credential:account', 'key:db']);
    expect(keys.map((key) => limitOf(all, key))).toEqual([9, 8, 7, 6, 5]);
  });

  test('a step has no semaphores without limits, or if it only waits', () => {
    expect(slotsOf({ limits: scope({}), facts: REGISTRY }, write as never)).toEqual([]);
    expect(slotsOf({ limits: scope({ global: 1, keys: { db: 1 } }), facts: REGISTRY }, ask as never)).toEqual([]);
  });

  test('a semaphore may have a colon in its name, and constructor has no limit', () => {
    expect(limitOf(scope({ keys: { 'a:b': 3 } }), 'key:a:b')).toBe(3);
    expect(limitOf(scope({ keys: {} }), 'key:constructor')).toBeUndefined();
  });
});
