import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { readModuleGraph } from './imports.ts';

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

test('the code of a module is the file and every local file that it and they import', async () => {
  const main = write('main.ts', "import './lib/a.ts';\nexport * from './b.mjs';\nimport 'node:fs';\nimport 'package';\n");
  write('lib/a.ts', "import type { T } from './types-only.ts';\nconst late = () => import('../late.js');\n");
  write('b.mjs', "import data from './data.json' with { type: 'json' };\nimport './main.ts';\n");
  write('late.js', "require('./old');\n");
  write('old.js', 'return;\n');
  write('data.json', '{}');
  expect([...(await readModuleGraph(main)).parts.keys()]).toEqual(['b.mjs', 'data.json', 'late.js', 'lib/a.ts', 'main.ts', 'old.js']);
});

test('the same code has the same digest elsewhere', async () => {
  const main = write('x/main.ts', "import './a.ts';\n");
  write('x/a.ts', '1;\n');
  const copy = write('y/main.ts', "import './a.ts';\n");
  write('y/a.ts', '1;\n');
  expect((await readModuleGraph(copy)).digest).toBe((await readModuleGraph(main)).digest);
});

test('a module whose text and ending are the same is parsed once', async () => {
  const main = write('main.mjs', "import './a.mjs';\n");
  write('a.mjs', '1;\n');
  write('b.mjs', '2;\n');
  const cache = join(folder, 'cache');
  const partsOf = async (file: string): Promise<string[]> => [...(await readModuleGraph(file, cache)).parts.keys()];
  const [first] = await Promise.all([readModuleGraph(main, cache), readModuleGraph(main, cache)]);
  expect(await readModuleGraph(main, cache)).toEqual(first);

  const other = JSON.stringify([{ kind: 'module', specifier: './b.mjs' }]);
  const entries = readdirSync(join(cache, 'references')).map((name) => join(cache, 'references', name));
  const [entry = ''] = entries.filter((file) => readFileSync(file, 'utf8').includes('./a.mjs'));
  writeFileSync(entry, other);
  expect(await partsOf(main)).toEqual(['b.mjs', 'main.mjs']);
  expect(await partsOf(write('main.ts', "import './a.mjs';\n"))).toEqual(['a.mjs', 'main.ts']);
  expect(await partsOf(write('main.mjs', "import './a.mjs'; \n"))).toEqual(['a.mjs', 'main.mjs']);

  writeFileSync(entry, '[{"kind":');
  expect(await partsOf(write('main.mjs', "import './a.mjs';\n"))).toEqual(['a.mjs', 'main.mjs']);
});

test('a module is read where nothing can be remembered', async () => {
  const main = write('main.mjs', "import './a.mjs';\n");
  write('a.mjs', '1;\n');
  const blocked = write('blocked', '');
  expect([...(await readModuleGraph(main, blocked)).parts.keys()]).toEqual(['a.mjs', 'main.mjs']);
});

const REQUIRE = "import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\n";
const IMPORTS = JSON.stringify({ imports: { '#lib': { node: './lib.js', default: './other.js' }, '#parts/*': './parts/*.js' } });
const EXPORTS = JSON.stringify({ name: 'mine', exports: { './x': { import: './x.mjs', require: './x.cjs' } } });

