import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { mismatchOf, type TriggerModel } from './trigger.ts';

const trigger = (more: Partial<TriggerModel> = {}): TriggerModel => ({ event: 'issues.labeled', labels: [], baseBranches: [], ...more });
const issue = (labels: readonly string[], more: JsonObject = {}): JsonObject => ({
  issue: { number: 1, labels: labels.map((name) => ({ name })), ...more },
});
const labelled = (added: string, labels: readonly string[]): JsonObject => ({ ...issue(labels), label: { name: added } });
const onLabel = (model: Partial<TriggerModel>, payload: JsonObject) => mismatchOf(trigger(model), { event: 'issues.labeled', payload });
const byHand = (model: Partial<TriggerModel>, payload: JsonObject) => mismatchOf(trigger(model), { payload });

describe('an event', () => {
  test('starts triggers for it and for its kind', () => {
    expect(mismatchOf(trigger({ event: 'issues.opened' }), { event: 'issues.opened', payload: {} })).toBeUndefined();
    expect(mismatchOf(trigger({ event: 'issues' }), { event: 'issues.opened', payload: {} })).toBeUndefined();
    expect(mismatchOf(trigger({ event: 'issues' }), { event: 'issues_x.opened', payload: {} })).toContain('not on issues_x.opened');
    expect(mismatchOf(trigger(), { event: 'nonsense', payload: {} })).toBe('it starts on issues.labeled, not on nonsense');
  });

  test.each<[string, Partial<TriggerModel>, JsonObject, string | undefined]>([
    ['the label that was added', { label: 'bug' }, labelled('bug', ['bug']), undefined],
    ['another label was added', { label: 'bug' }, labelled('ui', ['bug', 'ui']), 'when the label "bug" is added, but "ui" was'],
    ['no label is named', { label: 'bug' }, issue(['bug']), 'does not name the label'],
    ['all labels, the last one added', { labels: ['a', 'b'] }, labelled('b', ['a', 'b', 'c']), undefined],
    ['one of the labels is missing', { labels: ['a', 'b'] }, labelled('a', ['a']), 'it requires the label "b", but there is only "a"'],
    ['the one added is none of them', { labels: ['a', 'b'] }, labelled('c', ['a', 'b', 'c']), 'is added, but "c" was'],
    ['the milestone', { milestone: 'v1' }, issue([], { milestone: { title: 'v1' } }), undefined],
    ['another milestone', { milestone: 'v1' }, issue([], { milestone: { title: 'v2' } }), 'the milestone "v1", but it has "v2"'],
    ['no milestone', { milestone: 'v1' }, issue([]), 'the milestone "v1", but it has none'],
    ['a bot', { assigneeIsBot: true }, issue([], { assignee: { type: 'Bot' } }), undefined],
    ['nobody instead of a bot', { assigneeIsBot: true }, issue([], { assignee: null }), 'the assignee must be a bot'],
    ['a bot instead of a person', { assigneeIsBot: false }, issue([], { assignee: { type: 'Bot' } }), 'the assignee must not be a bot'],
  ])('an event must meet the conditions of a trigger: %s', (...row) => {
    const [, model, payload, message] = row;
    const found = onLabel(model, payload);
    if (message === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(message);
  });

  test('an event of a pull request must match the base branch', () => {
    const model = trigger({ event: 'pull_request.opened', baseBranches: ['main', 'next'] });
    const to = (ref: string) => mismatchOf(model, { event: 'pull_request.opened', payload: { pull_request: { base: { ref } } } });
    expect([to('next'), to('old')]).toEqual([undefined, 'it is for pull requests to "main" or "next", but this one goes to "old"']);
  });
});

describe('TG2: a number given by hand', () => {
  test('a manual start must match the labels of the issue, whichever was added last', () => {
    expect(byHand({ label: 'bug' }, issue(['ui', 'bug']))).toBeUndefined();
    expect(byHand({ labels: ['a', 'b'] }, issue(['b', 'a']))).toBeUndefined();
    expect(byHand({ label: 'bug' }, issue(['ui']))).toBe('it requires the label "bug", but there is only "ui"');
    expect(byHand({ labels: ['a', 'b'] }, issue(['b']))).toContain('it requires the label "a"');
  });

  test('ignores conditions on unknown facts of its issue', () => {
    expect(byHand({ label: 'bug', milestone: 'v1', assigneeIsBot: true }, { issue: { number: 1 } })).toBeUndefined();
    expect(byHand({ milestone: 'v1' }, issue([], { milestone: null }))).toContain('milestone');
  });

  test('a manual start for a pull request ignores conditions on issues', () => {
    expect(byHand({ label: 'bug' }, { pull_request: { number: 2, labels: [] } })).toBeUndefined();
  });
});
