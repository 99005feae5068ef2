import { describe, expect, test } from 'vitest';
import { isOutline, readOutline } from '../discover/outline.ts';
import { lintFlow } from './lint.ts';

/** What is found in a flow with a body, after the imports of its file. */
async function found(body: string, imports = '') {
  const text = `import { all, step, workflow } from 'pawl';\n${imports}\nexport default workflow('w', function* (input) {\n${body}\n});\n`;
  const read = await readOutline('/x.ts', text);
  if (!isOutline(read)) throw new Error(JSON.stringify(read));
  return lintFlow(read);
}

/** How what differs in a replay is written. */
async function differing(body: string, imports?: string): Promise<(string | undefined)[]> {
  const { errors, warnings } = await found(body, imports);
  expect(errors).toEqual([]);
  return warnings.map(({ message }) => / ?(.*?) (?:reads|draws|talks)/.exec(message)?.[1]);
}

describe('what would differ in a replay', () => {
  test('is a warning where it is, with the way out', async () => {
    expect(await found("  yield* step('a').delay(1);\n  return Date.now();")).toEqual({
      errors: [],
      warnings: [
        {
          code: 'REPLAY_DIFFERS',
          message: 'Date.now() reads the clock, so a replay could take a different path',
          hint: 'do it in a step, whose result is recorded: yield* step("…").task(() => …)',
          line: 5,
          column: 10,
        },
      ],
    });
  });

  test('is clock, chance, network and environment, in order', async () => {
    const values = '[new Date(), Math.random(), crypto.randomUUID(), process.env.HOME, performance.now(), globalThis.fetch(1)]';
    expect(await differing(`const values = ${values}; yield* step(\`a-\${Date.now()}\`).delay(1);`)).toEqual([
      'new Date()',
      'Math.random()',
      'crypto.randomUUID()',
      'process.env',
      'performance.now()',
      'fetch()',
      'Date.now()',
    ]);
  });

  test('is found however it is imported', async () => {
    const ids = ['crypto.randomUUID()'];
    expect(await differing('return id();', "import { randomUUID as id } from 'node:crypto';")).toEqual(ids);
    expect(await differing('return c.randomUUID();', "import * as c from 'crypto';")).toEqual(ids);
    expect(await differing('return c.randomUUID();', "import c from 'node:crypto';")).toEqual(ids);
  });

  test('excludes deterministic code, and code that only looks alike', async () => {
    expect(
      await differing('const at = new Date(input.at); return [at, api.fetch(1), api.now.Date.now(), globalThis.constructor];'),
    ).toEqual([]);
    expect(await differing('const fetch = input.get; return fetch(1);')).toEqual([]);
    expect(
      await differing('return fetch(1);', "import { fetch } from './lib.ts'; const x = 1;".replace('./lib.ts', 'some-package')),
    ).toEqual([]);
    expect(await differing('// Date.now()\n return ["fetch()", /Math.random()/, `process.env`, 8 / 2 / 1];')).toEqual([]);
  });

  test('may be in a function that a step runs, but not among its arguments', async () => {
    expect(
      await differing(`
      yield* step('now').task(() => Date.now());
      yield* step('ask').agent({ agent: 'x', context: async () => ({ id: crypto.randomUUID(), at: [Math.random()] }) }).retry(2);
      yield* step('many').each([1], () => step('one').task(() => Math.random()));`),
    ).toEqual([]);
    expect(
      await differing(`
      yield* step('both').task((at) => at + Math.random(), Date.now());
      yield* step('many').each([1], () => step('one').task(note, Math.random()));`),
    ).toEqual(['Date.now()', 'Math.random()']);
  });
});

