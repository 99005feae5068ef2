import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

interface Listed {
  readonly workflows: readonly { readonly name: string; readonly file: string }[];
  readonly problems: readonly { readonly file: string; readonly code: string; readonly message: string }[];
}

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

function workflow(name: string): string {
  return `import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({ name: '${name}', title: 'The ${name}', steps: [{ id: 'a', command: 'true', next: null }] });
`;
}

test('workflows of both homes are listed by name, with form, file and title', async () => {
  rig.write('.squadron/workflows/b.mjs', workflow('beta'));
  rig.write('.pawl/workflows/deep/a.ts', workflow('alpha'));
  rig.write(
    '.pawl/workflows/f.ts',
    `import * as p from 'pawl';\nexport const WORKFLOW = p.workflow('gamma', function* () { yield* p.step('x').delay('1s'); });\n`,
  );
  rig.write(
    '.pawl/workflows/d.yaml',
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: delta }\nstages:\n  - { id: a, type: command, run: "true" }\n',
  );
  expect(await rig.run(['list'])).toEqual({
    code: 0,
    stdout: [
      'NAME   FORM   FILE                       TITLE',
      'alpha  graph  .pawl/workflows/deep/a.ts  The alpha',
      'beta   graph  .squadron/workflows/b.mjs  The beta',
      'delta  graph  .pawl/workflows/d.yaml     delta',
      'gamma  flow   .pawl/workflows/f.ts       gamma',
      '',
      '"pawl skill list" shows the skills that Pawl ships; "pawl run NAME --attended" runs one.',
      '',
    ].join('\n'),
    stderr: '',
  });
});

test('a project without workflows says how to get one', async () => {
  const { code, stdout } = await rig.run(['list']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `No workflows in ${rig.project}. "pawl init" writes a first one.\n\n"pawl skill list" shows the skills that Pawl ships; "pawl run NAME --attended" runs one.\n`,
  });
});

test('every file that cannot be read is reported, and the others are listed all the same', async () => {
  rig.write('.pawl/workflows/good.ts', workflow('good'));
  rig.write('.pawl/workflows/syntax.ts', 'export default {');
  rig.write('.pawl/workflows/helper.ts', 'export const x = 1;');
  rig.write('.pawl/workflows/imports.ts', `${workflow('imports')}import './gone.ts';\n`);
  rig.write('.pawl/workflows/old.yaml', 'name: old');
  const { code, stdout, stderr } = await rig.run(['list']);
  expect(code).toBe(0);
  expect(stdout).toContain('good');
  const told = stderr
    .trimEnd()
    .split('\n')
    .map((line) => /^pawl: (\S+): .*(\[\w+\])$/.exec(line)?.slice(1));
  expect(told).toEqual([
    ['.pawl/workflows/helper.ts:1:1', '[ENTRY_MISSING]'],
    ['.pawl/workflows/imports.ts:3:8', '[IMPORT_NOT_FOUND]'],
    ['.pawl/workflows/old.yaml:1:1', '[FIELD_INVALID]'],
    ['.pawl/workflows/syntax.ts:1:16', '[SYNTAX]'],
  ]);
});

test('two workflows with one name are listed, and each names the other', async () => {
  const one = rig.write('.pawl/workflows/one.ts', workflow('same'));
  const two = rig.write('.pawl/workflows/two.ts', workflow('same'));
  const { code, workflows, problems } = await rig.json<Listed>(['list']);
  expect({ code, files: workflows.map(({ file }) => file) }).toEqual({ code: 0, files: [one, two] });
  expect(problems.map(({ file, code }) => [file, code])).toEqual([
    [one, 'WORKFLOW_DUPLICATE'],
    [two, 'WORKFLOW_DUPLICATE'],
  ]);
  expect(problems[0]?.message).toContain(two);
});

test('lib, hidden folders, packages, tests and links that lead outside are left out', async () => {
  for (const path of ['lib/a.ts', '.hidden/a.ts', 'node_modules/a.js', 'a.test.ts', 'a.d.ts'])
    rig.write(`.pawl/workflows/${path}`, workflow('no'));
  rig.write('outside/b.ts', workflow('outside'));
  mkdirSync(join(rig.project, '.pawl/workflows/real'), { recursive: true });
  rig.write('.pawl/workflows/real/c.ts', workflow('inside'));
  symlinkSync(join(rig.project, 'outside/b.ts'), join(rig.project, '.pawl/workflows/link.ts'));
  symlinkSync(join(rig.project, 'outside'), join(rig.project, '.pawl/workflows/links'));
  symlinkSync(join(rig.project, '.pawl/workflows'), join(rig.project, '.pawl/workflows/round'));
  const { workflows, problems } = await rig.json<Listed>(['list']);
  expect(workflows.map(({ name }) => name)).toEqual(['inside']);
  expect(problems.map(({ code }) => code)).toEqual(['LINK_OUTSIDE']);
});

test('a title cannot control the terminal', async () => {
  rig.write('.pawl/workflows/a.ts', workflow('a').replace('The a', 'x\\u001b[2Jy\\nz'));
  expect((await rig.run(['list'])).stdout.split('\n')[1]).toMatch(/ xy z$/);
});
