// Trust follows all code of a workflow: what parsing finds is part of the digest, and what it does not find is not run.

import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const workflow = (head: string, word = 'word'): string => `import { defineWorkflow } from 'pawl';
${head}
export default defineWorkflow({ name: 'hello', steps: { say: { handler: () => ${word}, next: null } } });
`;
const REQUIRE = "import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\n";
const HELLO = '.pawl/workflows/hello.ts';

async function output(): Promise<unknown> {
  const { code, stdout, stderr } = await rig.start(['run', 'hello', '--json']).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { steps: { output: unknown }[] }).steps[0]?.output;
}

describe('changed code that a trusted workflow loads is not run', () => {
  const CASES = (
    [
      [
        'through #imports',
        "import { word } from '#word';",
        'src/word.js',
        esm,
        { 'package.json': '{"type":"module","imports":{"#word":"./src/word.js"}}' },
      ],
      [
        'through its own package',
        "import { word } from 'mine/word';",
        'src/word.mjs',
        esm,
        { 'package.json': '{"name":"mine","exports":{"./word":{"node":"./src/word.mjs"}}}' },
      ],
      ['through createRequire', `${REQUIRE}const { word } = load('./lib/word.cjs');`, '.pawl/workflows/lib/word.cjs', cjs],
      [
        'through a computed import',
        "const name = 'word'.trim();\nconst { word } = await import('./lib/' + name + '.mjs');",
        '.pawl/workflows/lib/word.mjs',
        esm,
      ],
      [
        'in JSON',
        "import data from './word.json' with { type: 'json' };\nconst { word } = data;",
        '.pawl/workflows/word.json',
        (word) => JSON.stringify({ word }),
      ],
      [
        'in a required JSON',
        `${REQUIRE}const { word } = load('./word.json');`,
        '.pawl/workflows/word.json',
        (word) => JSON.stringify({ word }),
      ],
      [
        'in a package',
        "import { word } from 'words';",
        'node_modules/words/lib/word.js',
        esm,
        { 'node_modules/words/package.json': '{"name":"words","type":"module","exports":"./lib/word.js"}' },
      ],
      [
        'in a typed CommonJS file',
        `${REQUIRE}const { word } = load('./word.cts');`,
        '.pawl/workflows/word.cts',
        (word) => `const word: string = '${word}';\nmodule.exports = { word };\n`,
      ],
    ] as [string, string, string, (word: string) => string, Record<string, string>?][]
  ).map(([what, head, target, text, more = {}]) => ({ what, head, target, text, more }));

  test.each(CASES)('a change of code that a trusted workflow loads is not run: $what', async ({ head, target, text, more }) => {
    rig.write(HELLO, workflow(head));
    for (const [path, content] of Object.entries(more)) rig.write(path, content);
    rig.write(target, text('hi'));
    expect((await rig.run(['trust', '--yes'])).code).toBe(0);
    expect(await output()).toBe('hi');
    rig.write(target, text('evil'));
    const { code, stderr } = await rig.run(['run', 'hello']);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('has changed since it was trusted') });
  });

  function esm(word: string): string {
    return `export const word = '${word}';\n`;
  }
  function cjs(word: string): string {
    return `exports.word = '${word}';\n`;
  }
});

describe('code that parsing did not find is not run', () => {
  test.each([
    ['a computed import', "const { word } = await import(['..', '..', 'src', 'word.mjs'].join('/'));"],
    ['Module._load', "import M from 'node:module';\nconst { word } = M['_load'](process.cwd() + '/src/word.mjs');"],
    [
      'a module of its own',
      "import M from 'node:module';\nconst { word } = Object.assign(new M('x'), { paths: [] })[['require'].join()](process.cwd() + '/src/word.mjs');",
    ],
    ['an import in a new function', "const { word } = await new Function('path', 'return import(path)')(process.cwd() + '/src/word.mjs');"],
    ['a computed require', `${REQUIRE}const { word } = load(['..', '..', 'src', 'word.mjs'].join('/'));`],
    [
      'a file that imports.meta.resolve finds',
      "const { word } = await import(import.meta.resolve(['..', '..', 'src', 'word.mjs'].join('/')));",
    ],
  ])('code that parsing did not find is not run: %s', async (_what, head) => {
    rig.write(HELLO, workflow(head));
    const other = rig.write('src/word.mjs', "export const word = 'hi';\n");
    await rig.run(['trust', '--yes']);
    const { code, stdout, stderr } = await rig.start(['run', 'hello']).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining(`${other} was loaded, but it is not part of what was trusted`),
    });
    expect(await rig.json(['validate'])).toMatchObject({ code: 4, files: [{ errors: [{ code: 'NOT_TRUSTED' }] }] });
    await rig.run(['trust', '--folder', '--yes']);
    expect(await output()).toBe('hi');
  });

  test('an untrusted file that is imported when a step runs is not run', async () => {
    rig.write(HELLO, workflow('', "import(['..', '..', 'src', 'word.mjs'].join('/')).then((loaded) => loaded.word)"));
    rig.write('src/word.mjs', "export const word = 'hi';\n");
    await rig.run(['trust', '--yes']);
    expect(await rig.json(['run', 'hello'])).toMatchObject({
      steps: [{ error: expect.stringContaining('is not part of what was trusted') }],
    });
  });

  test('code that bypasses the loader cannot be trusted by its content, and its position is shown', async () => {
    const file = rig.write(HELLO, workflow(`${REQUIRE}const { word } = createRequire(process.cwd() + '/')('./word.cjs');`));
    rig.write('word.cjs', "exports.word = 'hi';\n");
    for (const words of [
      ['trust', '--yes'],
      ['run', 'hello'],
    ]) {
      const { code, stderr } = await rig.run(words);
      expect({ code, stderr }).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(`${file}:4:18: the path of createRequire is computed`),
      });
    }
    await rig.run(['trust', '--folder', '--yes']);
    expect(await output()).toBe('hi');
  });
});

