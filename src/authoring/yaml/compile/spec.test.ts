// Owns the rules of translating a workflow file into the spec of a graph: each way of writing a thing gives the same spec.

import { describe, expect, it } from 'vitest';
import { REGISTRY } from '../../../kinds/registry.ts';
import { compileWorkflow } from '../../graph/graph.ts';
import type { GraphEntries, StepFields } from '../../graph/spec.ts';
import { readYamlWorkflow } from '../read/read.ts';
import { draftYaml, triggerOf } from './compile.ts';
import { specOf } from './spec.ts';
import { Transitions } from './transition.ts';

const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\n';
const AGENT = 'type: agent, agent: dev';

function fileOf(text: string) {
  const { document, problems } = readYamlWorkflow(text, 'w.yaml', { compilers: REGISTRY });
  expect(problems).toEqual([]);
  return document as NonNullable<typeof document>;
}

/** The spec of a workflow with one stage, whose fields are given as YAML on one line, and one more field. */
function specWith(fields: string, more = ''): GraphEntries {
  const file = fileOf(`${HEAD}${more}\nstages:\n  - { id: a, ${fields} }\n  - { id: b, ${AGENT} }\n  - { id: c, ${AGENT} }\n`);
  return specOf(file, new Transitions(file, 10), REGISTRY);
}

const stepsOf = ({ steps }: GraphEntries): ReadonlyMap<string, StepFields> => new Map(steps);

describe('a transition becomes an edge, and steps that lie on it', () => {
  it.each<[string, object, object?]>([
    ['escalate', { to: 'escalate' }],
    ['b', { to: 'b' }],
    ['a', { to: 'a', maxIterations: 10, onExhausted: 'escalate' }],
    ['{ goto: b }', { to: 'b' }],
    [
      '{ goto: a, context: { why: "{{ x }}" }, max_iterations: 3, then: c }',
      { to: 'a', context: { why: '{{ x }}' }, maxIterations: 3, onExhausted: 'c' },
    ],
    ['{ retry: 2 }', { to: 'escalate' }],
    ['{ retry: 2, then: c }', { to: 'c' }],
    ['{ extend: 24h }', { to: 'escalate' }],
    ['{ delay: 30s, then: b }', { to: 'a.on_timeout.delay' }, { delay: '30s', next: { ok: 'b' } }],
    [
      '{ spawn: mender, then: b }',
      { to: 'a.on_timeout.spawn' },
      { agent: 'mender', reviews: false, next: { ok: 'b', reject: 'escalate' } },
    ],
    [
      '{ notify: all, then: b }',
      { to: 'a.on_timeout.notify' },
      { forge: { action: 'notify', target: 'all' }, next: { ok: 'b', error: 'b', timeout: 'b' } },
    ],
    [
      '{ notify: { target: all, message: hey }, extend: 24h, max_extensions: 3, then: c }',
      { to: 'c' },
      { forge: { action: 'notify', target: 'all', message: 'hey' }, side: true, next: {} },
    ],
  ])('%s', (written, edge, between) => {
    const steps = stepsOf(specWith(`${AGENT}, on_timeout: ${written}`));
    expect(steps.get('a')?.next).toMatchObject({ timeout: edge });
    const added = [...steps].flatMap(([id, step]) => (id.startsWith('a.') ? [step] : []));
    expect(added).toMatchObject(between === undefined ? [] : [between]);
  });

  it('extend is more time before the timeout, and retry is more attempts', () => {
    const extended = specWith(`${AGENT}, on_timeout: { notify: all, extend: 24h, max_extensions: 3 }`);
    expect(extended.steps[0]?.[1]).toMatchObject({ extend: { by: '24h', max: 3, onExtend: 'a.on_timeout.notify' } });
    const backoff = 'backoff: { initial: 1s, factor: 3, max: 1m }';
    expect(specWith(`${AGENT}, on_timeout: { retry: 2, ${backoff} }`).steps[0]?.[1]).toMatchObject({
      retry: { max: 2, on: ['timeout'], backoff: { initial: '1s', factor: 3, max: '1m' } },
    });
    expect(specWith(`${AGENT}, on_error: { retry: 2 }`).steps[0]?.[1]).toMatchObject({ retry: { max: 2, on: ['error', 'timeout'] } });
  });
});

