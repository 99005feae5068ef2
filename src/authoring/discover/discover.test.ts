import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { Problem } from '../../definition/validation/problem.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { discoverWorkflows } from './discover.ts';
import { isOutline, type Outline, readOutline } from './outline.ts';
import { locate, placeOfReference } from './position.ts';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The name of the workflow of a text, or the codes of what is wrong. */
async function found(text: string): Promise<string> {
  const read = await readOutline('/x.ts', text);
  return isOutline(read) ? read.workflow.name : read.map(({ code }) => code).join();
}

const STEPS = "steps: [{ id: 'a', command: 'x', next: null }]";

describe('the workflow of a module is found however it is written', () => {
  test.each([
    ["import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow({ name: 'w', STEPS });", 'a default export'],
    [
      "import { defineWorkflow } from 'pawl/compat'; export const WORKFLOW = defineWorkflow({ name: 'w', STEPS });",
      'an export named WORKFLOW',
    ],
    [
      "import { defineWorkflow as dw } from 'pawl/compat'; const w = dw({ name: 'w', STEPS }); export default w;",
      'an alias and a constant',
    ],
    [
      "import { defineWorkflow } from 'pawl/compat'; const w = defineWorkflow({ name: 'w', STEPS }); export { w as default };",
      'an export list',
    ],
    [
      "import { defineWorkflow } from 'pawl/compat'; const w = defineWorkflow({ name: 'w', STEPS }); export { w as WORKFLOW, w as default };",
      'one twice',
    ],
    ["import * as pawl from 'pawl/compat'; export default pawl.defineWorkflow({ name: 'w', STEPS });", 'a namespace'],
    [
      "import { defineWorkflow } from 'pawl/compat'; const spec = { name: 'w', STEPS } as const; export default defineWorkflow(spec);",
      'a held object',
    ],
    [
      "import { defineWorkflow } from 'pawl/compat'; const NAME: string = 'w'; export default defineWorkflow({ name: NAME, STEPS });",
      'a held name',
    ],
    [
      "import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow<{ a: 1 }>({ type: 'w', name: 'Title', STEPS });",
      'the other spelling',
    ],
    [
      "import { Workflow, StepDef } from 'pawl/compat'; export default new Workflow('w', StepDef({ id: 'a', next: null }));",
      'steps one by one',
    ],
    ["import { workflow } from 'pawl'; export default workflow('w', function* () {});", 'a flow'],
    [
      "import { workflow } from 'pawl'; function* body() {} export default workflow('w', { title: 'T' }, body);",
      'a flow with a named body',
    ],
  ])('%s', async (text) => {
    expect(await found(text.replace('STEPS', STEPS))).toBe('w');
  });
});

describe('what keeps a workflow from being found has a code', () => {
  test.each([
    ['export const x = 1;', 'ENTRY_MISSING'],
    ["import { defineWorkflow } from 'pawl/compat'; export const x = defineWorkflow({ name: 'w', steps: [] });", 'ENTRY_MISSING'],
    ["export { default } from 'other';", 'ENTRY_UNSEEN'],
    ["import w from 'other'; export default w;", 'ENTRY_UNSEEN'],
    ["import { make } from 'other'; export default make();", 'ENTRY_UNSEEN'],
    ['export default function () {}', 'ENTRY_UNSEEN'],
    ["export default { name: 'w' };", 'ENTRY_INVALID'],
    ["export default defineWorkflow({ name: 'w' });", 'IMPORT_MISSING'],
    ["import { defineWorkflow } from 'pawl/compat'; import './gone.ts'; export default defineWorkflow({ name: 'w' });", 'IMPORT_NOT_FOUND'],
    ["import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow(make());", 'NAME_UNSEEN'],
    ["import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow({ ...base, steps: [] });", 'NAME_UNSEEN'],
    ["import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow({ steps: [] });", 'NAME_INVALID'],
    ["import { defineWorkflow } from 'pawl/compat'; let n = 'w'; export default defineWorkflow({ name: n, steps: [] });", 'NAME_UNSEEN'],
    ["import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow({ name: 5, steps: [] });", 'NAME_UNSEEN'],
    ['export default {', 'SYNTAX'],
  ])('%s', async (text, code) => {
    expect(await found(text)).toBe(code);
  });
});

async function outlineOf(text: string): Promise<Outline> {
  const read = await readOutline('/x.ts', text);
  if (!isOutline(read)) throw new Error(JSON.stringify(read));
  return read;
}

test('a workflow is described by its text: name, title, description and place', async () => {
  const text = `import { arg } from 'pawl'; import { defineWorkflow } from 'pawl/compat';
const ABOUT = 'One.';
export default defineWorkflow({
  name: 'w', title: \`The title\`, description: ABOUT,
  params: { tries: arg({ default: 3 }) },
  steps: [{ id: 'a', next: null }],
});
`;
  const described = { name: 'w', title: 'The title', description: 'One.', form: 'graph', file: '/x.ts', line: 3, column: 16 };
  expect((await outlineOf(text)).workflow).toEqual(described);
  expect((await outlineOf(text.replace('`The title`', 'titleOf()').replace("'One.'", 'about()'))).workflow).toEqual({
    ...described,
    title: 'w',
    description: '',
  });
});

