// Owns the rule that `pawl validate` finds the same mistakes however a workflow is written, and `pawl run` refuses them.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly line: number;
  readonly column: number;
}

interface Row {
  readonly file: string;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly hints: readonly Finding[];
}

const yaml = (name: string, stages: string, head = ''): string =>
  `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${name} }\n${head}stages:\n${stages}`;
const record = (name: string, steps: string): string =>
  `import { defineWorkflow } from 'pawl';\nexport default defineWorkflow({ name: '${name}', entry: 'a', steps: {\n${steps}\n} });\n`;
const list = (name: string, steps: string): string =>
  `import { defineWorkflow } from 'pawl/compat';\nexport default defineWorkflow({ name: '${name}', steps: [\n${steps}\n] });\n`;
const flow = (name: string, body: string): string =>
  `import { step, workflow } from 'pawl';\nexport default workflow('${name}', function* () {\n${body}\n});\n`;

/** Each mistake in the spellings that can have it: file name → text. The name of the file begins with the code. */
const FILES: Readonly<Record<string, string>> = {
  'ROLE_UNKNOWN.file.yaml': yaml('r1', '  - { id: a, type: agent, agent: writr, action: x }\n'),
  'ROLE_UNKNOWN.branch.yaml': yaml(
    'r2',
    '  - { id: p, type: parallel, branches: [{ id: a, agent: writr, action: x }], on_any_reject: fail }\n',
  ),
  'ROLE_UNKNOWN.record.ts': record('r3', "a: { agent: 'writr', action: 'x', next: null },"),
  'ROLE_UNKNOWN.list.ts': list('r4', "{ id: 'a', agent: 'writr', action: 'x', next: null },"),
  'ROLE_UNKNOWN.flow.ts': flow('r5', "yield* step('a').agent({ agent: 'writr', action: 'x' });"),
  'DRIVER_UNKNOWN.file.yaml': yaml('d1', '  - { id: a, type: agent, agent: broken, action: x }\n'),
  'DRIVER_UNKNOWN.list.ts': list('d2', "{ id: 'a', agent: 'broken', action: 'x', next: null },"),
  'CHECK_UNKNOWN.file.yaml': yaml('c1', '  - { id: a, type: gate, conditions: [{ check: comand, run: make }] }\n'),
  'CHECK_UNKNOWN.inside.yaml': yaml('c2', '  - { id: a, type: gate, conditions: [{ check: any_of, conditions: [{ check: comand }] }] }\n'),
  'CHECK_UNKNOWN.list.ts': list('c3', "{ id: 'a', gate: { checks: [{ check: 'comand' }] }, next: null },"),
  'CHECK_UNKNOWN.flow.ts': flow('c4', "yield* step('a').gate({ checks: [{ check: 'comand' }] });"),
  'GROUP_UNKNOWN.file.yaml': yaml('g1', '  - { id: a, type: human, prompt: Go?, from: maintainer }\n'),
  'GROUP_UNKNOWN.approval.yaml': yaml('g2', '  - { id: a, type: gate, conditions: [{ check: pr_approval, from: maintainer }] }\n'),
  'GROUP_UNKNOWN.record.ts': record('g3', "a: { human: { prompt: 'Go?', from: 'maintainer' }, next: null },"),
  'GROUP_UNKNOWN.flow.ts': flow('g4', "yield* step('a').human({ prompt: 'Go?', from: ['maintainer'] });"),
  'CHILD_UNKNOWN.file.yaml': yaml('w1', '  - { id: a, type: workflow, workflow: releas }\n'),
  'CHILD_UNKNOWN.list.ts': list('w2', "{ id: 'a', workflow: 'releas', next: null },"),
  'CHILD_UNKNOWN.flow.ts': flow('w3', "yield* step('a').workflow('releas');"),
  'CHILD_INPUT.unknown.yaml': yaml('i1', '  - { id: a, type: workflow, workflow: release, input: { version: 1, vresion: 2 } }\n'),
  'CHILD_INPUT.missing.list.ts': list('i2', "{ id: 'a', workflow: 'release', next: null },"),
  'CHILD_CYCLE.one.yaml': yaml('y1', '  - { id: a, type: workflow, workflow: y2 }\n'),
  'CHILD_CYCLE.two.ts': list('y2', "{ id: 'a', workflow: 'y1', next: null },"),
  'EVENT_UNKNOWN.file.yaml': yaml('e1', '  - { id: a, type: command, run: make }\n', 'trigger: { event: pull_request.openned }\n'),
  'EVENT_UNKNOWN.short.yaml': yaml('e2', '  - { id: a, type: command, run: make }\n', 'trigger: isues.labeled\n'),
  'OUTPUT_TOO_EARLY.file.yaml': yaml(
    'o1',
    '  - { id: a, type: command, run: make, env: { X: "{{ outputs.b.x }}" } }\n  - { id: b, type: command, run: make }\n',
  ),
  'OUTPUT_TOO_EARLY.list.ts': list(
    'o2',
    "{ id: 'a', command: 'make', condition: 'outputs.b.x', next: 'b' }, { id: 'b', command: 'make', next: null },",
  ),
  'RESULT_FIELD_UNKNOWN.list.ts': list(
    'f1',
    "{ id: 'a', agent: 'writer', schema: { type: 'object', properties: { decision: {} } }, next: { condition: \"result.decison == 'yes'\", onTrue: null, onFalse: 'b' } }, { id: 'b', command: 'make', next: null },",
  ),
  'NAME_UNKNOWN.list.ts': list(
    'n1',
    "{ id: 'a', command: 'make', next: { condition: 'outputs.bb.x', onTrue: null, onFalse: 'b' } }, { id: 'b', command: 'make', next: null },",
  ),
  'CHECK_BYPASSED.list.ts': list(
    'b1',
    "{ id: 'work', command: 'make', next: 'test' }, { id: 'test', gate: { checks: ['make test'] }, next: 'ask' }, { id: 'ask', human: { prompt: 'Good?', options: [{ label: 'Yes', nextStep: null, ends: 'completed' }, { label: 'Again', nextStep: 'fix' }] } }, { id: 'fix', command: 'make fix', next: { ok: { to: 'ask', maxIterations: 3, onExhausted: 'escalate' } } },",
  ),
  'APPROVAL_UNTIED.file.yaml': yaml(
    'a1',
    '  - { id: a, type: human, prompt: Ship? }\n  - { id: b, type: command, run: git push origin main }\n',
  ),
  'APPROVAL_UNTIED.list.ts': list(
    'a2',
    "{ id: 'a', human: { prompt: 'Ship?' }, next: 'b' }, { id: 'b', command: ['npm', 'publish'], next: null },",
  ),
  'WRITERS_OVERLAP.file.yaml': yaml(
    'p1',
    '  - { id: p, type: parallel, branches: [{ id: a, agent: writer, action: x, writes: ["src/**"] }, { id: b, agent: writer, action: y, writes: ["src/a/**"] }] }\n',
  ),
  'WRITERS_OVERLAP.hint.yaml': yaml(
    'p2',
    '  - { id: p, type: parallel, branches: [{ id: a, agent: writer, action: x }, { id: b, agent: writer, action: y }] }\n',
  ),
  'OUTCOME_UNCOVERED.record.ts': record(
    'oc1',
    "a: { human: { prompt: 'p', options: [{ label: 'a' }, { label: 'b' }] }, next: { a: null } },",
  ),
  'OUTCOME_UNCOVERED.list.ts': list('oc2', "{ id: 'a', command: 'x', recovery: 'ask', next: { fail: null } },"),
  'LOOP_IDLE.file.yaml': yaml(
    'l1',
    '  - { id: a, type: gate, conditions: [{ check: command, run: make }], on_fail: { goto: a, max_iterations: 3, then: fail } }\n',
  ),
  'LOOP_UNEXPLAINED.file.yaml': yaml(
    'l2',
    '  - { id: a, type: agent, agent: writer, action: x }\n  - { id: b, type: command, run: make, recovery: rerun, on_complete: { goto: a, max_iterations: 3, then: complete } }\n',
  ),
  'RETRIES_MULTIPLY.file.yaml': yaml(
    'm1',
    '  - { id: a, type: agent, agent: writer, action: x, on_error: { retry: 3, then: escalate } }\n  - { id: b, type: gate, conditions: [{ check: command, run: make }], on_fail: { goto: a, max_iterations: 9, then: fail, context: { why: "{{ gate.failed_checks }}" } } }\n',
  ),
  'DATABASE_UNKNOWN.file.yaml': yaml('k1', '  - { id: a, type: command, run: make, databases: { boook: read } }\n'),
  'DATABASE_UNKNOWN.workflow.yaml': yaml('k2', '  - { id: a, type: command, run: make }\n', 'databases: { boook: read }\n'),
  'DATABASE_UNKNOWN.record.ts': record('k3', "a: { command: 'make', databases: { boook: 'read' }, next: null },"),
  'DATABASE_UNKNOWN.flow.ts': flow('k4', "yield* step('a').command({ run: 'make', databases: ['boook'] });"),
  'DATABASE_UNVERIFIED.file.yaml': yaml('q1', '  - { id: a, type: command, run: make, databases: [book] }\n'),
  'DATABASE_UNVERIFIED.workflow.yaml': yaml('q2', '  - { id: a, type: command, run: make }\n', 'databases: [book]\n'),
  'DATABASE_UNVERIFIED.list.ts': list('q3', "{ id: 'a', command: 'make', databases: ['book'], next: null },"),
  'STEP_UNVERIFIED.list.ts': list('u1', "{ id: 'a', agent: 'writer', action: 'x', next: null },"),
  'RECOVERY_DEFAULT.file.yaml': yaml('v1', '  - { id: a, type: command, run: make }\n'),
  'FIELD_WITHOUT_EFFECT.file.yaml': yaml('x1', '  - { id: a, type: command, run: make, recovery: rerun }\n', 'override_triggers: true\n'),
};
const FOLDER = '.pawl/workflows';
const HINTS = ['LOOP_UNEXPLAINED', 'STEP_UNVERIFIED', 'RECOVERY_DEFAULT'];
const WARNINGS = [
  'CHECK_BYPASSED',
  'APPROVAL_UNTIED',
  'WRITERS_OVERLAP',
  'LOOP_IDLE',
  'OUTCOME_UNCOVERED',
  'RETRIES_MULTIPLY',
  'FIELD_WITHOUT_EFFECT',
  'DATABASE_UNVERIFIED',
];

