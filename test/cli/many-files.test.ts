// A project of very many workflow files: listing and checking them reads every one, and runs and writes nothing.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

const FILES = 200;
const MARK = join('ran', 'mark');

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  mkdirSync(join(rig.project, 'ran'));
  for (let n = 0; n < FILES; n += 1)
    rig.write(
      `.pawl/workflows/w${n}.yaml`,
      `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: w${n} }
stages:
  - { id: work, type: command, run: "touch ${MARK}-${n}" }
  - id: check
    type: gate
    conditions:
      - { check: command, run: "touch ${MARK}-gate-${n}" }
`,
    );
  rig.write(
    '.pawl/workflows/module.ts',
    `import { writeFileSync } from 'node:fs';
import { defineWorkflow } from 'pawl/compat';
writeFileSync(${JSON.stringify(join(rig.project, `${MARK}-module`))}, '');
export default defineWorkflow({ name: 'module', steps: [{ id: 'a', handler: () => 1, next: null }] });
`,
  );
  rig.write('.pawl/config.yaml', `validation: { stages: { unit: "touch ${MARK}-stage" } }\n`);
});
afterEach(() => rig.close());

const everything = (): string[] => readdirSync(rig.folder, { recursive: true, encoding: 'utf8' }).sort();

test.each([
  ['list', 'workflows', 0],
  // The module is not trusted, and so it is only parsed.
  ['validate', 'files', 4],
])('"pawl %s" runs nothing of many files without trust and leaves nothing behind', async (command, field, code) => {
  const before = everything();
  const found = await rig.json<Record<string, unknown[]>>([command]);
  expect(found.code).toBe(code);
  expect(found[field]).toHaveLength(FILES + 1);
  expect(everything()).toEqual(before);
});

test('the files of this test would leave a mark if they ran', async () => {
  await rig.run(['trust', '--folder', '--yes']);
  await rig.run(['run', 'w0']);
  await rig.run(['run', 'module']);
  expect(readdirSync(join(rig.project, 'ran')).sort()).toEqual(['mark-0', 'mark-gate-0', 'mark-module']);
});
