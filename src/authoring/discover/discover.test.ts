import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { REGISTRY } from '../../kinds/registry.ts';
import { checkModule } from './check.ts';
import { discoverWorkflows } from './discover.ts';
import { readModuleGraph } from './imports.ts';
import { describeReading, isReading, readModule } from './reading.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-discover-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The name of the workflow of a text, or the code of what is wrong. */
async function found(text: string): Promise<string> {
  const read = await readModule('/x.ts', text);
  return isReading(read) ? read.name : read.code;
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

describe('what is no workflow is told', () => {
  test.each([
    ['export const x = 1;', 'ENTRY_MISSING'],
    ["import { defineWorkflow } from 'pawl/compat'; export const x = defineWorkflow({ name: 'w', steps: [] });", 'ENTRY_MISSING'],
    ["export { default } from './other.ts';", 'ENTRY_UNSEEN'],
    ["import w from './other.ts'; export default w;", 'ENTRY_UNSEEN'],
    ["import { make } from './other.ts'; export default make();", 'ENTRY_UNSEEN'],
    ["import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow(make());", 'ENTRY_UNSEEN'],
    ["import { defineWorkflow } from 'pawl/compat'; export default new defineWorkflow({ name: 'w' });", 'ENTRY_INVALID'],
    ["import { Workflow } from 'pawl/compat'; export default Workflow('w');", 'ENTRY_INVALID'],
    ['export default function () {}', 'ENTRY_INVALID'],
    ["export default defineWorkflow({ name: 'w' });", 'IMPORT_MISSING'],
    ["import { defineWorkflow } from 'pawl/compat'; let n = 'w'; export default defineWorkflow({ name: n, steps: [] });", 'NAME_UNSEEN'],
    ["import { defineWorkflow } from 'pawl/compat'; export default defineWorkflow({ name: 5, steps: [] });", 'NAME_UNSEEN'],
    ['export default {', 'SYNTAX'],
  ])('%s', async (text, code) => {
    expect(await found(text)).toBe(code);
  });
});

test('a workflow is described by its text: title, parameters, steps and place', async () => {
  const text = `import { arg } from 'pawl'; import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'w', title: \`The title\`, description: ['one', 'two'].join(' '),
  params: { tries: arg({ default: 3 }), ['mode']: arg({ choices: ['a'] }) },
  steps: [{ id: 'a', next: 'b' }, { id: 'b', next: null }],
});
`;
  const read = await readModule('/x.ts', text);
  expect(isReading(read) && describeReading(read)).toEqual({
    name: 'w',
    title: 'The title',
    description: 'one two',
    form: 'graph',
    params: ['tries', 'mode'],
    steps: ['a', 'b'],
    isWhole: true,
    file: '/x.ts',
    line: 3,
    column: 16,
  });
});

describe('a definition is read as the values it would have', () => {
  /** What a check finds in a graph whose steps, and what comes before them, are given. */
  async function check(steps: string, before = '') {
    const head = "import { defineWorkflow, Outcome, StepDef } from 'pawl/compat';\nimport { shared, other } from './lib/shared.ts';\n";
    const { errors, unseen } = await checkModule(
      '/x.ts',
      `${head}${before}\nexport default defineWorkflow({ name: 'w', steps: ${steps} });\n`,
      REGISTRY,
    );
    return { errors: errors.map(({ code }) => code), unseen: unseen.map(({ what }) => what) };
  }
  const FINE = { errors: [], unseen: [] };

  test.each([
    [
      "[{ id: 'a', command: 'x', timeout: 5 * 60 * 1000, retry: +2, next: { [Outcome.OK]: null } }]",
      'arithmetic and members of the library',
    ],
    ["[StepDef({ id: 'a', command: 'x', next: 'b' }), ...LAST]", 'spread lists'],
    ["[{ ...BASE, id: 'a', next: null }]", 'spread objects'],
    ["[{ id: 'a', handler: other, postconditions: [{ name: 'p', check: other, error: 'e' }], next: null }]", 'functions from elsewhere'],
    ["[{ id: 'a', agent: new Agent(), context: (ctx) => ctx, next: null }]", 'live agents'],
    ["[{ id: 'a', workflow: other, next: null }]", 'children from elsewhere'],
  ])('%s', async (steps) => {
    const before = "const LAST = [{ id: 'b', command: 'x', next: null }];\nconst BASE = Object.freeze({ command: 'x' });\nclass Agent {}";
    expect(await check(steps, before)).toEqual(FINE);
  });

  test('a list that is changed after it was made is not taken for what it was', async () => {
    const changes = ['LIST.push({ id: "b" });', 'LIST[0] = {};', 'fill(LIST);', 'LIST.length = 0;', 'function add() { LIST.splice(0); }'];
    for (const change of changes) expect(await check('LIST', `const LIST = [];\n${change}`)).toEqual({ errors: [], unseen: ['"LIST"'] });
    expect(await check('LIST', 'const LIST = [];')).toEqual({ errors: ['NO_STEPS'], unseen: [] });
  });

  test('no fault is told that may come from what is not seen, and every other is', async () => {
    const unseen = ['"shared"'];
    expect(await check("[...shared, { id: 'a', command: 'x', next: 'gone' }]")).toEqual({ errors: [], unseen });
    expect(await check("[...shared, { id: 'a', comand: 'x', timeout: 'soon', next: 'gone' }]")).toEqual({
      errors: ['FIELD_UNKNOWN', 'TIMEOUT_INVALID'],
      unseen,
    });
    expect(await check("[{ id: 'a', command: 'x', next: shared }, { id: 'b', command: 'x', next: 'gone' }]")).toEqual({
      errors: ['TARGET_UNKNOWN'],
      unseen,
    });
    expect(await check("[{ id: 'a', command: 'x', next: shared }, { id: 'b', command: 'x', next: null }]")).toEqual({ errors: [], unseen });
    expect(await check("[{ id: 'a', command: 'x', timeout: shared, next: 'b' }, { id: 'c', command: 'x', next: null }]")).toEqual({
      errors: ['TARGET_UNKNOWN'],
      unseen,
    });
    expect(await check("[{ id: 'a', command: shared, env: {}, next: null }]")).toEqual({ errors: [], unseen });
    expect(await check("[{ id: 'a', gate: { checks: shared }, next: { conflict: null } }]")).toEqual({ errors: [], unseen });
  });

  test('a text that grows without end is not followed to its end', async () => {
    const doubling = Array.from({ length: 40 }, (_, index) => `const L${index + 1} = [...L${index}, ...L${index}];`).join('\n');
    expect(await check('L40', `const L0 = [{ id: 'a' }];\n${doubling}`)).toMatchObject({ errors: [] });
    expect(await check('A', 'const A = [B];\nconst B = { id: A };')).toMatchObject({ errors: [] });
  });

  test('a definition that no compiler could read is an error, not a crash', async () => {
    expect((await check('[null]')).errors).toEqual(['DEFINITION_INVALID']);
    expect((await check('5')).errors).toEqual(['NO_STEPS']);
  });
});

test('positions are those of the file, also after types of any script', async () => {
  const text = `import { defineWorkflow } from 'pawl/compat';
type Größe = 'ä' | '日本';
export default defineWorkflow<{ a: Größe }>({ name: 'w', steps: [{ id: 'a' as string, command: 'x', next: 'b' }] });
`;
  const { errors } = await checkModule('/x.ts', text, REGISTRY);
  expect(errors.map(({ line, column }) => [line, column])).toEqual([[3, (text.split('\n')[2] as string).indexOf("'b'") + 1]]);
});

test('what is not closed is told where it was opened, and a place after tabs is right', async () => {
  const place = async (file: string, text: string) => {
    const { errors } = await checkModule(file, text, REGISTRY);
    return errors.map(({ message, line, column }) => `${line}:${column} ${message}`);
  };
  for (const file of ['/x.ts', '/x.mjs']) {
    expect(await place(file, 'const x = 1;\nexport default {\n  a: [1],\n')).toEqual(['2:16 the file ends before this "{" is closed']);
    expect(await place(file, "f();\nconst a = 'x;\nconst b = 1;\n")).toEqual(['2:11 Unterminated string constant']);
    expect(await place(file, '{\n\ta: [1 2];\n}')).toEqual(["2:8 Expected ',', got 'numeric literal'"]);
  }
});

test('types in a file that may have none are told as such', async () => {
  const { errors } = await checkModule('/x.mjs', 'const x: number = 1;\n', REGISTRY);
  expect(errors).toEqual([
    { code: 'SYNTAX', message: 'Unexpected token', hint: 'this is TypeScript: call the file .ts or .mts', line: 1, column: 8 },
  ]);
});

test('a step of a flow that is a statement of its own is never done, and that is wrong', async () => {
  const { errors } = await checkModule(
    '/x.ts',
    "import { step, workflow } from 'pawl';\nexport default workflow('w', function* () {\n  step('a').task(() => 1).retry(2);\n  yield* step('b').delay(1);\n});\n",
    REGISTRY,
  );
  expect(errors.map(({ code, line, column, message }) => `${line}:${column} ${code} ${message}`)).toEqual([
    '3:3 STEP_NOT_YIELDED the step "a" is built and not yielded, so it is never done',
  ]);
});

test('mistakes in steps by id are shown at the key or the field', async () => {
  const { errors } = await checkModule(
    '/x.ts',
    "import { defineWorkflow } from 'pawl';\nexport default defineWorkflow({\n  name: 'w',\n  steps: {\n    a: { command: 'x', next: 'c' },\n    b: { command: 'x', next: null },\n  },\n});\n",
    REGISTRY,
  );
  expect(errors.map(({ code, line, column }) => `${line}:${column} ${code}`)).toEqual(['5:30 TARGET_UNKNOWN']);
});

test('a name twice on the way of a flow is wrong; in branches, and built in a loop, it is not', async () => {
  const flow = async (body: string) => {
    const { errors, warnings } = await checkModule(
      '/x.ts',
      `import { step, workflow } from 'pawl';\nexport default workflow('w', function* () { ${body} });\n`,
      REGISTRY,
    );
    return [...errors, ...warnings].map(({ code }) => code);
  };
  expect(await flow("yield* step('a').delay('1s'); yield* step('a').delay('1s');")).toEqual(['STEP_DUPLICATE']);
  expect(await flow("if (x) yield* step('a').delay('1s'); else yield* step('a').delay('1s');")).toEqual([]);
  expect(await flow("for (const i of [1]) yield* step('a').delay('1s');")).toEqual(['STEP_REPEATED']);
  expect(await flow("for (const i of [1]) yield* step('a' + i).delay('1s');")).toEqual([]);
  expect(await flow("yield* step('a#1').delay('1s');")).toEqual(['NAME_INVALID']);
});

test('all folders are read, whatever is wrong in one of them, and duplicates are told at both files', async () => {
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

describe('the content of a module', () => {
  test('is the file and every local file that it and they import', async () => {
    const main = write('main.ts', "import './lib/a.ts';\nexport * from './b.mjs';\nimport 'node:fs';\nimport 'package';\n");
    write('lib/a.ts', "import type { T } from './types-only.ts';\nconst late = () => import('../late.js');\n");
    write('b.mjs', "import data from './data.json' with { type: 'json' };\nimport './main.ts';\n");
    write('late.js', "require('./old');\n");
    write('old.cjs', 'return;\n');
    write('data.json', '{}');
    const { parts, hasHidden } = await readModuleGraph(main);
    expect([...parts.keys()]).toEqual(['b.mjs', 'data.json', 'late.js', 'lib/a.ts', 'main.ts', 'old.cjs']);
    expect(hasHidden).toBe(false);
  });

  test('has another digest when any of them changes, and the same one elsewhere', async () => {
    const main = write('x/main.ts', "import './a.ts';\n");
    write('x/a.ts', '1;\n');
    const copy = write('y/main.ts', "import './a.ts';\n");
    write('y/a.ts', '1;\n');
    const { digest } = await readModuleGraph(main);
    expect((await readModuleGraph(copy)).digest).toBe(digest);
    write('y/a.ts', '2;\n');
    expect((await readModuleGraph(copy)).digest).not.toBe(digest);
  });

  test('says so when an import is computed', async () => {
    expect((await readModuleGraph(write('main.ts', 'import(process.argv[2]);\n'))).hasHidden).toBe(true);
  });
});
