import { describe, expect, test } from 'vitest';
import { type Caller, rightOf } from './right.ts';
import { demandsOf, RIGHTS, SCOPES } from './rights.ts';

const atTerminal: Caller = { user: 'ann', isTerminal: true, env: {}, ancestors: () => [] };
const inPipe: Caller = { ...atTerminal, isTerminal: false };
const inRun: Caller = { ...atTerminal, env: { PAWL_RUN: 'r1' } };
const belowAgent: Caller = { ...atTerminal, ancestors: () => [{ pid: 3, programs: ['claude'] }] };
const refused = expect.objectContaining({ code: 'NOT_ALLOWED' });

describe.each(SCOPES)('the right to %s', (demand) => {
  const wanted = { demand, on: 'pawl x' };
  const others = SCOPES.filter((scope) => scope !== demand);

  test('belongs to a person at a terminal', () => {
    expect(rightOf(atTerminal, wanted)).toEqual({ actor: 'ann', by: 'terminal' });
  });

  test.each([
    ['in a pipe', inPipe],
    ['in a terminal inside a run', inRun],
    ['in a terminal below an agent', belowAgent],
    ['in a pipe with a token for other things', { ...inPipe, token: { name: 'bob', scopes: others } }],
  ])('is not had %s', (_, caller) => {
    expect(() => rightOf(caller, wanted)).toThrow(refused);
  });

  test.each([
    ['in a pipe', inPipe],
    ['inside a run', inRun],
  ])('is had with a token that has the scope, %s', (_, caller) => {
    expect(rightOf({ ...caller, token: { name: 'bob', scopes: [demand] } }, wanted)).toEqual({ actor: 'bob', by: 'token' });
  });

  test('belongs to a person at a terminal whose token is for other things', () => {
    expect(rightOf({ ...atTerminal, token: { name: 'bob', scopes: others } }, wanted)).toEqual({ actor: 'ann', by: 'terminal' });
  });
});

describe('the right to steer', () => {
  const wanted = { demand: 'steer', on: 'pawl cancel' } as const;

  test('belongs to everybody who works neither inside a run nor below an agent', () => {
    expect(rightOf(inPipe, wanted)).toEqual({ actor: 'ann', by: 'account' });
    for (const caller of [inRun, belowAgent]) expect(() => rightOf(caller, wanted)).toThrow(refused);
  });

  test('belongs to an agent for its own run', () => {
    expect(rightOf({ ...belowAgent, isOwnRun: true }, wanted)).toEqual({ actor: 'ann', by: 'account' });
  });
});

describe('the table of rights', () => {
  test('demands what the verb, its action and its options need', () => {
    expect(demandsOf('resume', { options: ['to', 'note'], action: undefined })).toEqual([
      { on: 'resume', demand: 'asks' },
      { on: 'resume --to', demand: 'override' },
    ]);
    expect(demandsOf('token', { options: [], action: 'create' })).toEqual([{ on: 'token', demand: 'asks' }]);
    expect(demandsOf('token', { options: [], action: 'list' })).toEqual([]);
  });

  test('demands nothing for reading', () => {
    expect(demandsOf('prune', { options: ['dry-run'], action: undefined })).toEqual([]);
    expect(demandsOf('prune', { options: [], action: undefined })).toEqual([{ on: 'prune', demand: 'upkeep' }]);
  });

  test('says why, where a verb asks by itself', () => {
    for (const [verb, row] of Object.entries(RIGHTS)) if (row.verb === 'asks') expect(row.because, verb).toBeDefined();
  });
});