const rig = new CliRig();
let rows: readonly Row[] = [];
beforeAll(async () => {
  rig.write(
    '.pawl/config.yaml',
    'groups: { maintainers: [ann] }\ndatabases: { book: { path: book.db } }\nroles:\n  writer: { driver: attended }\n  broken: { driver: claude-cod }\n',
  );
  rig.write(
    `${FOLDER}/release.yaml`,
    yaml('release', '  - { id: a, type: command, run: make }\n', 'params: { version: { required: true } }\n'),
  );
  for (const [file, text] of Object.entries(FILES)) rig.write(`${FOLDER}/${file}`, text);
  await rig.run(['trust', '--folder', '--yes']);
  rows = (await rig.json<{ files: readonly Row[] }>(['validate'])).files;
});
afterAll(() => rig.close());

const rowOf = (file: string): Row | undefined => rows.find((row) => row.file.endsWith(`/${file}`));

test.each(Object.keys(FILES))('validate reports each finding: %s', (file) => {
  const [code = ''] = file.split('.');
  const isHint = HINTS.includes(code) || file.includes('.hint.');
  const { errors = [], warnings = [], hints = [] } = rowOf(file) ?? {};
  const level = isHint ? hints : WARNINGS.includes(code) ? warnings : errors;
  const found = level.filter((one) => one.code === code);
  expect({ found: found.length > 0, all: [errors, warnings].flat().map((one) => `${one.code} ${one.message}`) }).toMatchObject({
    found: true,
  });
  for (const { line, hint } of found) expect([line > 2, hint.length > 10]).toEqual([file.startsWith('EVENT') || line > 2, true]);
  // Nothing but the mistake is reported.
  expect([...errors, ...warnings].filter((one) => one.code !== code).map((one) => one.code)).toEqual([]);
});

