import { describe, expect, test } from 'vitest';
import type { ForgeApproval } from './forge.ts';
import { approversOf, isIn, membersOf } from './people.ts';

const GROUPS = { maintainers: ['ann', 'Bob'], security: ['bob', 'cleo'], empty: [] };

describe('groups', () => {
  test('a list of groups is their union, each person once', () => {
    expect(membersOf(GROUPS, ['maintainers', 'security'])).toEqual(['ann', 'Bob', 'cleo']);
    expect(isIn(GROUPS, ['maintainers', 'security'], 'cleo')).toBe(true);
    expect(isIn(GROUPS, 'maintainers', 'cleo')).toBe(false);
    expect(isIn(GROUPS, 'empty', 'ann')).toBe(false);
  });

  test.each([
    ['BOB', true],
    ['boB', true],
    ['bob ', false],
    ['bоb', false], // the middle letter is Cyrillic
    ['ｂｏｂ', false],
    ['bob\u200B', false],
    ['', false],
  ])('U1: "%s" is bob: %s', (actor, expected) => {
    expect(isIn(GROUPS, 'security', actor)).toBe(expected);
  });

  test('U1: a letter whose lower case is a plain letter is still a different letter', () => {
    expect(isIn({ team: ['kim'] }, 'team', '\u212Aim')).toBe(false);
  });

  test.each(['maintainer', 'constructor', '__proto__', 'toString'])('U2: an undefined group is an error: %s', (name) => {
    expect(() => isIn(GROUPS, name, 'ann')).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  test('U2: the error names what was probably meant', () => {
    expect(() => isIn(GROUPS, 'maintainer', 'ann')).toThrow('did you mean "maintainers"?');
  });
});

describe('approvals', () => {
  const approval = (actor: string, more: Partial<ForgeApproval> = {}): ForgeApproval => ({
    actor,
    headSha: 'a'.repeat(40),
    state: 'approved',
    at: 0,
    permission: 'write',
    bot: false,
    ...more,
  });
  const approvers = (...approvals: ForgeApproval[]): string[] =>
    approversOf(approvals, { groups: GROUPS, from: ['maintainers', 'security'], author: 'cleo' });

  test('approvals of distinct people of the groups count', () => {
    expect(approvers(approval('ann'), approval('bob'), approval('BOB'), approval('dora'))).toEqual(['ann', 'BOB']);
  });

  test.each([
    ['a request for changes', approval('ann', { state: 'changes_requested' })],
    ['a bot', approval('ann', { bot: true })],
    ['somebody who has lost every right', approval('ann', { permission: 'none' })],
    ['the author', approval('Cleo')],
  ])('approvals: %s does not count', (_what, one) => {
    expect(approvers(one)).toEqual([]);
  });
});
