import { describe, expect, test } from 'vitest';
import type { Definition } from '../../definition/model.ts';
import { actionRefusal, narrowPermissions, outputRefusal } from './permission.ts';

const allowing = (permissions: NonNullable<Definition['permissions']>): Definition => ({ permissions }) as Definition;

describe('permissions', () => {
  test('the permissions of a workflow that are missing forbid nothing', () => {
    expect(actionRefusal(allowing({}), 'merge_pr', {})).toBeUndefined();
    expect(narrowPermissions(allowing({})).allow).toContain('edit');
  });

  test.each<[string, object, NonNullable<Definition['permissions']>]>([
    ['merge_pr', {}, { contents: 'read' }],
    ['merge_pr', {}, { pull_requests: 'none' }],
    ['close_issue', {}, { issues: 'read' }],
    ['create_issue', {}, { issues: 'none' }],
    ['label', { add: ['x'] }, { issues: 'read' }],
    ['comment', { target: 'pr' }, { pull_requests: 'read' }],
  ])('%s %j is not allowed by %j, which is named', (action, config, permissions) => {
    const [area, access] = Object.entries(permissions)[0] as [string, string];
    expect(actionRefusal(allowing(permissions), action, { ...config })).toBe(
      `the workflow has the permission "${area}: ${access}", but this needs "${area}: write"`,
    );
  });

  test.each<[string, object, NonNullable<Definition['permissions']>]>([
    ['notify', {}, { issues: 'none', pull_requests: 'none', contents: 'none' }],
    ['comment', { target: 'pr' }, { issues: 'none' }],
    ['close_issue', {}, { contents: 'read' }],
  ])('%s %j does not need the permission that %j takes away', (action, config, permissions) => {
    expect(actionRefusal(allowing(permissions), action, { ...config })).toBeUndefined();
  });

  test('the permissions of a workflow also hold for outputs at the forge', () => {
    const refusal = (area: string, output: Parameters<typeof outputRefusal>[1] & { readonly target?: string }) =>
      outputRefusal(allowing({ [area]: 'read' }), output);
    for (const type of ['comment', 'label', 'issue'] as const) expect(refusal('issues', { type })).toContain('issues: write');
    for (const type of ['pr', 'review'] as const) expect(refusal('pull_requests', { type })).toContain('pull_requests: write');
    expect(refusal('pull_requests', { type: 'label', target: 'pr' })).toContain('pull_requests: write');
    expect(refusal('issues', { type: 'label', target: 'pr' })).toBeUndefined();
    expect(refusal('discussions', { type: 'discussion' })).toContain('discussions: write');
  });

  test('the permissions of a workflow without contents let an agent read and run programs, but not change files', () => {
    const allow = narrowPermissions(allowing({ contents: 'read' })).allow;
    expect(allow).toEqual(['read', 'search', 'execute', 'think']);
  });

  test('the permissions of a workflow never give an agent more than its role has', () => {
    expect(narrowPermissions(allowing({ contents: 'write' }), { allow: ['read'] }).allow).toEqual(['read']);
  });
});
