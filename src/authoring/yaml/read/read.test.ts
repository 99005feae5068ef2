// Owns the rules of a workflow file before it is compiled: what can be written, and what is rejected with which message.

import { describe, expect, it } from 'vitest';
import { cpuTimeMs } from '../../../../test/cpu-time.ts';
import { REGISTRY } from '../../../kinds/registry.ts';
import { readYamlWorkflow, type YamlReading } from './read.ts';

const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\n';

const read = (text: string, options = {}): YamlReading => readYamlWorkflow(text, 'w.yaml', { compilers: REGISTRY, ...options });
/** A workflow with one stage, whose fields are given as YAML on one line. */
const withStage = (fields: string): string => `${HEAD}stages:\n  - { id: a, ${fields} }\n`;

const codes = (text: string, options = {}) => read(text, options).problems.map(({ code }) => code);
const told = (text: string) =>
  read(text).problems.map(({ line, column, code, message, hint }) => `${line}:${column} ${code} ${message}; ${hint}`);

const AGENT = 'type: agent, agent: dev';
const GATE = 'type: gate, conditions: [{ check: file_exists, paths: [README.md] }]';

describe('each type of stage has its own transitions', () => {
  const ALWAYS = ['on_complete', 'on_error', 'on_timeout', 'skip_to'];
  const KEYS = [
    ...['on_success', 'on_pass', 'on_fail', 'on_failure', 'on_reject', 'on_any_reject', 'on_all_reject', 'on_conflict'],
    ...['on_ci_failure', ...ALWAYS],
  ];
  it.each([
    ['agent', AGENT, ['on_fail', 'on_reject', 'on_conflict']],
    ['gate', GATE, ['on_pass', 'on_fail']],
    ['parallel', 'type: parallel, branches: [{ id: b, agent: x }]', ['on_fail', 'on_any_reject', 'on_all_reject']],
    ['delay', 'type: delay, duration: 1s', []],
    ['merge', 'type: action, action: merge_pr', ['on_success', 'on_conflict', 'on_ci_failure']],
    ['comment', 'type: action, action: comment, target: pr, message: hi', ['on_success']],
    ['webhook', 'type: webhook, request: { url: "https://a.example" }', ['on_success', 'on_failure']],
    ['human', 'type: human, prompt: Good?', ['on_reject']],
    ['workflow', 'type: workflow, workflow: w', ['on_fail', 'on_reject']],
    ['command', 'type: command, run: make', ['on_success', 'on_failure', 'on_conflict']],
  ])('%s', (_, fields, own) => {
    const accepted = KEYS.filter((key) => codes(withStage(`${fields}, condition: x, ${key}: escalate`)).length === 0);
    expect(accepted.sort()).toEqual([...own, ...ALWAYS].sort());
  });

  it('retry goes with on_error and on_timeout, extend with on_timeout', () => {
    const keys = ['on_complete', 'on_fail', 'on_error', 'on_timeout', 'skip_to'];
    const taking = (form: string) => keys.filter((key) => codes(withStage(`${AGENT}, condition: x, ${key}: ${form}`)).length === 0);
    expect(taking('{ retry: 2 }')).toEqual(['on_error', 'on_timeout']);
    expect(taking('{ extend: 1h }')).toEqual(['on_timeout']);
    expect(taking('{ goto: b }')).toEqual(keys);
  });
});

describe('the least coverage is a percentage', () => {
  it.each(['0.8', '1', '0', '-5', '101', '"0.8"', '80 percent', '"101%"'])('a minimum of %s is refused', (minimum) => {
    expect(codes(withStage(`type: gate, conditions: [{ check: coverage, minimum: ${minimum} }]`))).toEqual(['FIELD_INVALID']);
  });
});

describe('the head of a file', () => {
  const STAGES = `stages: [{ id: a, ${AGENT} }]\n`;
  it.each(['override_triggers: true', 'concurrency: 2', 'concurrency: { max: 1, key: deploy }', 'limits: { max_iterations: 5 }'])(
    'can have %s',
    (fields) => {
      expect(codes(`${HEAD}${fields}\n${STAGES}`)).toEqual([]);
    },
  );

  it('has one of two versions, which are the same', () => {
    const other = `${HEAD}${STAGES}`.replace('pawl.dev', 'squadron.dev');
    expect(read(other).document).toEqual({ ...read(`${HEAD}${STAGES}`).document, apiVersion: 'squadron.dev/v1' });
  });
});