test('a step that is not yielded never runs, and that is an error', async () => {
  const { errors } = await found("  step('a').task(() => 1).retry(2);\n  yield* step('b').delay(1);");
  expect(errors.map(({ code, line, column, message }) => `${line}:${column} ${code} ${message}`)).toEqual([
    '4:3 STEP_NOT_YIELDED the step "a" is created but never yielded, so it never runs',
  ]);
  const lines = async (body: string) => (await found(body)).errors.map(({ code, line }) => `${line} ${code}`);
  expect(await lines("  if (x) return step('a').task(() => 1);\n  all([step('b').delay(1)]);\n  const c = step('c').delay(1);")).toEqual([
    '4 STEP_NOT_YIELDED',
    '5 STEP_NOT_YIELDED',
    '6 STEP_NOT_YIELDED',
  ]);
  const forms = [
    "x && step('a').delay(1);",
    "x ? step('a').delay(1) : null;",
    "void step('a').delay(1);",
    "[step('a').delay(1)];",
    "(x, step('a').delay(1));",
    "return [step('a').delay(1)];",
    "const s = step('a').delay(1); s.retry(2);",
    "const s = [step('a').delay(1)];",
    'helper(1);',
    'helper(1).retry(2);',
    'if (x) return declared(1);',
  ];
  const module = "const helper = (i) => step('a' + i).delay(1);\nfunction declared(i) { return step('a' + i).delay(1); }\n";
  const codes = async (body: string) => (await found(body, module)).errors.map(({ code }) => code);
  for (const form of forms) expect([form, await codes(form)]).toEqual([form, ['STEP_NOT_YIELDED']]);
  const right = [
    "const s = step('a').delay(1); yield* s.retry(2);",
    "let s = step('a').delay(1); s = s.retry(2); yield* s;",
    "const s = x ? step('a').delay(1) : undefined; if (s) yield* s;",
    "x && (yield* step('a').delay(1));",
    'yield* helper(1);',
    'const s = helper(1); yield* s;',
    'const list = [1].map((i) => helper(i)); yield* all(list);',
    'note(1);',
    "const helper = (i) => i; helper(1); yield* step('b').delay(1);",
  ];
  for (const form of right) expect([form, await codes(form)]).toEqual([form, []]);
  const helpers =
    "  const make = (i) => step('a' + i).delay(1);\n  const d = step('d').delay(1);\n  yield* d;\n  yield* all([1].map((i) => { return make(i); }));";
  expect(await lines(helpers)).toEqual([]);
});

test('a name twice on one path of a flow is an error; in branches, and built in a loop, it is not', async () => {
  const codes = async (body: string) => {
    const { errors, warnings } = await found(body);
    return [...errors, ...warnings].map(({ code }) => code);
  };
  expect(await codes("yield* step('a').delay('1s'); yield* step('a').delay('1s');")).toEqual(['STEP_DUPLICATE']);
  expect(await codes("if (x) yield* step('a').delay('1s'); else yield* step('a').delay('1s');")).toEqual([]);
  expect(await codes("for (const i of [1]) yield* step('a').delay('1s');")).toEqual(['STEP_REPEATED']);
  expect(await codes("for (;;) { if (x) { yield* step('a').delay('1s'); return; } }")).toEqual([]);
  expect(await codes("for (;;) { if (x) { yield* step('a').delay('1s'); if (y) continue; return; } }")).toEqual(['STEP_REPEATED']);
  expect(await codes("for (;;) { if (x) { for (;;) yield* step('a').delay('1s'); return; } }")).toEqual(['STEP_REPEATED']);
  expect(await codes("for (const i of [1]) yield* step('a' + i).delay('1s');")).toEqual([]);
  expect(await codes("yield* step('a#1').delay('1s');")).toEqual(['NAME_INVALID']);
});

test('a function that is written elsewhere is not checked', async () => {
  const read = await readOutline('/x.ts', "import { workflow } from 'pawl'; import { body } from 'x'; export default workflow('w', body);");
  expect(isOutline(read) && lintFlow(read)).toEqual({ errors: [], warnings: [] });
});

test('a text that reads like a template of a workflow file is an error, since nothing fills it in', async () => {
  const body = [
    "  yield* step('a').agent({ agent: 'dev', prompt: 'Fix {{ params.title }}.' }).retry(1);",
    "  yield* step('b').human({ prompt: `Merge {{ outputs.plan }}?` });",
    "  yield* step('c').command(\"docker ps --format '{{.Names}}'\");",
    "  yield* step('d').command({ run: 'x', env: { T: input.title } });",
  ].join('\n');
  const { errors } = await found(body);
  expect(errors.map(({ code, message, line }) => `${line} ${code} ${message.split(':')[0]}`)).toEqual([
    '4 TEMPLATE_LITERAL "{{ params.title }}" is not rendered',
    '5 TEMPLATE_LITERAL "{{ outputs.plan }}" is not rendered',
  ]);
});
