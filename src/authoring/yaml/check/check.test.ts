import { describe, expect, test } from 'vitest';
import { REGISTRY } from '../../../kinds/registry.ts';
import { checkYaml } from './check.ts';

function check(lines: string) {
  return checkYaml('w.yaml', `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\n${lines}`, REGISTRY);
}

/** The errors of a file, each in one line. */
function errors(lines: string): string[] {
  return check(lines).errors.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

describe('a target that does not exist', () => {
  test('is reported at its position, with the nearest name, and without follow-up errors', () => {
    expect(
      errors(`stages:
  - { id: build, type: command, run: make, on_success: tset }
  - { id: test, type: command, run: make test, on_success: complete }
`),
    ).toEqual(['5:56 TARGET_UNKNOWN stage "build": there is no stage "tset" (did you mean "test"?)']);
  });

  test('may be the name of a branch, which cannot be entered by itself', () => {
    expect(
      errors(`stages:
  - { id: all, type: parallel, branches: [{ id: one, agent: a, action: x }, { id: two, agent: b, action: y }] }
  - { id: last, type: command, run: make, on_failure: one }
`),
    ).toEqual(['6:55 TARGET_IN_BRANCH stage "last": "one" is a branch of "all"']);
  });
});

test('a stage that is named for its pull request must exist and open one', () => {
  const pipeline = (pr: string) => `stages:
  - { id: build, type: agent, agent: dev, action: x, outputs: [{ name: pr, type: pr }] }
  - { id: check, type: gate, conditions: [{ check: ci_status, pr: ${pr} }] }
  - { id: land, type: action, action: merge_pr, pr: build }
`;
  expect(errors(pipeline('build'))).toEqual([]);
  const says = 'the check "ci_status" is about the pull request of step';
  expect(errors(pipeline('bild'))).toEqual([
    `6:5 KIND_INVALID stage "check": ${says} "bild", which does not exist (did you mean "build"?)`,
  ]);
  expect(errors(pipeline('check'))).toEqual([`6:5 KIND_INVALID stage "check": ${says} "check", which opens none`]);
});

describe('an unknown name', () => {
  const command = (text: string): string => `params: { who: { description: whom } }
context: { greeting: hi }
stages:
  - { id: say, type: command, run: make, env: { A: "${text}" }, on_failure: { goto: last, context: { note: x } } }
  - { id: last, type: command, run: make }
`;
  test.each([
    ['contxt.greeting', 'there is no name "contxt" (did you mean "context"?)'],
    ['greting', 'there is no name "greting" (did you mean "greeting"?)'],
    ['context.nte', 'the context has no "nte" (did you mean "note"?)'],
    ['params.whom', 'there is no parameter "whom" (did you mean "who"?)'],
    ['outputs.lst.x', 'no stage and no output is called "lst" (did you mean "last"?)'],
    ['gate.failed_checks', '"gate" exists only in the context of a transition of a gate stage'],
  ])('is reported at its position: %s', (name, message) => {
    expect(errors(command(`{{ ${name} }}`))).toEqual([`7:56 NAME_UNKNOWN ${message}`]);
  });

  test.each([
    'greeting',
    'context.greeting',
    'note',
    'context.note',
    'params.who',
    'outputs.say',
    'context.outputs.say',
    'issue_number',
    'trigger.issue',
    'run.id',
  ])('is not %s', (name) => {
    expect(errors(command(`{{ ${name} }}`))).toEqual([]);
  });
});

test('an output is known by its name also where the id of its stage has a dot', () => {
  const output = '{ name: notes, type: file, pattern: "*.md" }';
  expect(
    errors(`stages:
  - { id: v1.notes, type: command, run: make, outputs: [${output}] }
  - { id: last, type: command, run: make, env: { A: "{{ outputs.notes }}" } }
`),
  ).toEqual([]);
});

test('a loop without a bound is a warning that says what happens, and the file compiles', () => {
  const {
    errors: none,
    warnings,
    compiled,
  } = check(`limits: { max_iterations: 4 }
stages:
  - { id: a, type: command, run: make }
  - { id: b, type: command, run: make, on_failure: a }
`);
  expect(none).toEqual([]);
  expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '7 stage "b": the loop from "b" to "a" has no limit; after 4 iterations the run escalates',
  ]);
  expect(compiled?.definition.steps[1]?.next.fail).toMatchObject({ to: { step: 'a' }, max: 4, then: { end: 'escalate' } });
});

test('a problem of a stage is at its line, whatever its name begins with', () => {
  const lines = (text: string): string[] => check(text).errors.map(({ line, code }) => `${line} ${code}`);
  expect(
    lines(`stages:
  - { id: build, type: command, run: make, on_complete: complete }
  - { id: build.docs, type: command, run: make docs }
`),
  ).toEqual(['6 UNREACHABLE']);
});

test('every stage can have on_complete, but not two transitions for the same outcome', () => {
  expect(errors('stages:\n  - { id: a, type: command, run: make, on_complete: complete }\n')).toEqual([]);
  expect(errors('stages:\n  - { id: a, type: command, run: make, on_complete: complete, on_success: fail }\n')).toEqual([
    '5:63 FIELD_CONFLICT "on_complete" and "on_success" mean the same here, and a stage can have only one of them',
  ]);
});