test('a misspelt check is reported together with other mistakes of its file, at its name', async () => {
  const file = `${FOLDER}/several.yaml`;
  rig.write(
    file,
    yaml('several', '  - { id: a, type: gate, conditions: [{ check: comand, run: make }] }\n  - { id: b, type: comand, run: make }\n'),
  );
  const { files } = await rig.json<{ files: readonly Row[] }>(['validate', file]);
  const found = files[0]?.errors.find(({ code }) => code === 'CHECK_UNKNOWN');
  expect(found).toMatchObject({ message: 'stage "a": there is no check "comand" (did you mean "command"?)', line: 5, column: 48 });
  expect(files[0]?.errors.map(({ code }) => code)).toEqual(['CHECK_UNKNOWN', 'FIELD_INVALID']);
  rmSync(join(rig.project, file));
});

test('a workflow without a mistake has neither errors nor warnings', () => {
  expect(rowOf('release.yaml')).toMatchObject({ errors: [], warnings: [] });
});

test('a message names the nearest name that exists', () => {
  expect(rowOf('ROLE_UNKNOWN.file.yaml')?.errors).toEqual([
    {
      code: 'ROLE_UNKNOWN',
      message: 'stage "a": there is no role "writr" (did you mean "writer"?)',
      hint: 'define it in .pawl/agents/writr.md, or under "roles" in .pawl/config.yaml',
      line: 5,
      column: 34,
    },
  ]);
});

