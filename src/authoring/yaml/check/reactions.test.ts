// What a workflow file can say about events while a run is open, and what is wrong with it, by its place in the file.

import { describe, expect, test } from 'vitest';
import { describeWorkflow } from '../../../definition/plain-workflow.ts';
import { REGISTRY } from '../../../kinds/registry.ts';
import { writeYaml } from '../write/write.ts';
import { checkYaml } from './check.ts';

const file = (onEvents: string): string => `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: sample }
on_events:
${onEvents}
stages:
  - { id: work, type: command, run: "true", on_enter: { notify: ann } }
  - { id: wait, type: signal, signal: go }
`;

const check = (onEvents: string) => checkYaml('sample.yaml', file(onEvents), REGISTRY);

describe('the reactions of a workflow file', () => {
  test('are a map from events, or a list, and read the same', () => {
    const asMap = check(`  issues.closed: cancel
  pull_request.synchronize: { do: invalidate_and_restart, stage: work }
  pull_request_review.submitted: { do: wake_agent, conditions: { review_state: changes_requested } }`);
    const asList = check(`  - { event: issues.closed, do: cancel }
  - { event: pull_request.synchronize, do: invalidate_and_restart, stage: work, max: 3 }
  - { event: pull_request_review.submitted, do: wake_agent, conditions: { review_state: changes_requested } }`);
    expect(asMap.errors).toEqual([]);
    const [closed, pushed, reviewed] = asMap.compiled?.definition.onEvents ?? [];
    expect(closed).toEqual({ event: 'issues.closed', do: 'cancel', labels: [], baseBranches: [] });
    // A stage with a message on entering it begins with that message.
    expect(pushed).toMatchObject({ do: 'invalidate_and_restart', step: 'work.enter', max: 3 });
    expect(reviewed).toMatchObject({ do: 'wake_agent', reviewState: 'changes_requested' });
    expect(asList.compiled?.hash).toBe(asMap.compiled?.hash);
    if (asMap.compiled === undefined) throw new Error('it has errors');
    expect(writeYaml(describeWorkflow(asMap.compiled), REGISTRY).differences).toEqual([]);
  });

  test.each([
    ['  issues.clsoed: cancel', 'EVENT_UNKNOWN', 'did you mean "issues.closed"', 5],
    ['  issue.closed: cancel', 'EVENT_UNKNOWN', 'did you mean "issues"', 5],
    ['  - event: push\n    do: cancle', 'FIELD_INVALID', 'cancel', 6],
    ['  push: { do: invalidate_and_restart }', 'FIELD_MISSING', 'must name the step', 5],
    ['  push: { do: invalidate_and_restart, stage: wrk }', 'TARGET_UNKNOWN', 'did you mean "work"', 5],
    ['  push: { do: notify }', 'FIELD_MISSING', 'must name a group', 5],
    ['  push: { do: cancel, stage: work }', 'FIELD_INVALID', 'does not go back', 5],
    [
      '  push: { do: cancel, conditions: { review_state: approved } }',
      'FIELD_INVALID',
      '`review_state` applies only to pull_request_review events',
      5,
    ],
  ])('say what is wrong, and where: %s', (...[written, code, words, line]) => {
    const [first, ...others] = check(written).errors;
    expect(first).toMatchObject({ code, line });
    expect(`${first?.message} ${first?.hint}`).toContain(words);
    expect(others).toEqual([]);
  });
});