describe('a problem of a definition is shown', () => {
  /** The text at the place of a problem. */
  async function shown(text: string, problem: Partial<Problem>): Promise<string> {
    const outline = await outlineOf(
      `import { defineWorkflow, Workflow, StepDef } from 'pawl/compat';\ntype Größe = 'ä' | '日本';\n${text}`,
    );
    const [located] = locate(outline, [{ code: 'FIELD_INVALID', message: '', hint: '', ...problem }]);
    const { line = 0, column = 0 } = located ?? {};
    return outline.module.text.split('\n')[line - 1]?.slice(column - 1) ?? '';
  }
  const RECORD = "export default defineWorkflow<{ a: Größe }>({ name: 'w', steps: { a: { command: 'x', next: 'c' }, b: {} } });";
  const LIST =
    "const LAST = [{ id: 'b', next: null }];\nexport default defineWorkflow({ name: 'w', steps: [StepDef({ id: 'a' as string }), ...LAST] });";
  const GROUP = "export default defineWorkflow({ name: 'w', steps: { g: { parallel: { branches: { m: { timeout: 'soon' } } } } } });";

  test.each([
    ['at the quoted text in the step', RECORD, { step: 'a', message: '"ok" leads to "c" (did you mean "a"?)' }, /^'c' \}, b/],
    ['at the last quoted field of the step', RECORD, { step: 'a', message: 'it has `next` and `command`' }, /^command: 'x'/],
    ['else at the key of the step', RECORD, { step: 'b', message: 'it is retried -1 times' }, /^b: \{\}/],
    ['at its id in a list', LIST, { step: 'a' }, /^'a' as string/],
    ['at its id in a list that is spread', LIST, { step: 'b' }, /^'b', next/],
    ['at the second of two ids', LIST.replace("'b'", "'a'"), { step: 'a', code: 'STEP_DUPLICATE' as const }, /^'a', next/],
    ['at steps given one by one', "export default new Workflow('w', { id: 'a' });", { step: 'a' }, /^'a' \}\);/],
    ['in a branch', GROUP, { step: 'g/m', message: '`timeout` must be a duration, not "soon"' }, /^'soon'/],
    ['else at the call', RECORD, { step: 'elsewhere' }, /^defineWorkflow</],
    ['of the workflow at the quoted text', RECORD, { message: 'the entry "b" does not exist' }, /^b: \{\}/],
  ])('%s', async (...[, text, problem, at]) => {
    expect(await shown(text, problem)).toMatch(at);
  });

  test('after the problem that causes it, or not at all', async () => {
    const outline = await outlineOf(`import { defineWorkflow } from 'pawl/compat';\n${RECORD.replace('<{ a: Größe }>', '')}`);
    const of = (code: Problem['code'], step?: string): Problem => ({
      code,
      message: '',
      hint: '',
      ...(step === undefined ? {} : { step }),
    });
    const codes = (...problems: Problem[]): string[] => locate(outline, problems).map(({ code }) => code);
    expect(codes(of('UNREACHABLE', 'b'), of('TARGET_UNKNOWN', 'a'))).toEqual(['TARGET_UNKNOWN']);
    expect(codes(of('DEAD_END', 'a'), of('FIELD_UNKNOWN', 'b'), of('FIELD_UNKNOWN', 'b'))).toEqual(['FIELD_UNKNOWN', 'DEAD_END']);
    expect(placeOfReference(outline, { kind: 'role', step: 'b', name: 'none' })).toEqual({ line: 2, column: expect.any(Number) });
  });
});

test('an unclosed bracket is reported where it was opened, with the right column after tabs', async () => {
  const place = async (file: string, text: string) => {
    const read = await readOutline(file, text);
    return isOutline(read) ? [] : read.map(({ message, line, column }) => `${line}:${column} ${message}`);
  };
  for (const file of ['/x.ts', '/x.mjs']) {
    expect(await place(file, 'const x = 1;\nexport default {\n  a: [1],\n')).toEqual(['2:16 the file ends before this "{" is closed']);
    expect(await place(file, "f();\nconst a = 'x;\nconst b = 1;\n")).toEqual(['2:11 Unterminated string constant']);
    expect(await place(file, '{\n\ta: [1 2];\n}')).toEqual(["2:8 Expected ',', got 'numeric literal'"]);
  }
});

test('types in a file that may have none are reported as such', async () => {
  expect(await readOutline('/x.mjs', 'const x: number = 1;\n')).toEqual([
    { code: 'SYNTAX', message: 'Unexpected token', hint: 'this is TypeScript: rename the file to .ts or .mts', line: 1, column: 8 },
  ]);
});

test('all folders are read, whatever is wrong in one of them, and duplicates are reported at both files', async () => {
  const text = `import { defineWorkflow } from 'pawl/compat';\nexport default defineWorkflow({ name: 'w', ${STEPS} });\n`;
  const one = write('one/a.ts', text);
  const two = write('two/b.js', text);
  const bad = write('one/bad.ts', '}');
  const { workflows, problems } = await discoverWorkflows([join(folder, 'one'), join(folder, 'two'), join(folder, 'gone')], REGISTRY);
  expect(workflows.map(({ file }) => file)).toEqual([one, two]);
  expect(problems.map(({ file, code }) => [file, code])).toEqual([
    [bad, 'SYNTAX'],
    [one, 'WORKFLOW_DUPLICATE'],
    [two, 'WORKFLOW_DUPLICATE'],
  ]);
});

test('types are read without a warning of Node, and other warnings are still printed', () => {
  const program = `const { parseModule } = await import(${JSON.stringify(import.meta.resolve('./syntax.ts'))});
await parseModule('x.ts', 'const x: number = 1;');
process.emitWarning('other', 'ExperimentalWarning');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(stderr.match(/Warning: .*/g)).toEqual(['Warning: other']);
});
