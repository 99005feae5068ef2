import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { FORGE_ACTIONS, issueNumber, labelsOf, parseForgeAction } from './forge-action.ts';

test.each<[string, JsonObject]>([
  ['a merge', { action: 'merge_pr', method: 'squash', delete_branch: true, wait: '2h', pr: 'open' }],
  ['an issue by its number', { action: 'close_issue', issue: 12 }],
  ['an issue by a template', { action: 'close_issue', issue: '{{ context.issue_number }}' }],
  ['one label', { action: 'label', add: 'x', target: 'pr' }],
  ['several labels', { action: 'label', add: [], remove: ['x', '{{ params.y }}'] }],
  ['a message', { action: 'notify', target: 'maintainers' }],
])('an action is its own fields: %s', (_what, fields) => {
  expect(parseForgeAction(fields)).toEqual(fields);
});

test.each<[string, JsonObject, string]>([
  ['no action', {}, 'unknown action null'],
  ['another action', { action: 'merge_rp' }, 'did you mean "merge_pr"?'],
  ['a name of the language', { action: 'constructor' }, 'unknown action "constructor"'],
  ['a field of another action', { action: 'close_issue', message: 'x' }, 'close_issue has no field "message"'],
  ['a time that is none', { action: 'merge_pr', wait: 'soon' }, '"wait" of merge_pr'],
  ['an issue that is no number', { action: 'close_issue', issue: 'x' }, '"x" is not the number of an issue'],
  ['no title', { action: 'create_issue' }, '"title" must be a non-empty string'],
  ['a list of people', { action: 'notify', target: ['ann'] }, '"target" must be a non-empty string'],
  ['no label', { action: 'label', add: [] }, 'label needs "add" or "remove"'],
])('%s is refused', (_what, fields, message) => {
  expect(() => parseForgeAction(fields)).toThrow(message);
});

test('labels are a list however they are written, and digits are a number', () => {
  expect([labelsOf('x'), labelsOf(['x', 'y']), labelsOf(undefined)]).toEqual([['x'], ['x', 'y'], []]);
  expect([issueNumber('12'), issueNumber(3)]).toEqual([12, 3]);
  expect(FORGE_ACTIONS).toContain('merge_pr');
});
