// Workflow files written from definitions: what was read from a file reads back equal, and the rest is refused by name.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { describeWorkflow } from '../../../definition/plain-workflow.ts';
import { REGISTRY } from '../../../kinds/registry.ts';
import { compileGraph } from '../../graph/graph.ts';
import { checkYaml } from '../check/check.ts';
import { writeYaml } from './write.ts';

/** The stages that the seed's single stages lead on to. */
const NAMED = ['next_stage', 'merge_stage', 'handle_rejection'];
const SEEDS = join(import.meta.dirname, '../../../../test/seeds/002');

function compiled(text: string) {
  const { compiled: workflow, errors } = checkYaml('w.yaml', text, REGISTRY);
  if (workflow === undefined) throw new Error(JSON.stringify(errors));
  return workflow;
}

/** A file with these lines below its head. */
function file(lines: string): string {
  return `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\n${lines}`;
}

/** Writes what a file means and reads it again. */
function expectSame(text: string): string {
  const workflow = compiled(text);
  const written = writeYaml(describeWorkflow(workflow), REGISTRY);
  expect(written.differences).toEqual([]);
  expect(compiled(written.text).hash).toBe(workflow.hash);
  return written.text;
}

describe('a definition that came from a file reads back equal', () => {
  test.each(['feature-development', 'simple-review', 'bug-fix', 'security-feature'])('%s of the seed', (name) => {
    expectSame(readFileSync(join(SEEDS, `${name}.yaml`), 'utf8'));
  });

  test.each(['action', 'agent', 'delay', 'gate', 'parallel', 'webhook'])('the %s stage of the seed', (name) => {
    const snippet = readFileSync(join(SEEDS, `stage-${name}.yaml`), 'utf8');
    const around = ['previous_stage', ...NAMED].map(
      (id) => `- { id: ${id}, type: agent, agent: a, outputs: [{ name: ${id === 'previous_stage' ? 'changed_files' : id}, type: pr }] }\n`,
    );
    const [before, ...others] = around;
    // A stage that nothing leads to would be refused.
    const after = others.filter((_, index) => snippet.includes(`: ${NAMED[index]}`));
    expectSame(file(`context: { has_security_label: true }\nstages:\n${before}${snippet}\n${after.join('')}`));
  });

  test.each([
    'on_timeout: { retry: 2, then: b }',
    'on_timeout: { retry: 2, backoff: { initial: 10s } }, on_error: { retry: 2, backoff: { initial: 10s }, then: b }',
    'on_error: { retry: 2, then: b }',
    'on_error: { retry: 2 }, on_timeout: escalate',
    'on_error: { retry: 2 }, on_timeout: b',
    'on_timeout: { retry: 1 }, on_error: { goto: a, max_iterations: 2 }',
    'condition: "true", on_enter: { notify: ann }, on_error: { spawn: mender, then: b }',
  ])('a stage with %s', (transitions) => {
    expectSame(
      file(`stages:\n  - { id: a, type: agent, agent: dev, timeout: 1m, ${transitions} }\n  - { id: b, type: command, run: make }\n`),
    );
  });

  test('an agent that may ask, with the schema of its output', () => {
    const schema = '{ type: object, required: [summary], properties: { summary: { type: string } } }';
    expectSame(
      file(
        `stages: [{ id: a, type: agent, agent: dev, supports_questions: true, protected: ["tests/**"], may_change: ["tests/a"], schema: ${schema}, budget: { turns: 9, time: 1h } }]\n`,
      ),
    );
  });

  test('databases of the workflow and of stages', () => {
    const own = '{ notes: { access: write, deletes: 3, copy: work/n.db, expect: ["SELECT 1"] }, book: read }';
    const stages = `[{ id: a, type: command, run: make, on_conflict: b }, { id: b, type: agent, agent: dev, databases: ${own} }, { id: c, type: human, prompt: Good? }]`;
    expectSame(file(`databases: [book]\nstages: ${stages}\n`));
  });

  test('permissions, a budget, and a question for several people about files', () => {
    const ask = '{ id: ask, type: human, prompt: Good?, from: [maintainers, owners], count: 2, subjects: ["docs/**"], signed: true }';
    expectSame(
      file(
        `permissions: { contents: read, issues: none }\nprotected: ["ci/**"]\nbudget: { tokens: 1000, cost_usd: 2.5, time: 2h }\nstages: [${ask}]\n`,
      ),
    );
  });

  test('reports of tests, small shares and expressions in braces', () => {
    const checks = [
      '{ check: command, run: make, expect: "{{ exit_code == 1 }}", report: junit.xml, tests: required }',
      '{ check: coverage, minimum: 0.5% }',
    ];
    expectSame(file(`stages: [{ id: a, type: gate, conditions: [${checks.join(', ')}] }]\n`));
    expectSame(file('stages: [{ id: a, type: delay, duration: 1m, poll: { interval: 5s, condition: "{{ run.id != null }}" } }]\n'));
  });

  test('parameters, context, limits and hooks', () => {
    const text = expectSame(
      file(`params: { who: { description: whom, default: ann }, n: { type: integer, min: 1, required: true } }
context: { greeting: "hello {{ params.who }}", list: [1, { a: null }] }
limits: { max_iterations: 4 }
stages: [{ id: a, type: command, argv: [echo, x], env: { G: "{{ greeting }}" }, timeout: 1500ms }]
on_complete: [{ close_issue: 7 }, { comment: { target: issue, message: "done\\nwell" } }, { merge_pr: { method: squash } }]
on_error: [{ label_issue: needs-human }, { label: { remove: [x] } }, { notify: maintainers }, { create_issue: { title: t } }]
`),
    );
    expect(text).toContain('timeout: 1500ms');
  });

  test('whatever stages and transitions a file has', () => {
    fc.assert(
      fc.property(fc.array(stage, { minLength: 1, maxLength: 4 }), (stages) => {
        const numbered = stages.map((one, index) => ({ id: `s${index}`, ...one }));
        const end = { id: 'end', type: 'command', run: 'true' };
        const text = file(stringify({ stages: [...numbered, end] }));
        // Ways that are drawn at random may leave a stage that nothing leads to.
        fc.pre(checkYaml('w.yaml', text, REGISTRY).compiled !== undefined);
        expectSame(text);
      }),
    );
  });
});