test('rework that comes back to a person without the gate before it is a warning that names the gate', () => {
  const {
    errors: none,
    warnings,
    compiled,
  } = check(`stages:
  - { id: work, type: command, run: make }
  - { id: test, type: gate, conditions: [{ check: command, run: make test }], on_fail: { goto: work, max_iterations: 2, then: escalate } }
  - { id: ask, type: human, prompt: Good?, options: [{ label: Yes, goto: complete }, { label: Again, goto: fix }] }
  - { id: fix, type: command, run: make fix, on_complete: { goto: ask, max_iterations: 3, then: escalate } }
`);
  expect([none, compiled === undefined]).toEqual([[], false]);
  expect(warnings.map(({ line, code, message }) => `${line} ${code} ${message}`)).toEqual([
    '7 CHECK_BYPASSED stage "ask": changes made by "fix" after a decision at "ask" return to it without passing "test"',
  ]);
});

describe('a schedule', () => {
  const file = (trigger: string): string => `trigger: ${trigger}
params: { scope: { required: true } }
stages:
  - { id: say, type: command, run: make }
`;
  test.each([
    ['{ schedule: "0 0 30 2 *", params: { scope: all } }', '4:22 SCHEDULE_INVALID the schedule "0 0 30 2 *" names a date that never comes'],
    ['{ schedule: "@daily", timezone: Nowhere, params: { scope: all } }', '4:42 SCHEDULE_INVALID there is no time zone "Nowhere"'],
    ['{ timezone: UTC }', '4:22 SCHEDULE_INVALID "trigger.timezone" needs a schedule'],
    ['{}', '4:10 SCHEDULE_INVALID the trigger must have an event, a command or a schedule'],
  ])('a schedule that starts nothing is reported at its position: %s', (trigger, error) => {
    expect(errors(file(trigger))).toEqual([error]);
  });

  test('must give every parameter that the workflow needs', () => {
    expect(errors(file('{ schedule: "@daily" }'))).toEqual([expect.stringMatching(/SCHEDULE_INVALID .*scope/)]);
    expect(errors(file('{ schedule: "@daily", params: { scope: all } }'))).toEqual([]);
  });
});

test('the end of a trigger is a day, a time in UTC or an age; anything else is an error where it is written', () => {
  const file = (stop: string): string =>
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\ntrigger:\n  event: push\n  stop_after: "${stop}"\nstages: [{ id: a, type: command, run: make }]\n`;
  const endOf = (stop: string): string =>
    new Date(checkYaml('w.yaml', file(stop), REGISTRY).compiled?.trigger?.stopAfter ?? 0).toISOString();
  expect([endOf('2027-03-31'), endOf('2027-03-31T12:00Z')]).toEqual(['2027-03-31T23:59:59.999Z', '2027-03-31T12:00:00.000Z']);
  expect(checkYaml('w.yaml', file('+30d'), REGISTRY).compiled?.trigger).toMatchObject({ stopAfterMs: 30 * 86_400_000 });
  for (const wrong of ['soon', '2027-13-31', '31.3.2027', '2027-03-31T12:00', '+', '+0d', '+soon', '30d'])
    expect([wrong, checkYaml('w.yaml', file(wrong), REGISTRY).errors]).toMatchObject([wrong, [{ code: 'FIELD_INVALID', line: 6 }]]);
});

test('a command that starts a workflow is a word of its own, and not the one for runs', () => {
  const file = (command: string): string =>
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\ntrigger: { command: "${command}" }\nstages: [{ id: a, type: command, run: make }]\n`;
  expect(checkYaml('w.yaml', file('re-view2'), REGISTRY)).toMatchObject({ errors: [], compiled: { command: 're-view2' } });
  for (const wrong of ['pawl', 'Review', '/review', 'two words', '2go', '', 'x'.repeat(41)])
    expect([wrong, checkYaml('w.yaml', file(wrong), REGISTRY).errors]).toMatchObject([wrong, [{ code: 'FIELD_INVALID', line: 4 }]]);
});

describe('the checks that a file names', () => {
  const named = (lines: string): string[] =>
    (check(lines).references ?? []).flatMap((one) => (one.kind === 'check' ? [`${one.line}:${one.column} ${one.step} ${one.name}`] : []));
  const GATE = '  - { id: a, type: gate, conditions: [{ check: comand, run: make }, { check: any_of, conditions: [{ check: mine }] }] }\n';

  test('are found with their positions, also inside of other checks', () => {
    expect(named(`stages:\n${GATE}`)).toEqual(['5:48 a comand', '5:78 a any_of', '5:108 a mine']);
  });

  test.each([
    ['a field of a stage', '  - { id: b, type: command, rn: make }\n'],
    ['a target', '  - { id: b, type: command, run: make, on_success: nowhere }\n'],
    ['a name', '  - { id: b, type: command, run: make, env: { A: "{{ params.nobody }}" } }\n'],
  ])('are found beside a mistake in %s', (_, stage) => {
    expect(check(`stages:\n${GATE}${stage}`).errors).not.toEqual([]);
    expect(named(`stages:\n${GATE}${stage}`)).toContain('5:48 a comand');
  });
});