describe('a stage becomes a step', () => {
  it.each<[string, object]>([
    [
      `${AGENT}, name: Do it, action: fix, prompt: p, context: { n: 1 }, continue_session: true, timeout: 1h30m, recovery: ask, condition: x`,
      {
        agent: 'dev',
        title: 'Do it',
        action: 'fix',
        prompt: 'p',
        context: { n: 1 },
        seesContext: true,
        continueSession: true,
        timeout: '1h30m',
        recovery: 'ask',
        condition: 'x',
        merges: false,
      },
    ],
    [
      `${AGENT}, outputs: [{ name: o, type: file, pattern: "src/**" }, { name: p, type: pr, required: true }]`,
      {
        outputs: [
          { name: 'o', type: 'file', pattern: 'src/**' },
          { name: 'p', type: 'pr', required: true },
        ],
        merges: ['pr_number'],
      },
    ],
    [
      'type: delay, duration: 30s, poll: { interval: 5s, condition: "{{ x }}" }',
      { delay: { duration: '30s', poll: { interval: '5s', condition: 'x' } } },
    ],
    [
      'type: command, argv: [make, it], env: { N: 1, T: "{{ x }}", B: true }',
      { command: ['make', 'it'], env: { N: '1', T: '{{ x }}', B: 'true' } },
    ],
    [
      'type: webhook, request: { url: "https://a.example", body: { n: 1 } }, expect: { status: 201, body: { ok: true } }',
      {
        webhook: {
          request: { url: 'https://a.example', method: 'POST', headers: {}, body: { n: 1 } },
          expect: { status: 201, body: { ok: true } },
        },
      },
    ],
    [
      'type: human, prompt: Good?, from: all, options: [{ label: Yes }, { label: No, outcome: reject, requires_input: true }, { label: Back, goto: b }]',
      {
        human: {
          from: 'all',
          options: [
            { label: 'Yes', outcome: 'ok', requiresInput: false },
            { label: 'No', outcome: 'reject', requiresInput: true },
            { label: 'Back', outcome: 'ok', requiresInput: false, nextStep: 'b' },
          ],
        },
      },
    ],
    ['type: workflow, workflow: w, input: { v: "{{ params.v }}" }', { workflow: 'w', input: { v: '{{ params.v }}' } }],
    ['type: action, action: label, add: x', { forge: { action: 'label', add: ['x'], remove: [] } }],
    ['type: action, action: merge_pr, method: squash', { forge: { action: 'merge_pr', method: 'squash', delete_branch: false } }],
    [
      'type: parallel, join: 2-of-2, concurrency: 1, branches: [{ id: b, agent: x }, { id: c, type: command, run: make }]',
      {
        parallel: {
          join: 2,
          concurrency: 1,
          branches: [
            ['b', { agent: 'x' }],
            ['c', { command: 'make' }],
          ],
        },
      },
    ],
  ])('%s', (fields, shape) => {
    expect(specWith(fields).steps[0]?.[1]).toMatchObject(shape);
  });

  it('a message on entering a stage is a step before it, which every transition to the stage leads to', () => {
    const spec = specWith(`${AGENT}, on_enter: { notify: all }, condition: x, on_error: a`);
    expect(spec.entry).toBe('a.enter');
    expect(spec.steps[0]).toMatchObject(['a.enter', { forge: { action: 'notify', target: 'all' }, condition: 'x', next: { ok: 'a' } }]);
    expect(spec.steps[1]).toMatchObject(['a', { next: { error: { to: 'a.enter' } } }]);
  });
});

describe('a check has one spelling', () => {
  it.each<[string, object]>([
    ['check: command, run: make, timeout: 1m', { check: 'command', run: 'make', timeout: '1m' }],
    ['check: pr_approval, from: all', { check: 'pr_approval', from: ['all'], count: 1 }],
    ['check: pr_approval, from: [a, b], count: 2', { check: 'pr_approval', from: ['a', 'b'], count: 2 }],
    ['check: ci_status', { check: 'ci_status', workflows: [], expect: 'success' }],
    [
      'check: webhook, url: "https://a.example", expect: "{{ status == 200 }}"',
      { check: 'webhook', url: 'https://a.example', method: 'GET', expect: 'status == 200', templates: true },
    ],
    ['check: coverage, minimum: 80%', { check: 'coverage', minimum: 80, metric: 'line', paths: [] }],
    ['check: coverage, minimum: 80', { minimum: 80 }],
    ['check: coverage, minimum: 0.5%', { minimum: '0.5%' }],
    [
      'check: any_of, conditions: [{ check: file_exists, paths: [a] }]',
      { check: 'any_of', checks: [{ check: 'file_exists', paths: ['a'] }] },
    ],
    ['check: licences, allow: [MIT], note: "{{ x }}", timeout: 1m', { check: 'licences', allow: ['MIT'], note: '{{ x }}', timeout: '1m' }],
  ])('%s', (fields, shape) => {
    expect(specWith(`type: gate, conditions: [{ ${fields} }]`).steps[0]?.[1].gate?.checks[0]).toMatchObject(shape);
  });
});