describe('fields that need or exclude each other', () => {
  it.each([
    ['type: command, cwd: x', 'FIELD_MISSING'],
    ['type: command, run: a, argv: [a]', 'FIELD_CONFLICT'],
    ['type: gate, conditions: [{ check: command }]', 'FIELD_MISSING'],
    ['type: gate, conditions: [{ check: any_of, conditions: [{ check: command }] }]', 'FIELD_MISSING'],
    ['type: parallel, branches: [{ id: b, type: command }]', 'FIELD_MISSING'],
    ['type: parallel, join: 2-of-3, branches: [{ id: b, agent: x }]', 'FIELD_CONFLICT'],
    ['type: parallel, join: 2-of-1, branches: [{ id: b, agent: x }]', 'FIELD_CONFLICT'],
    ['type: action, action: label', 'FIELD_MISSING'],
    [`${AGENT}, outputs: [{ name: o, type: file }]`, 'FIELD_MISSING'],
    [`${AGENT}, outputs: [{ name: o, type: comment, pattern: x }]`, 'FIELD_CONFLICT'],
  ])('%s', (fields, code) => {
    expect(codes(withStage(fields))).toEqual([code]);
  });

  it('a skip_to that is never taken is a warning', () => {
    const skip = read(withStage(`${AGENT}, skip_to: escalate`));
    expect(skip.document).toBeDefined();
    expect(skip.problems).toMatchObject([{ code: 'FIELD_CONFLICT', severity: 'warning', column: 39 }]);
  });
});

describe('a misspelt field is reported once, at its position', () => {
  it('also when it makes another one missing', () => {
    expect(told(withStage('type: agent, agnt: dev'))).toEqual([
      '5:27 FIELD_UNKNOWN an agent stage has no field "agnt" (did you mean "agent"?); rename it to "agent"',
    ]);
  });

  it('also where any other field is allowed', () => {
    const [first, ...more] = told(withStage('type: gate, conditions: [{ chek: command, run: npm test }]'));
    expect(more).toEqual([]);
    expect(first).toBe('5:39 FIELD_MISSING a check must have "check"; for example "check: command"');
  });

  it('a field of another form says whose it is', () => {
    expect(told(withStage(`${GATE}, branches: []`))[0]).toContain('"branches" belongs to a parallel stage');
    expect(told(withStage('type: action, action: notify, target: all, method: squash'))[0]).toContain(
      '"method" belongs to a merge_pr action',
    );
    expect(told(withStage('type: gate, conditions: [{ check: file_exists, paths: [a], url: x }]'))[0]).toContain(
      '"url" belongs to a webhook check',
    );
  });

  it('a transition is the form that its first field says, however many fields of others it has', () => {
    expect(told(withStage(`${AGENT}, on_fail: { spawn: b, context: { a: 1 }, max_iterations: 2, then: c }`))).toEqual([
      expect.stringContaining('a transition with spawn has no field "context"; "context" belongs to a transition with goto'),
      expect.stringContaining('a transition with spawn has no field "max_iterations"'),
    ]);
  });

  it('an invalid value is not checked for templates', () => {
    expect(codes(`${HEAD}trigger: { event: e, conditions: { labels: "{{ x }}" } }\nstages: [{ id: a, ${AGENT} }]\n`)).toEqual([
      'FIELD_INVALID',
    ]);
  });

  it('a field that a workflow does not have hides nothing', () => {
    expect(codes(`${HEAD}unknown: 1\nstages: [{ id: a, type: command }]\n`)).toEqual(['FIELD_UNKNOWN', 'FIELD_MISSING']);
  });

  it('errors come before warnings', () => {
    const { problems } = read(`${HEAD}stages:\n  - { id: a, ${AGENT}, skip_to: b }\n  - { id: b, type: command }\n`);
    expect(problems.map(({ line, severity }) => `${line} ${severity}`)).toEqual(['6 error', '5 warning']);
  });

  it('faults of several stages are reported together, in the order of the file', () => {
    const { problems } = read(
      `${HEAD}stages:\n  - { id: a, type: agent }\n  - { id: b, type: command }\n  - { id: c, ${AGENT}, prompt: "{{ x" }\n`,
    );
    expect(problems.map(({ line, code }) => `${line} ${code}`)).toEqual(['5 FIELD_MISSING', '6 FIELD_MISSING', '7 EXPRESSION_SYNTAX']);
  });
});

