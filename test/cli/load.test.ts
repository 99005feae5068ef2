import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  rig.write('.pawl/.keep', '');
  await rig.run(['trust', '--folder', '--yes']);
});
afterEach(() => rig.close());

const HELLO = `import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({ name: 'hello', steps: [{ id: 'say', command: 'true', next: null }] });
`;

async function failure(reference: string): Promise<string> {
  const { code, stderr } = await rig.run(['run', reference]);
  return `${stderr.trimEnd()} (${code})`;
}

test('a workflow is loaded by its name, and by its file anywhere in the project', async () => {
  rig.write('.pawl/workflows/some.ts', HELLO);
  rig.write('elsewhere.mjs', HELLO);
  expect((await rig.run(['run', 'hello'])).code).toBe(0);
  expect((await rig.run(['run', 'elsewhere.mjs'])).code).toBe(0);
});

test('workflows are ES modules even in a CommonJS package, and what they import from it stays CommonJS', async () => {
  rig.write('package.json', '{ "type": "commonjs" }');
  rig.write('src/word.js', `module.exports = { word: 'true' };`);
  rig.write('.pawl/workflows/lib/line.js', `import cart from '../../../src/word.js';\nexport const line = cart.word;\n`);
  for (const ending of ['ts', 'js'])
    rig.write(
      `.pawl/workflows/${ending}.${ending}`,
      `import { line } from './lib/line.js';\n${HELLO.replace("'hello'", `'${ending}'`).replace("'true'", 'line')}`,
    );
  expect(await rig.run(['run', 'ts'])).toMatchObject({ code: 0, stderr: '' });
  expect(await rig.run(['run', 'js'])).toMatchObject({ code: 0, stderr: '' });
});

test('only the module that is run is imported', async () => {
  const mark = join(rig.folder, 'mark');
  rig.write('.pawl/workflows/some.ts', HELLO);
  rig.write(
    '.pawl/workflows/other.ts',
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\n${HELLO.replace('hello', 'other')}`,
  );
  expect((await rig.run(['run', 'hello'])).code).toBe(0);
  expect(existsSync(mark)).toBe(false);
  expect((await rig.run(['run', 'other'])).code).toBe(0);
  expect(existsSync(mark)).toBe(true);
});

test('an unknown name gets the nearest one as a suggestion, and files that could not be read are named', async () => {
  rig.write('.pawl/workflows/some.ts', HELLO);
  rig.write('.pawl/workflows/bad.ts', 'export default {');
  expect(await failure('helo')).toBe(
    `pawl: there is no workflow "helo" in ${rig.project} (did you mean "hello"?); "pawl list" lists the workflows; .pawl/workflows/bad.ts could not be read, and "pawl validate" shows why [WORKFLOW_UNKNOWN] (2)`,
  );
});

test('a name that two files define is rejected, and both are named', async () => {
  rig.write('.pawl/workflows/one.ts', HELLO);
  rig.write('.pawl/workflows/two.ts', HELLO);
  expect(await failure('hello')).toBe(
    'pawl: 2 workflows are called "hello": .pawl/workflows/one.ts, .pawl/workflows/two.ts; rename one, or name the file [WORKFLOW_DUPLICATE] (2)',
  );
});

test('a module that throws is reported with the place where it threw, without Pawl’s own stack', async () => {
  const file = rig.write('.pawl/workflows/throws.ts', `import { boom } from './lib/boom.ts';\n${HELLO}boom();\n`);
  const lib = rig.write('.pawl/workflows/lib/boom.ts', "export function boom(): void {\n  throw new Error('no luck');\n}\n");
  expect(await failure(file)).toBe(
    `pawl: ${lib}:2:9: ${file} (in .pawl/workflows/lib/boom.ts) could not be loaded: no luck; loading the file runs it: fix this, or catch the error [MODULE_FAILED] (2)`,
  );
});

test('a definition that is rejected on loading keeps its errors', async () => {
  const file = rig.write('.pawl/workflows/some.ts', HELLO.replace('next: null', "next: 'sya'"));
  const told = await failure(file);
  expect(told).toContain('leads to "sya", which does not exist (did you mean "say"?)');
  expect(told).toContain(`${file}:2:16`);
  expect(told).toMatch(/\[MODULE_FAILED\] \(2\)$/);
});

test('the error of a module that exports something else says what it is', async () => {
  const cases = {
    'export default 5;': 'a number',
    'export default { name: 1 };': 'a plain object',
    'export const WORKFLOW = [];': 'a list',
  };
  for (const [text, what] of Object.entries(cases)) {
    const file = rig.write('thing.mjs', text);
    expect(await failure(file)).toContain(`${file} could not be loaded: it exports ${what} instead of a workflow; write export default`);
  }
  const file = rig.write('nothing.mjs', 'export const x = 1;');
  expect(await failure(file)).toContain(`${file} could not be loaded: it exports no workflow`);
});

test('a module that cannot be found is named', async () => {
  const file = rig.write('.pawl/workflows/some.ts', `import './lib/gone.ts';\n${HELLO}`);
  expect(await failure(file)).toContain(
    `${file} could not be loaded: Cannot find module '${join(rig.project, '.pawl/workflows/lib/gone.ts')}'`,
  );
});

test('a file that does not exist, and one that is no definition, are rejected', async () => {
  expect(await failure('gone.ts')).toContain(`file ${join(rig.project, 'gone.ts')}`);
  const text = rig.write('old/notes.txt', 'name: old');
  expect(await failure(text)).toContain('cannot define a workflow');
});

test('workflows that steps start by name are loaded with the workflow, and one that starts itself is rejected', async () => {
  const parent = (child: string) => HELLO.replace("command: 'true'", `workflow: '${child}'`);
  rig.write('.pawl/workflows/child.ts', HELLO.replace('hello', 'child'));
  rig.write('.pawl/workflows/hello.ts', parent('child'));
  expect((await rig.run(['run', 'hello'])).code).toBe(0);
  rig.write('.pawl/workflows/child.ts', parent('hello').replace("name: 'hello'", "name: 'child'"));
  expect(await failure('hello')).toContain('[DEFINITION_CYCLE] (2)');
  rig.write('.pawl/workflows/hello.ts', parent('gone'));
  expect(await failure('hello')).toContain('[WORKFLOW_UNKNOWN] (2)');
});

test('a child that is not trusted is not run, whichever workflow starts it', async () => {
  rig.write('.pawl/workflows/child.ts', HELLO.replace('hello', 'child'));
  const parent = rig.write('.pawl/workflows/hello.ts', HELLO.replace("command: 'true'", "workflow: 'child'"));
  await rig.run(['trust', '--revoke']);
  await rig.run(['trust', parent, '--yes']);
  expect(await failure('hello')).toMatch(/child\.ts is not trusted yet.*\[NOT_TRUSTED\] \(4\)$/);
});