describe('a trusted folder', () => {
  test('a trusted folder does not cover code outside it, behind a link or a path', async () => {
    rig.write(HELLO, workflow("import { word } from './linked.mjs';"));
    const outside = rig.write('../outside/word.mjs', "export const word = 'hi';\n");
    symlinkSync(outside, join(rig.project, '.pawl/workflows/linked.mjs'));
    await rig.run(['trust', '--folder', '--yes']);
    const { code, stderr } = await rig.run(['run', 'hello']);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('which is outside the trusted folder') });
    await rig.run(['trust', '--yes', HELLO]);
    expect(await output()).toBe('hi');
  });

  test('a trusted folder covers packages that are installed above it', async () => {
    rig.write(HELLO, workflow("import { word } from 'words';"));
    rig.write('../node_modules/words/package.json', '{"name":"words","type":"module","exports":"./word.js"}');
    rig.write('../node_modules/words/word.js', "export const word = 'hi';\n");
    await rig.run(['trust', '--folder', '--yes']);
    expect(await output()).toBe('hi');
  });

  test.each(['.pawl/workflows/lib', '.'])(
    'a trusted folder does not cover files in the folder %s if another account can write to it',
    async (folder) => {
      rig.write(HELLO, workflow("import { word } from './lib/word.mjs';"));
      rig.write('.pawl/workflows/lib/word.mjs', "export const word = 'hi';\n");
      await rig.run(['trust', '--folder', '--yes']);
      expect(await output()).toBe('hi');
      const path = join(rig.project, folder);
      if (process.getuid?.() === 0) chownSync(path, 4242, 4242);
      else chmodSync(path, 0o777);
      const { code, stderr } = await rig.run(['run', 'hello']);
      expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(`another user wrote ${path} or can change it`) });
    },
  );
});

test('a package that is linked into node_modules is trusted with the workflow', async () => {
  rig.write(HELLO, workflow("import { word } from 'sibling';"));
  rig.write('../sibling/package.json', '{"name":"sibling","type":"module","exports":"./word.js"}');
  rig.write('../sibling/word.js', "export { word } from './deep.js';\n");
  rig.write('../sibling/deep.js', "export const word = 'hi';\n");
  mkdirSync(join(rig.project, 'node_modules'));
  symlinkSync('../../sibling', join(rig.project, 'node_modules/sibling'));
  await rig.run(['trust', '--yes']);
  expect(await output()).toBe('hi');
  rig.write('../sibling/deep.js', "export const word = 'evil';\n");
  expect((await rig.run(['run', 'hello'])).code).toBe(4);
});

test('packages of an agent driver are loaded for a workflow that does not import them', async () => {
  rig.write(HELLO, workflow('').replace('handler: () => word', "agent: 'writer', prompt: 'Write.'"));
  rig.write('.pawl/agents/writer.md', '---\ndriver: ai-sdk\nmodel: fake/one\n---\nWrite.\n');
  rig.write('node_modules/ai/package.json', '{"name":"ai","type":"module","exports":"./index.js"}');
  rig.write('node_modules/ai/index.js', "throw new Error('ai was loaded');\n");
  rig.write('node_modules/@ai-sdk/fake/package.json', '{"name":"@ai-sdk/fake","type":"module","exports":"./index.js"}');
  rig.write('node_modules/@ai-sdk/fake/index.js', 'export const fake = () => ({});\n');
  await rig.run(['trust', '--yes']);
  expect((await rig.start(['run', 'hello', '--json']).ended).stdout).toContain('ai was loaded');
});

test.each([
  ['run', 'hello'],
  ['validate'],
  ['list'],
  ['graph', 'hello'],
  ['test'],
  ['export', 'hello'],
  ['trust', '--yes'],
  ['run', 'hello', '--attended'],
])('what a module prints does not break --json of pawl %s %s', async (...words) => {
  const loud = workflow("console.log('loading');\nprocess.stdout.write('x');", "(console.log('running'), 1)");
  rig.write(HELLO, words[0] === 'export' ? loud.replace(/handler: .*, next/, "command: 'true', next") : loud);
  await rig.run(['trust', '--folder', '--yes']);
  const { code, stdout } = await rig.start([...words, '--json']).ended;
  expect(code === 0 || code === 3).toBe(true);
  expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1 });
});

test('a module that never ends is killed with the command that loads it', async () => {
  const mark = join(rig.folder, 'mark');
  rig.write(
    HELLO,
    workflow(`import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, String(process.pid));\nfor (;;);`, '1'),
  );
  await rig.run(['trust', '--folder', '--yes']);
  const running = rig.start(['validate']);
  await expect.poll(() => existsSync(mark) && readPid(mark)).toBeTruthy();
  const pid = readPid(mark);
  running.process.kill('SIGKILL');
  await expect.poll(() => isAlive(pid), { timeout: 5000 }).toBe(false);
});

function readPid(file: string): number {
  return Number(readFileSync(file, 'utf8'));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