describe('templates are accepted in some fields, and refused elsewhere', () => {
  it.each([
    ['type: command, run: "echo {{ context.title }}"', 'TEMPLATE_IN_COMMAND', '{{'],
    ['type: command, argv: [echo, "{{ x }}"]', 'TEMPLATE_IN_COMMAND', '{{'],
    ['type: command, run: make, cwd: "{{ x }}"', 'TEMPLATE_IN_COMMAND', '{{'],
    ['type: gate, conditions: [{ check: any_of, conditions: [{ check: command, run: "a {{ x }}" }] }]', 'TEMPLATE_IN_COMMAND', '{{'],
    ['type: agent, agent: "{{ x }}"', 'TEMPLATE_MISPLACED', '{{'],
    [`${AGENT}, on_complete: "{{ x }}"`, 'TEMPLATE_MISPLACED', '{{'],
    ['type: webhook, request: { url: "https://a.example" }, expect: { body: { a: "{{ x }}" } }', 'TEMPLATE_MISPLACED', '{{'],
    [`${AGENT}, prompt: "a {{ b + }}"`, 'EXPRESSION_SYNTAX', '}}"'],
    [`${AGENT}, context: { a: [{ b: "{{ ) }}" }] }`, 'EXPRESSION_SYNTAX', ')'],
    [`${AGENT}, condition: "a ==="`, 'EXPRESSION_SYNTAX', '" }'],
    ['type: gate, conditions: [{ check: command, run: a, expect: "status == 0" }]', 'NAME_UNKNOWN', 'status'],
    [`${AGENT}, prompt: "{{ secrets.A }}"`, 'SECRET_MISPLACED', 'secrets'],
    [`${AGENT}, condition: "secrets.A == 1"`, 'SECRET_MISPLACED', 'secrets'],
    ['type: command, run: a, env: { A: "{{ secrets.A }}" }', 'SECRET_MISPLACED', 'secrets'],
    ['type: webhook, request: { url: "https://a.example/{{ secrets.A }}" }', 'SECRET_MISPLACED', 'secrets'],
    ['type: webhook, request: { url: "https://a.example", headers: { A: "{{ secrets[x] }}" } }', 'SECRET_MISPLACED', 'secrets'],
  ])('%s', (fields, code, standing) => {
    const { document, problems } = read(withStage(fields));
    expect(document).toBeUndefined();
    expect(problems).toMatchObject([{ code, line: 5 }]);
    expect(
      withStage(fields)
        .split('\n')[4]
        ?.slice((problems[0]?.column ?? 0) - 1)
        .slice(0, standing.length),
    ).toBe(standing);
  });

  it('names for people may hold braces', () => {
    expect(codes(withStage(`${AGENT}, name: "{{ not a template"`))).toEqual([]);
  });

  it('a template in a shell line is refused with the variable shown', () => {
    expect(told(withStage('type: command, run: "echo {{ context.issue_title | upper }}"'))[0]).toContain(
      'env: { ISSUE_TITLE: "{{ context.issue_title | upper }}" }, and write "$ISSUE_TITLE" in run',
    );
  });

  it('the paths that expressions read have exact positions, also in blocks', () => {
    const { expressions } = read(
      `${HEAD}stages:\n  - id: a\n    ${AGENT.replace(', ', '\n    ')}\n    prompt: |\n      one\n        {{ x.y }}\n    condition: >-\n      a.b\n      == c\n`,
    );
    expect(
      expressions.map(({ kind, path, paths }) => [
        kind,
        path.at(-1),
        ...paths.map(({ segments, position }) => `${segments.join('.')} ${position.line}:${position.column}`),
      ]),
    ).toEqual([
      ['template', 'prompt', 'x.y 10:12'],
      ['condition', 'condition', 'a.b 12:7', 'c 13:10'],
    ]);
  });
});