describe('the head of a file', () => {
  it.each<[string, object]>([
    ['params: { v: { type: integer, min: 1, default: 2 } }', { params: { v: { type: 'integer', min: 1, default: 2 } } }],
    ['context: { b: "{{ trigger.x }}", a: [1] }', { data: { b: '{{ trigger.x }}', a: [1] } }],
    ['budget: { tokens: 5, cost_usd: 0.5, turns: 3, time: 1h }', { budget: { tokens: 5, costUsd: 0.5, turns: 3, timeMs: 3_600_000 } }],
    ['permissions: { issues: write, contents: none }', { permissions: { issues: 'write', contents: 'none' } }],
  ])('%s', (more, shape) => {
    expect(specWith(AGENT, more)).toMatchObject(shape);
  });

  it.each<[string, object]>([
    ['trigger: push', { event: 'push', labels: [], baseBranches: [] }],
    [
      'trigger: { event: e, conditions: { label: l, labels: [m], assignee_is_bot: false, milestone: v1, base_branch: main } }',
      { event: 'e', label: 'l', labels: ['m'], assigneeIsBot: false, milestone: 'v1', baseBranches: ['main'] },
    ],
  ])('%s', (more, shape) => {
    expect(triggerOf(fileOf(`${HEAD}${more}\nstages: [{ id: a, ${AGENT} }]\n`))).toEqual(shape);
  });

  it('hooks are steps: before the end of a run that completes, beside one that failed', () => {
    const hooks =
      'on_complete: [{ close_issue: "{{ context.n }}" }, { comment: { target: issue, message: m } }, { merge_pr: { method: squash } }]\n' +
      'on_error: [{ label_issue: x }, { notify: all }, { label: { remove: [y] } }, { create_issue: { title: t } }]';
    const spec = specWith(AGENT, hooks);
    expect(spec.onError).toBe('on_error.1');
    const steps = stepsOf(spec);
    expect(steps.get('c')?.next).toMatchObject({ ok: { to: 'on_complete.1' } });
    const forge = (id: string) => [1, 2, 3, 4].map((n) => steps.get(`${id}.${n}`)?.forge);
    expect(forge('on_complete')).toMatchObject([
      { action: 'close_issue', issue: '{{ context.n }}' },
      { action: 'comment', target: 'issue' },
      { action: 'merge_pr', method: 'squash', delete_branch: false },
      undefined,
    ] as object[]);
    expect(forge('on_error')).toMatchObject([
      { action: 'label', add: ['x'], remove: [] },
      { action: 'notify', target: 'all' },
      { action: 'label', add: [], remove: ['y'] },
      { action: 'create_issue', title: 't', labels: [] },
    ]);
    expect(steps.get('on_error.4')).toMatchObject({ side: true, next: {} });
  });
});

it('stages keep their order, also if an id is a number', () => {
  const file = fileOf(`${HEAD}stages:\n  - { id: b, ${AGENT} }\n  - { id: "2", ${AGENT} }\n  - { id: "1", ${AGENT} }\n`);
  expect(specOf(file, new Transitions(file, 10), REGISTRY).steps.map(([id]) => id)).toEqual(['b', '2', '1']);
  expect(draftYaml(file, REGISTRY).definition?.steps.map(({ id }) => id)).toEqual(['b', '2', '1']);
});

it('a file and the graph that says the same have the same hash', () => {
  const file = fileOf(`${HEAD}context: { why: none }
permissions: { contents: write }
stages:
  - id: build
    type: agent
    agent: dev
    prompt: "Fix {{ context.why }}"
    timeout: 1h
    outputs: [{ name: code, type: file, pattern: "src/**" }]
    on_timeout: { extend: 30m, max_extensions: 2 }
  - id: check
    type: gate
    conditions: [{ check: any_of, conditions: [{ check: command, run: make, timeout: 1m }] }]
    on_fail: { goto: build, context: { why: "{{ gate.failed_checks }}" }, max_iterations: 2 }
`);
  const failures = { error: 'escalate', timeout: 'escalate' } as const;
  const graph = compileWorkflow(
    {
      name: 'w',
      data: { why: 'none' },
      permissions: { contents: 'write' },
      facts: ['issue_number', 'pr_number', 'labels', 'base_branch'],
      steps: {
        build: {
          agent: 'dev',
          prompt: 'Fix {{ context.why }}',
          seesContext: true,
          templates: true,
          merges: false,
          timeout: '1h',
          outputs: [{ name: 'code', type: 'file', pattern: 'src/**', required: false }],
          extend: { by: '30m', max: 2 },
          next: { ok: 'check', skip: 'check', fail: 'escalate', ...failures },
        },
        check: {
          gate: { checks: [{ check: 'any_of' as const, checks: [{ check: 'command' as const, run: 'make', timeout: '1m' as const }] }] },
          merges: false,
          next: {
            ok: null,
            skip: null,
            fail: { to: 'build', context: { why: '{{ gate.failed_checks }}' }, maxIterations: 2 },
            ...failures,
          },
        },
      },
    },
    REGISTRY,
  );
  const { finish, problems } = draftYaml(file, REGISTRY);
  const workflow = finish?.();
  expect(problems.filter(({ severity }) => severity !== 'hint')).toEqual([]);
  expect(workflow?.definition).toEqual(graph.definition);
  expect(workflow?.hash).toBe(graph.hash);
  expect(graph.definition).toMatchObject({ outputNames: { code: 'build' } });
});

it.each([
  ['2', { key: 'workflow:w', max: 2 }],
  ['{ max: 1, key: deploy }', { key: 'shared:deploy', max: 1 }],
])('concurrency: %s limits the steps of all runs', (text, concurrency) => {
  const file = `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nconcurrency: ${text}\nstages:\n  - { id: a, type: command, run: make }\n`;
  const { document } = readYamlWorkflow(file, 'w.yaml', { compilers: REGISTRY });
  expect(document && draftYaml(document, REGISTRY).definition?.concurrency).toEqual(concurrency);
});