const target = fc.constantFrom('s0', 'end', 'complete', 'escalate', 'fail');
const notified = fc.constantFrom('maintainers', { target: 'ann', message: 'see {{ run.id }}' });
const duration = fc.constantFrom('1ms', '90s', '30m', '24h', '48h', '72h', '10d');
const transition = fc.oneof(
  target,
  fc.record({ delay: duration, then: target }),
  fc.record({ goto: target, context: fc.constant({ why: '{{ run.id }}' }) }),
  fc.record({ goto: target, max_iterations: fc.integer({ min: 1, max: 5 }), then: target }),
  fc.record({ spawn: fc.constant('mender'), then: target }),
  fc.record({ notify: notified, then: target }),
);
const retried = fc.record(
  {
    retry: fc.integer({ min: 1, max: 3 }),
    backoff: fc.constantFrom({ initial: '1s' }, { initial: '90s', factor: 1.5, max: '1h' }),
    then: target,
  },
  { requiredKeys: ['retry'] },
);
const extended = fc.record(
  { notify: notified, extend: duration, max_extensions: fc.constant(2), then: target },
  { requiredKeys: ['extend'] },
);
const around = {
  name: fc.constantFrom('A name', 'another: "one"'),
  timeout: duration,
  recovery: fc.constantFrom('rerun', 'ask'),
  on_error: fc.oneof(transition, retried),
  on_timeout: fc.oneof(transition, extended),
  on_enter: fc.record({ notify: notified }),
};

