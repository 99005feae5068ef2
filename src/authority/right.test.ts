import { describe, expect, test } from 'vitest';
import { type Caller, isOthersRun, type LoginIdentity, type RightRequest, rightOf } from './right.ts';
import type { LoginScope } from './rights.ts';
import { RIGHTS, requiredRightsOf, SCOPES } from './rights.ts';

const atTerminal: Caller = { user: 'ann', isTerminal: true, env: {}, ancestors: () => [] };
const inPipe: Caller = { ...atTerminal, isTerminal: false };
const inRun: Caller = { ...atTerminal, env: { PAWL_RUN: 'r1' } };
const belowAgent: Caller = { ...atTerminal, ancestors: () => [{ pid: 3, programs: ['claude'] }] };
const denied = expect.objectContaining({ code: 'NOT_ALLOWED' });

describe.each(SCOPES)('the right to %s', (demand) => {
  const wanted = { demand, on: 'pawl x' };
  const others = SCOPES.filter((scope) => scope !== demand);

  test('a person at a terminal has every right', () => {
    expect(rightOf(atTerminal, wanted)).toEqual({ actor: 'ann', by: 'terminal' });
  });

  test.each([
    ['in a pipe', inPipe],
    ['in a terminal inside a run', inRun],
    ['in a terminal below an agent', belowAgent],
    ['in a pipe with a token for other scopes', { ...inPipe, token: { name: 'bob', scopes: others } }],
  ])('a right is missing %s', (_, caller) => {
    expect(() => rightOf(caller, wanted)).toThrow(denied);
  });

  test.each([
    ['in a pipe', inPipe],
    ['inside a run', inRun],
  ])('a token with the scope gives a right, %s', (_, caller) => {
    expect(rightOf({ ...caller, token: { name: 'bob', scopes: [demand] } }, wanted)).toEqual({ actor: 'bob', by: 'token' });
  });

  test('a person at a terminal has every right, also with a token for other scopes', () => {
    expect(rightOf({ ...atTerminal, token: { name: 'bob', scopes: others } }, wanted)).toEqual({ actor: 'ann', by: 'terminal' });
  });
});

describe('the right to steer', () => {
  const wanted = { demand: 'steer', on: 'pawl cancel' } as const;

  test('every caller outside of runs and agents has the right to steer', () => {
    expect(rightOf(inPipe, wanted)).toEqual({ actor: 'ann', by: 'account' });
    for (const caller of [inRun, belowAgent]) expect(() => rightOf(caller, wanted)).toThrow(denied);
  });

  test('an agent has the right to steer its own run', () => {
    expect(rightOf({ ...belowAgent, isOwnRun: true }, wanted)).toEqual({ actor: 'ann', by: 'account' });
  });
});

describe('the table of rights', () => {
  test('the required rights are those of the command, its action and its options', () => {
    expect(requiredRightsOf('resume', { options: ['to', 'note'], action: undefined })).toEqual([
      { on: 'resume', demand: 'asks' },
      { on: 'resume --to', demand: 'override' },
    ]);
    expect(requiredRightsOf('token', { options: [], action: 'create' })).toEqual([{ on: 'token create', demand: 'asks' }]);
    expect(requiredRightsOf('token', { options: [], action: 'list' })).toEqual([]);
    expect(requiredRightsOf('data', { options: [], action: 'restore' })).toEqual([{ on: 'data restore', demand: 'upkeep' }]);
  });

  test('a command that only reads requires no right', () => {
    expect(requiredRightsOf('prune', { options: ['dry-run'], action: undefined })).toEqual([]);
    expect(requiredRightsOf('prune', { options: [], action: undefined })).toEqual([{ on: 'prune', demand: 'upkeep' }]);
  });

  test('the table of rights gives a reason for each command that checks by itself', () => {
    for (const [verb, row] of Object.entries(RIGHTS)) if (row.verb === 'asks') expect(row.reason, verb).toBeDefined();
  });
});

describe('a caller who logged in over HTTP', () => {
  const login = (via: LoginIdentity['via'], ...scopes: LoginScope[]): LoginIdentity => ({
    kind: 'person',
    name: 'ann',
    scopes: new Set(scopes),
    via,
  });
  const denial = (caller: LoginIdentity, demand: RightRequest['demand'], withoutToken?: true): string => {
    try {
      rightOf(caller, { demand, on: 'decide', ...(withoutToken === undefined ? {} : { withoutToken }) });
      return 'allowed';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('a login has the rights of its scopes, under its name', () => {
    const ann = login('session', 'view', 'operate', 'decide');
    expect(rightOf(ann, { demand: 'decide', on: 'decide' })).toEqual({ actor: 'ann', by: 'session' });
    expect(rightOf(login('token', 'operate'), { demand: 'steer', on: 'cancel' })).toEqual({ actor: 'ann', by: 'token' });
    for (const demand of ['decide', 'override'] as const)
      expect(denial(login('session', 'view', 'operate'), demand)).toContain('does not have the scope "decide"');
    expect(denial(login('session', 'view'), 'steer')).toContain('does not have the scope "operate"');
  });

  test('a login can neither trust code nor maintain a database, and a token or a link cannot give rights away', () => {
    for (const demand of ['trust', 'upkeep'] as const)
      expect(denial(login('session', 'view', 'operate', 'decide'), demand)).toContain('only be done on the command line');
    for (const via of ['token', 'link'] as const)
      expect(denial(login(via, 'decide'), 'decide', true)).toContain('it requires a login in the browser');
    expect(denial(login('passkey', 'decide'), 'decide', true)).toBe('allowed');
  });

  test('a login owns the runs that were started under its name', () => {
    expect(isOthersRun(login('session', 'operate'), 'ann')).toBe(false);
    for (const other of ['bob', undefined]) expect(isOthersRun(login('session', 'operate'), other)).toBe(true);
  });
});