/** Texts of main.mjs, what else there is, and the file whose change must change the digest. */
const REACHED = (
  [
    ['a file behind #imports', "import '#lib';", 'lib.js', { 'package.json': IMPORTS }],
    ['the other condition of #imports', "import '#lib';", 'other.js', { 'package.json': IMPORTS }],
    ['a pattern of #imports', "import '#parts/one';", 'parts/one.js', { 'package.json': IMPORTS }],
    ['the map of #imports', "import '#lib';", 'package.json', { 'package.json': IMPORTS }],
    ['a file of the own package by its name', "import 'mine/x';", 'x.mjs', { 'package.json': EXPORTS }],
    ['the other condition of its exports', "import 'mine/x';", 'x.cjs', { 'package.json': EXPORTS }],
    ['the type of the package', '', 'package.json', { 'package.json': '{"type":"module"}' }],
    ['createRequire', `${REQUIRE}load('./x.cjs');`, 'x.cjs'],
    ['createRequire, called at once', "import m from 'node:module';\nm.createRequire(import.meta.url)('./x.cjs');", 'x.cjs'],
    ['createRequire under another name', "import { createRequire as cr } from 'node:module';\ncr(import.meta.url)('./x.cjs');", 'x.cjs'],
    ['createRequire of another folder', `${REQUIRE}createRequire(new URL('./deep/', import.meta.url))('./x.cjs');`, 'deep/x.cjs'],
    ['createRequire of a builtin', "process.getBuiltinModule('module').createRequire(import.meta.filename)('./x.cjs');", 'x.cjs'],
    ['require.resolve', `${REQUIRE}load(load.resolve('./x.cjs'));`, 'x.cjs'],
    ['a folder that is required', `${REQUIRE}load('./folder');`, 'folder/main.js', { 'folder/package.json': '{"main":"main"}' }],
    [
      'the main file that it names',
      `${REQUIRE}load('./folder');`,
      'folder/package.json',
      { 'folder/package.json': '{"main":"main"}', 'folder/main.js': '' },
    ],
    ['a required file of a required file', `${REQUIRE}load('./x.cjs');`, 'y.json', { 'x.cjs': "module.require('./y');" }],
    ['import.meta.resolve', "import(import.meta.resolve('./lib/x.mjs'));", 'lib/x.mjs'],
    ['a path in a constant', "const PATH = './lib/x.mjs';\nawait import(PATH);", 'lib/x.mjs'],
    ['WebAssembly', "import './x.wasm';", 'x.wasm'],
    ['a module of another spelling', "import './my%20file.mjs?x=1';", 'my file.mjs'],
    ['a computed import', 'await import(process.argv[2]);', 'deep/er/x.mjs'],
    ['a computed require', `${REQUIRE}load(process.argv[2]);`, 'x.json'],
    ['a require that is passed on', `${REQUIRE}use(createRequire(import.meta.url));`, 'x.cjs'],
    ['a worker', "import { Worker } from 'node:worker_threads';\nnew Worker(new URL('./w.js', import.meta.url));", 'w.js'],
    [
      'what a worker imports',
      "import { Worker } from 'node:worker_threads';\nnew Worker(new URL('./w.js', import.meta.url));",
      'x.mjs',
      { 'w.js': "import './x.mjs';" },
    ],
    [
      'a forked program',
      "import { fork } from 'node:child_process';\nimport { join } from 'node:path';\nfork(join(import.meta.dirname, 'lib', 'w.js'));",
      'lib/w.js',
    ],
    ['an installed package', "import 'pkg';", 'node_modules/pkg/deep/x.js', { 'node_modules/pkg/package.json': '{}' }],
    [
      'what it depends on',
      "import 'pkg';",
      'node_modules/dep/index.js',
      { 'node_modules/pkg/package.json': '{"dependencies":{"dep":"1"}}' },
    ],
    [
      'what it depends on itself',
      "import '@a/b/c';",
      'node_modules/@a/b/node_modules/dep/x.js',
      { 'node_modules/@a/b/package.json': '{"dependencies":{"dep":"1"}}', 'node_modules/dep/x.js': '' },
    ],
  ] as [string, string, string, Record<string, string>?][]
).map(([what, text, target, more = {}]) => ({ what, text, target, more }));

test.each(REACHED)('the digest changes with $what', async ({ text, target, more }) => {
  const main = write('flows/main.mjs', text);
  write(`flows/${target}`, '');
  for (const [path, content] of Object.entries(more)) write(`flows/${path}`, content);
  const before = await readModuleGraph(main);
  expect(before.problems).toEqual([]);
  expect((await readModuleGraph(main)).digest).toBe(before.digest);
  const given = more[target];
  write(
    `flows/${target}`,
    given === undefined ? '0;' : given.replaceAll('main', 'changed').replaceAll('module', 'commonjs').replaceAll('lib.js', 'new.js'),
  );
  expect((await readModuleGraph(main)).digest).not.toBe(before.digest);
});

