// Workflow files at the command line: they are listed, checked, trusted, run and resumed like modules.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const NOTES = `apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: notes
  description: Writes notes
params:
  who: { description: whom to greet, default: ann }
context:
  greeting: "hello {{ params.who }}"
stages:
  - id: write
    type: command
    run: printf '%s' "$TEXT" > NOTES.md
    env:
      TEXT: "{{ context.greeting }}"
  - id: check
    type: gate
    conditions:
      - check: command
        run: grep -q hello NOTES.md
    on_fail: { goto: write, max_iterations: 2, then: escalate }
  - id: wait
    type: delay
    duration: 10ms
`;

test('a workflow file is listed and checked without being run, is run when it is trusted, and is frozen with its run', async () => {
  rig.write('.pawl/workflows/notes.yaml', NOTES);
  expect(await rig.json(['list'])).toMatchObject({
    workflows: [{ name: 'notes', form: 'graph', steps: ['write', 'check', 'wait'] }],
    problems: [],
  });
  expect((await rig.run(['validate'])).stdout).toBe('✓ .pawl/workflows/notes.yaml  notes, 3 steps\n');
  expect((await rig.run(['run', 'notes'])).code).toBe(4);
  expect((await rig.run(['trust', '--yes'])).code).toBe(0);
  const run = await rig.json<{ run: { id: string; status: string } }>(['run', 'notes', '-p', 'who=$(id)']);
  expect(run).toMatchObject({
    code: 0,
    run: { status: 'completed' },
    steps: [{ path: 'write#1' }, { path: 'check#1' }, { path: 'wait#1' }],
  });
  expect(readFileSync(join(rig.project, 'NOTES.md'), 'utf8')).toBe('hello $(id)');
  expect((await rig.run(['graph', run.run.id])).stdout).toContain('"fail; at most 2"');
});

test('a file that was changed after it was trusted is not run', async () => {
  const file = rig.write('.pawl/workflows/notes.yaml', NOTES);
  await rig.run(['trust', '--yes']);
  rig.write('.pawl/workflows/notes.yaml', NOTES.replace('grep -q hello', 'rm -rf'));
  const { code, stderr } = await rig.run(['run', file]);
  expect([code, stderr]).toEqual([4, expect.stringContaining('[NOT_TRUSTED]')]);
});

test('a workflow file with errors is reported with its lines, and running it names the first position', async () => {
  rig.write('.pawl/workflows/notes.yaml', NOTES.replace('goto: write', 'goto: wirte').replace('context.greeting', 'context.greting'));
  const { code, stdout } = await rig.run(['validate']);
  expect(code).toBe(2);
  expect(stdout).toContain(`.pawl/workflows/notes.yaml:15:17  error NAME_UNKNOWN
the context has no "greting" (did you mean "greeting"?)
  14 │     env:
  15 │       TEXT: "{{ context.greting }}"
     │                 ^
  16 │   - id: check
`);
  expect(stdout).toContain('.pawl/workflows/notes.yaml:21:22  error TARGET_UNKNOWN');
  await rig.run(['trust', '--folder', '--yes']);
  const { stderr } = await rig.run(['run', '.pawl/workflows/notes.yaml']);
  expect(stderr).toMatch(
    /notes\.yaml:15:17: the context has no "greting".*and 1 more: "pawl validate" shows them all \[DEFINITION_INVALID\]/,
  );
});

test('the same name in a file and in a module is rejected, and both are named', async () => {
  rig.write('.pawl/workflows/notes.yaml', NOTES);
  rig.write(
    '.pawl/workflows/other.ts',
    `import { defineWorkflow } from 'pawl/compat';\nexport default defineWorkflow({ name: 'notes', steps: [{ id: 'a', command: 'true', next: null }] });\n`,
  );
  expect((await rig.run(['run', 'notes'])).stderr).toMatch(/2 workflows are called "notes": .*notes\.yaml, .*other\.ts/);
});

test('a run continues with its frozen definition, whatever happens to its file', async () => {
  const text = (name: string) => `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ask }
stages:
  - { id: wait, type: delay, duration: 1h, on_complete: end }
  - { id: end, type: command, run: "touch ${name}" }
`;
  rig.write('.pawl/workflows/ask.yaml', text('first'));
  await rig.run(['trust', '--yes']);
  const begun = await rig.json<{ run: { id: string } }>(['run', 'ask']);
  rig.write('.pawl/workflows/ask.yaml', text('second'));
  expect((await rig.run(['pause', begun.run.id])).code).not.toBe(4);
  expect((await rig.run(['resume', begun.run.id])).code).toBe(3);
  expect((await rig.json<{ run: { status: string } }>(['show', begun.run.id])).run.status).toBe('waiting');
});

test('show says when the workflow file of an open run has changed, and how many steps differ', async () => {
  const text = (run: string, more = '') => `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ask }
stages:
  - { id: wait, type: delay, duration: 1h, on_complete: end }
  - { id: end, type: command, run: "${run}" }
${more}`;
  const file = rig.write('.pawl/workflows/ask.yaml', text('true'));
  await rig.run(['trust', '--yes']);
  const { id } = (await rig.json<{ run: { id: string } }>(['run', 'ask'])).run;
  const shown = async (): Promise<unknown> => (await rig.json<{ definitionChange?: unknown }>(['show', id])).definitionChange;
  const line = async (): Promise<string | undefined> =>
    (await rig.run(['show', id])).stdout.split('\n').find((text) => text.includes('own copy'));
  expect([await shown(), await line()]).toEqual([undefined, undefined]);
  rig.write('.pawl/workflows/ask.yaml', text('true'));
  expect(await shown()).toBeUndefined();
  rig.write('.pawl/workflows/ask.yaml', text('false', '  - { id: last, type: command, run: "true" }\n'));
  expect(await shown()).toEqual({ kind: 'changed', steps: ['end', 'last'] });
  expect(await line()).toBe('definition changed since start (2 steps differ); the run continues with its own copy');
  rig.write('.pawl/workflows/ask.yaml', 'stages: 5\n');
  expect(await shown()).toEqual({ kind: 'invalid' });
  rmSync(file);
  expect(await line()).toBe('the workflow file no longer exists; the run continues with its own copy');
});

test('a loop without a bound is a warning, and an error with --strict', async () => {
  rig.write(
    '.pawl/workflows/loop.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: loop }
stages:
  - { id: a, type: command, run: "true" }
  - { id: b, type: command, run: "true", on_failure: a }
`,
  );
  const plain = await rig.run(['validate']);
  expect([plain.code, plain.stdout]).toEqual([0, expect.stringContaining('LOOP_UNBOUNDED')]);
  expect((await rig.run(['validate', '--strict'])).code).not.toBe(0);
});