/** A stage of a type with its own fields, and any of its transitions. */
function typed(fields: object, keys: readonly string[]): fc.Arbitrary<object> {
  const own = Object.fromEntries(keys.map((key) => [key, transition]));
  return fc.record({ ...around, ...own }, { requiredKeys: [] }).map((chosen) => ({ ...fields, ...chosen }));
}

const stage = fc.oneof(
  typed({ type: 'command', run: 'true' }, ['on_success', 'on_failure']),
  typed({ type: 'agent', agent: 'dev', prompt: 'do {{ run.id }}', continue_session: true }, ['on_complete', 'on_fail', 'on_reject']),
  typed({ type: 'gate', conditions: [{ check: 'command', run: 'true', timeout: '5s' }] }, ['on_pass', 'on_fail']),
  typed({ type: 'gate', conditions: [{ check: 'any_of', conditions: [{ check: 'coverage', minimum: 82.5 }] }] }, ['on_complete']),
  typed(
    {
      type: 'human',
      prompt: 'Sure?',
      options: [
        { label: 'a', goto: 'end' },
        { label: 'b', outcome: 'reject' },
      ],
    },
    ['on_reject'],
  ),
  typed({ type: 'human', prompt: 'Sure?' }, ['on_complete']),
  typed({ type: 'delay', duration: '90s', condition: 'run.id == "x"' }, ['on_complete', 'skip_to']),
  typed({ type: 'workflow', workflow: 'child', input: { a: 1 } }, ['on_fail', 'on_reject']),
  typed({ type: 'action', action: 'merge_pr', method: 'squash' }, ['on_success', 'on_conflict', 'on_ci_failure']),
  typed({ type: 'webhook', request: { url: 'https://x.example' }, expect: { status: 200 } }, ['on_success', 'on_failure']),
  typed(
    {
      type: 'parallel',
      join: '1-of-2',
      branches: [
        { id: 'a', agent: 'x' },
        { id: 'b', type: 'command', run: 'y' },
      ],
    },
    ['on_any_reject', 'on_all_reject', 'on_fail'],
  ),
);

describe('a definition that came from a module', () => {
  test('a module without functions is exported, and each difference is reported', () => {
    const workflow = compileGraph(
      {
        name: 'w',
        steps: [
          { id: 'a', command: 'true', next: 'b' },
          { id: 'b', gate: { checks: [{ check: 'command', run: 'true' }] }, next: { ok: null, fail: { to: 'a', maxIterations: 2 } } },
        ],
      },
      REGISTRY,
    );
    const { text, differences } = writeYaml(describeWorkflow(workflow), REGISTRY);
    expect(compiled(text).definition.steps.map(({ id, next }) => [id, next.ok])).toEqual(
      workflow.definition.steps.map(({ id, next }) => [id, next.ok]),
    );
    expect(differences).toContainEqual(expect.stringMatching(/^step "a": .*merges/));
  });

  test.each([
    ['work that is a function', { handler: () => 1 }, 'step "a" cannot be written in a workflow file: it contains a function'],
    ['a contract', { command: 'x', postconditions: [{ name: 'n', check: 'true', error: 'e' }] }, 'step "a" cannot be written'],
    [
      'a conditional transition',
      { command: 'x', next: { condition: 'true', onTrue: 'b', onFalse: null } },
      'an expression chooses its next step',
    ],
    ['a kind that files do not have', { each: { items: 'list', step: { command: 'x' } } }, 'workflow files cannot have a "each" step'],
    [
      'a question after the work',
      { command: 'x', humanGate: { prompt: 'ok?', context: [] } },
      'its question comes after its work; write two steps',
    ],
  ])('is refused for %s', (_, fields, message) => {
    const workflow = compileGraph(
      {
        name: 'w',
        steps: [
          { id: 'a', next: 'b', ...fields },
          { id: 'b', command: 'true', next: null },
        ],
      } as never,
      REGISTRY,
    );
    expect(() => writeYaml(describeWorkflow(workflow), REGISTRY)).toThrow(message);
  });
});