test('a link is followed to the file that it leads to', async () => {
  const main = write('flows/main.ts', "import './linked.ts';\n");
  const real = write('elsewhere/real.ts', '1;');
  symlinkSync(real, join(folder, 'flows/linked.ts'));
  const before = await readModuleGraph(main);
  expect([...before.files.keys()]).toContain(real);
  write('elsewhere/real.ts', '2;');
  expect((await readModuleGraph(main)).digest).not.toBe(before.digest);
});

test('a package that is linked into node_modules is followed file by file', async () => {
  const main = write('app/main.ts', "import 'sibling';\n");
  write('sibling/package.json', '{"name":"sibling","exports":{"import":"./in.js","require":"./in.cjs"}}');
  write('sibling/in.js', "import './deep.js';");
  write('sibling/deep.js', '');
  write('sibling/in.cjs', '');
  write('sibling/unused.js', '');
  mkdirSync(join(folder, 'app/node_modules'));
  symlinkSync(join(folder, 'sibling'), join(folder, 'app/node_modules/sibling'));
  const names = [...(await readModuleGraph(main)).parts.keys()];
  expect(names.filter((name) => !name.includes('('))).toEqual(['../sibling/deep.js', '../sibling/in.cjs', '../sibling/in.js', 'main.ts']);
});

describe('code that parsing does not show is a problem, with its place', () => {
  test.each([
    ['createRequire of a computed path', `${REQUIRE}createRequire(process.cwd())('./x');`, '3:1'],
    ['a worker at a computed path', "import { Worker } from 'node:worker_threads';\nnew Worker(process.argv[2]);", '2:1'],
    ['a worker in CommonJS', "const { Worker } = require('worker_threads');\nnew Worker('./w.js');", '2:1'],
    ['a forked program at a computed path', "import * as cp from 'child_process';\ncp.fork('./x.js');", '2:1'],
    ['register', "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);", '2:1'],
    ['registerHooks', "import module from 'node:module';\nmodule.registerHooks({});", '2:1'],
    ['createRequire under another name', "import { createRequire as cr } from 'node:module';\ncr(process.cwd())('./x');", '2:1'],
    ['require of another module', 'process.mainModule.require("./x");', '1:1'],
    ['a worker of a text', "import { Worker } from 'node:worker_threads';\nnew Worker('1;', { eval: true });", '2:1'],
    ['dlopen', 'process.dlopen({}, "./x.node");', '1:1'],
  ])('%s', async (_what, text, place) => {
    const { problems } = await readModuleGraph(write('main.mjs', text));
    expect(problems.map(({ line, column }) => `${line}:${column}`)).toEqual([place]);
  });

  test('a computed import in a worker', async () => {
    const main = write('main.mjs', "import { Worker } from 'node:worker_threads';\nnew Worker(new URL('./w.js', import.meta.url));");
    const worker = write('w.js', '\nimport(x);');
    expect((await readModuleGraph(main)).problems).toMatchObject([{ file: worker, line: 2, column: 8 }]);
  });
});

test.each([
  ['data', "import { readFileSync } from 'node:fs';\nreadFileSync(new URL('./data.json', import.meta.url));", 'data.json'],
  ['other fields of the package', '', 'package.json'],
  ['another file', "import './a.mjs';", 'b.mjs'],
])('the digest does not change with %s', async (_what, text, target) => {
  const main = write('main.mjs', text);
  write('a.mjs', '');
  write(target, '{"scripts":{}}');
  const before = await readModuleGraph(main);
  write(target, '{"scripts":{"a":"b"}}');
  expect((await readModuleGraph(main)).digest).toBe(before.digest);
});