test('a file that is validated alone is compared with the rest of the project', async () => {
  rig.write(`${FOLDER}/again.yaml`, yaml('release', '  - { id: a, type: workflow, workflow: w1 }\n'));
  const { files } = await rig.json<{ files: readonly Row[] }>(['validate', `${FOLDER}/again.yaml`]);
  expect(files[0]?.errors.map(({ code }) => code)).toEqual(['WORKFLOW_DUPLICATE']);
  rmSync(join(rig.project, FOLDER, 'again.yaml'));
});

describe('pawl run refuses before the run', () => {
  test.each([
    'r1',
    'r3',
    'r5',
    'd1',
    'c1',
    'c4',
    'g1',
    'w1',
    'w3',
    'i1',
    'y1',
    'k1',
    'k4',
    'EVENT_UNKNOWN.file.yaml',
    'OUTPUT_TOO_EARLY.file.yaml',
  ])('"pawl run" rejects a workflow before the run: %s', async (name) => {
    const { code, stderr } = await rig.run(['run', name in FILES ? `${FOLDER}/${name}` : name]);
    expect([code, /\[(?:DEFINITION_INVALID|DEFINITION_CYCLE|WORKFLOW_UNKNOWN|ROLE_UNKNOWN|DATABASE_UNKNOWN)\]/.test(stderr)]).toEqual([
      2,
      true,
    ]);
    expect((await rig.json<{ runs: readonly unknown[] }>(['runs'])).runs).toEqual([]);
  });

  test('"pawl run" rejects an event that does not exist before the run', async () => {
    const { code, stderr } = await rig.run(['run', 'v1', '--event', 'isues.labeled', '--payload', '{}']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no event "isues" (did you mean "issues"?)')]);
  });
});

test('hints are shown on request', async () => {
  const file = `${FOLDER}/RECOVERY_DEFAULT.file.yaml`;
  expect((await rig.run(['validate', file])).stdout).not.toContain('hint');
  const { stdout, stderr } = await rig.run(['validate', file, '--hints']);
  expect([stdout.includes('hint RECOVERY_DEFAULT'), stderr]).toEqual([true, 'pawl: 1 file, 0 errors, 1 hint\n']);
});
