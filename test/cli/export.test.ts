// A workflow as a workflow file: what was written can be run in the place of what it was written from.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  rig.write('README', '');
  await rig.run(['trust', '--folder', '--yes']);
});
afterEach(() => rig.close());

const FILE = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: w }
trigger: { event: issues.labeled, conditions: { label: bug } }
stages:
  - { id: a, type: command, run: "echo a > out" }
  - { id: b, type: gate, conditions: [{ check: file_exists, paths: [out] }], on_fail: { goto: a, max_iterations: 2 } }
`;

test('an exported workflow file has its trigger, reads back as the same definition, and is valid', async () => {
  rig.write('.pawl/workflows/w.yaml', FILE);
  const { stdout, stderr, code } = await rig.run(['export', 'w', '--format', 'yaml']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('event: issues.labeled');
  rig.write('.pawl/workflows/w.yaml', stdout);
  expect((await rig.run(['validate', '--strict'])).code).toBe(0);
  expect((await rig.run(['export', 'w'])).stdout).toBe(stdout);
  expect(await rig.json(['export', 'w'])).toMatchObject({ workflow: 'w', isSame: true, differences: [], text: stdout });
});

const MODULE = (work: string): string =>
  `import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({ name: 'm', steps: [
  { id: 'a', command: 'echo a > out', next: 'b' },
  { id: 'b', ${work}, next: null },
] });
`;

test('a module without functions is exported to a new file that runs, with a warning about what reads back differently', async () => {
  rig.write('.pawl/workflows/m.ts', MODULE("command: 'echo b >> out'"));
  const { code, stderr } = await rig.run(['export', 'm', '-o', 'm.yaml']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('does not read back as the same definition')]);
  expect(stderr).toContain('merges: in a file, the result of a step is only in {{ outputs.STEP }}');
  expect((await rig.run(['run', './m.yaml'])).code).toBe(0);
  expect(readFileSync(join(rig.project, 'out'), 'utf8')).toBe('a\nb\n');
});

test('export does not change an existing file', async () => {
  rig.write('.pawl/workflows/w.yaml', FILE);
  const file = rig.write('mine.yaml', 'mine');
  expect(await rig.run(['export', 'w', '-o', 'mine.yaml'])).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('export rejects a step that is a function, by name', async () => {
  rig.write('.pawl/workflows/m.ts', MODULE('handler: () => 1'));
  const { code, stdout, stderr } = await rig.run(['export', 'm']);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('step "b" cannot be written in a workflow file')]);
});