describe('a secret goes to a host that is fixed, or listed for it', () => {
  const sent = (url: string) =>
    withStage(`type: webhook, request: { url: "${url}", headers: { A: "{{ secrets.TOKEN }}" }, body: [{ t: "{{ secrets.TOKEN }}" }] }`);
  it.each(['https://a.example', 'https://a.example/{{ x }}', 'https://a.example:8443/?q={{ x }}', 'http://a.example'])(
    '%s is fixed',
    (url) => {
      expect(codes(sent(url))).toEqual([]);
    },
  );

  it.each([
    '{{ x }}',
    'https://{{ x }}/a',
    'https://a.example{{ x }}',
    'https://a.example@{{ x }}/',
    'https://{{ x }}.a.example/',
    'https://a.example:{{ x }}/',
    'https://{{x}}/a',
    'https://a.example@{{x}}/',
    'https://a.example{{x}}/',
  ])('%s is not', (url) => {
    expect(codes(sent(url))).toEqual(['SECRET_HOST', 'SECRET_HOST']);
    expect(codes(sent(url), { secretHosts: { TOKEN: ['a.example'] } })).toEqual([]);
    expect(codes(sent(url), { secretHosts: { OTHER: ['a.example'], TOKEN: [] } })).toEqual(['SECRET_HOST', 'SECRET_HOST']);
  });

  it.each(['file:///etc/passwd', 'gopher://a', 'a.example', ''])('an address such as %j is refused', (url) => {
    expect(codes(withStage(`type: webhook, request: { url: "${url}" }`))).toEqual(['FIELD_INVALID']);
  });
});

it('a duration needs a unit and has a maximum', () => {
  const durations = ['30', '"30"', '30 s', 'PT1H', '-1s', '1y', '99999999999d', '""', '[1s]'];
  expect(durations.filter((duration) => codes(withStage(`${AGENT}, timeout: ${duration}`)).length === 0)).toEqual([]);
  expect(
    ['30s', '1h30m', '1.5h', '999999w', '" 10m "'].filter((duration) => codes(withStage(`${AGENT}, timeout: ${duration}`)).length > 0),
  ).toEqual([]);
});

it('a list of names in place of stages is one error', () => {
  const start = cpuTimeMs();
  const { problems } = read(`${HEAD}stages: [${'x, '.repeat(15_000)}]\n`);
  expect(cpuTimeMs() - start).toBeLessThan(3_000);
  expect(problems).toMatchObject([{ code: 'STAGE_SHORT', line: 4, column: 10, message: expect.stringContaining('(and many more)') }]);
});

describe('a file with thousands of faults is reported in part, and quickly', () => {
  const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join('');
  it.each([
    [
      'unknown fields',
      `${HEAD}stages:\n  - id: a\n    type: agent\n    agent: x\n${many(9_000, (index) => `    agnt${index}: 1\n`)}`,
      'FIELD_UNKNOWN',
    ],
    [
      'templates',
      `${HEAD}context:\n${many(9_000, (index) => `  a${index}: "{{ ) }}"\n`)}stages: [{ id: a, ${AGENT} }]\n`,
      'EXPRESSION_SYNTAX',
    ],
    ['stages', `${HEAD}stages:\n${many(3_000, () => '  - { id: a, type: agent, agent: 1 }\n')}`, 'FIELD_INVALID'],
  ])('%s', (_, text, code) => {
    const start = cpuTimeMs();
    const { document, problems } = read(text);
    expect(cpuTimeMs() - start).toBeLessThan(3_000);
    expect(document).toBeUndefined();
    expect(problems).toHaveLength(100);
    expect(problems.every((problem) => problem.code === code)).toBe(true);
  });
});

it('a valid file of a hundred stages is read in under a second', () => {
  const text = `${HEAD}stages:\n${Array.from({ length: 100 }, (_, n) => `  - id: s${n}\n    type: agent\n    agent: dev\n    prompt: "Do {{ params.x }}"\n    on_error: { retry: 2, then: escalate }\n`).join('')}`;
  const start = cpuTimeMs();
  expect(read(text).document?.stages).toHaveLength(100);
  expect(cpuTimeMs() - start).toBeLessThan(1_000);
});
