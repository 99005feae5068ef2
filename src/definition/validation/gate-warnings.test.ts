import { expect, test } from 'vitest';
import { checkYaml } from '../../authoring/yaml/check/check.ts';
import { REGISTRY } from '../../kinds/registry.ts';

const GATE = 'type: gate, conditions: [{ check: command, run: npm test }]';
const WEAK = 'type: gate, conditions: [{ check: file_exists, paths: [README.md] }]';
const WORK = 'type: agent, agent: dev, prompt: Work.';
const MERGE = '{ id: merge, type: action, action: merge_pr }';

/** The warnings of a workflow file with these stages, each with the line of its stage. */
function warningsOf(...stages: readonly string[]): string[] {
  const text = ['apiVersion: pawl.dev/v1', 'kind: Workflow', 'metadata: { name: w }', 'stages:', ...stages.map((stage) => `  - ${stage}`)];
  const { errors, warnings } = checkYaml('w.yaml', `${text.join('\n')}\n`, REGISTRY);
  expect(errors).toEqual([]);
  return warnings.map(({ code, message, line }) => `${line - 4} ${code} ${message}`);
}

test('a gate that an agent works after is reported when the merge does not come back to it', () => {
  expect(warningsOf(`{ id: work, ${WORK} }`, `{ id: tests, ${GATE} }`, `{ id: docs, ${WORK} }`, `{ id: weak, ${WEAK} }`, MERGE)).toEqual([
    '2 GATE_BEFORE_WORK stage "tests": agents can change files at "docs" after this gate passed, and the merge does not come back to it',
  ]);
});

test('a gate between all work and the merge is not, nor one that sends work back to itself', () => {
  expect(
    warningsOf(
      `{ id: work, ${WORK}, on_complete: tests }`,
      `{ id: tests, ${GATE}, on_pass: merge, on_fail: { goto: work, max_iterations: 2 } }`,
      MERGE,
    ),
  ).toEqual([]);
});

test('a gate of the moment is not, nor one in a workflow that merges nothing', () => {
  const red = `{ id: red, rerun_at_merge: false, ${GATE} }`;
  expect(warningsOf(`{ id: work, ${WORK} }`, red, `{ id: fix, ${WORK} }`, `{ id: tests, ${GATE} }`, MERGE)).toEqual([]);
  expect(warningsOf(`{ id: work, ${WORK} }`, `{ id: tests, ${GATE} }`, `{ id: docs, ${WORK} }`)).toEqual([]);
});

test('reviewers are no reason to report a gate', () => {
  const review = `{ id: review, type: parallel, branches: [{ id: a, agent: dev, prompt: Look. }, { id: b, agent: dev, prompt: Look. }], on_any_reject: escalate }`;
  expect(warningsOf(`{ id: work, ${WORK} }`, `{ id: tests, ${GATE} }`, review, MERGE)).toEqual([]);
});

test('an agent that must leave the files as they are is no reason to report a gate', () => {
  const look = `{ id: docs, ${WORK}, mutates_checkout: false }`;
  expect(warningsOf(`{ id: work, ${WORK} }`, `{ id: tests, ${GATE} }`, look, MERGE)).toEqual([]);
});

test('a command that hides the files it runs is reported, also inside any_of', () => {
  const hidden = '{ check: command, run: cat ci.sh | sh }';
  expect(warningsOf(`{ id: tests, type: gate, conditions: [{ check: any_of, conditions: [${hidden}] }] }`)).toEqual([
    '1 COMMAND_UNSEEN stage "tests": Pawl cannot see which files the command of this gate runs: sh runs the output of another command',
  ]);
});

test('an agent that is to write what a gate runs is reported, unless it may', () => {
  const out = 'outputs: [{ name: x, type: file, pattern: "src/**" }]';
  const gate = '{ id: tests, type: gate, conditions: [{ check: command, run: "sh src/hello.sh | grep -q hello" }] }';
  expect(warningsOf(`{ id: work, ${WORK}, ${out} }`, gate)).toEqual([
    '1 OUTPUT_PROTECTED stage "work": the outputs include src/hello.sh, which the gate "tests" runs and which is therefore protected: a change to it fails the step',
  ]);
  expect(warningsOf(`{ id: work, ${WORK}, ${out}, may_change: ["src/**"] }`, gate)).toEqual([]);
  expect(
    warningsOf(`{ id: work, ${WORK}, ${out} }`, '{ id: t, type: gate, conditions: [{ check: command, run: grep -q x src/a }] }'),
  ).toEqual([]);
});

test('an agent that has to save its progress where it may change nothing is reported', () => {
  const asks = 'supports_questions: true, question_state: plan.md';
  expect(warningsOf(`{ id: work, ${WORK}, ${asks}, mutates_checkout: false }`)).toEqual([
    '1 STATE_UNWRITABLE stage "work": `question_state` requires writing plan.md, but `mutates_checkout: false` forbids all changes',
  ]);
  expect(warningsOf(`{ id: work, ${WORK}, ${asks} }`)).toEqual([]);
});
