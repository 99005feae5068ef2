// The library as a program finds it installed. Programs are run in processes of their own.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { root } from '../scripts/bundle.js';
import { tempFolder } from './temp-folder.ts';

let folder: string;
let dist: string;
beforeEach(() => {
  folder = tempFolder();
  const installed = join(folder, 'node_modules', 'pawl');
  dist = join(installed, 'dist');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(inject('bundle'), dist, { recursive: true, filter: (path) => !path.endsWith(join('dist', 'cli')) });
});

const RUNS = `import { createEngine, defineWorkflow } from 'pawl';
const workflow = defineWorkflow({ name: 'w', steps: { one: { command: ['echo', 'hi'], next: 'two' }, two: { handler: () => 'done', next: null } } });
const engine = await createEngine({ workflows: [workflow] });
console.log((await (await engine.start(workflow)).wait()).status);
await engine.close();
`;

const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_OPTIONS: '--no-warnings',
  NODE_COMPILE_CACHE: '',
  XDG_CACHE_HOME: join(folder, 'cache'),
});

/** What a program prints; one that fails fails the test. */
function run(text: string, flags: readonly string[] = []): string {
  writeFileSync(join(folder, 'program.mjs'), text);
  return runFile('program.mjs', flags);
}

function runFile(name: string, flags: readonly string[] = []): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, name], { cwd: folder, encoding: 'utf8', env: environment() });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd();
}

test('a program runs with the package read-only, and writes nothing into it', () => {
  const before = readdirSync(dist, { recursive: true });
  const folders = [
    dist,
    ...readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map((one) => join(one.parentPath, one.name)),
  ];
  for (const one of folders) chmodSync(one, 0o555);
  expect(run(RUNS)).toBe('completed');
  for (const one of folders) chmodSync(one, 0o755);
  expect(readdirSync(dist, { recursive: true })).toEqual(before);
});

/** Prints the files of the library that a program has loaded. */
const LOADED = `import { createRequire } from 'node:module';
const cache = Object.keys(createRequire(import.meta.url).cache);
console.log(cache.map((file) => file.split(/[\\\\/]/).at(-1)).sort().join(' '));`;

test('a program that runs functions loads only the first file of the library', () => {
  expect(run(`${RUNS.replace("command: ['echo', 'hi']", 'handler: () => 1')}${LOADED}`)).toBe('completed\nstart.cjs');
});

test('a program that runs commands loads the second file too, when it is called', () => {
  expect(run(`${RUNS}${LOADED}`)).toBe('completed\noften.cjs start.cjs');
});

test('a program that asks a person loads the rest of the library when it is called', () => {
  const asks = RUNS.replace("command: ['echo', 'hi']", "human: { prompt: 'Go on?', options: [{ label: 'yes' }] }");
  const text = asks.replace('.wait()).status', ".wait('idle')).status");
  expect(run(`${text}${LOADED}`)).toBe('waiting\noften.cjs start-more.cjs start.cjs');
});

test('a program that goes on has loaded everything after a second, so that it does not miss files that an upgrade replaced', () => {
  expect(
    run(
      `import 'pawl';\nsetTimeout(() => {\n${LOADED.slice(LOADED.indexOf('const'))}\n}, 1100);\n${LOADED.slice(0, LOADED.indexOf('const'))}`,
    ),
  ).toBe('often.cjs start-more.cjs start.cjs');
});

test('the list of what is executed at a start names sources that exist; "npm run startup" writes it', () => {
  const lists: Record<string, readonly string[]> = JSON.parse(readFileSync(join(root, 'scripts/startup.json'), 'utf8'));
  expect(
    Object.values(lists)
      .flat()
      .filter((source) => !existsSync(join(root, source))),
  ).toEqual([]);
});

test('importing the library loads no module of Node that takes long', () => {
  // Loading node:http takes 29 ms. Printing with the console would load some of these.
  const printed = run(`import 'pawl';
import { writeSync } from 'node:fs';
const slow = /^NativeModule (?:child_process|dns|http|https|net|readline|tls|worker_threads)$/;
writeSync(1, process.moduleLoadList.filter((name) => slow.test(name)).join(', '));`);
  expect(printed).toBe('');
});

test('a Node that is too old gets one sentence that says which is needed and how to get it', () => {
  const older = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  writeFileSync(join(folder, 'older.cjs'), older);
  const printed = run("import('pawl').catch(({ code, message, stack }) => console.log(code, message === stack, message));", [
    '--require',
    './older.cjs',
  ]);
  expect(printed).toMatch(/^ERR_PAWL_NODE true pawl: needs Node 24 or later, and this is Node 20\.20\.2; install .*nvm install 24/);
});

test('importing the library leaves nothing that a process would wait for or hear, once its compiled code is kept', () => {
  const text = `import 'pawl';
    console.log(process.getActiveResourcesInfo().length, process.listenerCount('exit'), process.listenerCount('beforeExit'));`;
  expect([run(text), run(text)]).toEqual(['0 1 0', '0 0 0']);
});

describe('compiled code', () => {
  const kept = (): string => join(folder, 'cache/pawl/compiled');
  /** The caches, each with the file that it is on the disk: a new one is another file. */
  const caches = () => readdirSync(kept()).map((name) => ({ name, file: statSync(join(kept(), name)).ino }));
  const onlyCache = (): string => join(kept(), caches()[0]?.name ?? '');
  const small = RUNS.replace("command: ['echo', 'hi']", 'handler: () => 1');

  test('compiled code is kept in a folder of the user and used again', () => {
    run(small);
    const before = caches();
    expect(before.map(({ name }) => name)).toEqual([expect.stringMatching(/^start\.cjs-[0-9a-f]{16}-v\d+\S+$/)]);
    expect(statSync(kept()).mode & 0o777).toBe(0o700);
    expect(statSync(onlyCache()).mode & 0o777).toBe(0o600);
    expect(run(small)).toBe('completed');
    expect(caches()).toEqual(before);
  });

  test.each([
    ['cut off', (text: Buffer) => text.subarray(0, text.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['changed in one place', (text: Buffer) => text.fill(text.readUInt8(text.length - 999) ^ 64, text.length - 999, text.length - 998)],
  ])('compiled code that is %s is not executed, but replaced', (_how, damage) => {
    run(small);
    const before = caches();
    writeFileSync(onlyCache(), damage(readFileSync(onlyCache())));
    expect(run(small)).toBe('completed');
    expect(caches()).not.toEqual(before);
    const after = caches();
    run(small);
    expect(caches()).toEqual(after);
  });

  test('compiled code of another version of the package is not executed', () => {
    run(small);
    const start = join(dist, 'lib/start.cjs');
    writeFileSync(start, `${readFileSync(start, 'utf8')}\nprocess.stdout.write('new ');\n`);
    expect(run(small)).toBe('new completed');
    expect(caches()).toHaveLength(2);
  });

  test('compiled code is left out where it cannot be kept, or is not wanted', () => {
    writeFileSync(join(folder, 'cache'), 'a file in place of the folder');
    expect(run(small)).toBe('completed');
    rmSync(join(folder, 'cache'));
    writeFileSync(join(folder, 'unwanted.cjs'), "process.env.NODE_DISABLE_COMPILE_CACHE = '1';");
    expect(run(small, ['--require', './unwanted.cjs'])).toBe('completed');
    expect(existsSync(kept())).toBe(false);
  });

  test('compiled code is only kept of files without import(), which Node does not offer to such code', () => {
    const files = [join(dist, 'lib/start.cjs'), join(inject('bundle'), 'cli/engine.cjs')];
    expect(files.filter((file) => readFileSync(file, 'utf8').includes('import('))).toEqual([]);
  });

  test('compiled code of several processes that begin at the same time is complete', async () => {
    writeFileSync(join(folder, 'program.mjs'), small);
    const env = environment();
    const ended = [1, 2, 3, 4].map(() => once(spawn(process.execPath, ['program.mjs'], { cwd: folder, env }), 'exit'));
    expect(await Promise.all(ended)).toEqual([1, 2, 3, 4].map(() => [0, null]));
    const before = caches();
    expect(before).toHaveLength(1);
    run(small);
    expect(caches()).toEqual(before);
  });
});

test('the library is the same whether it is imported or required', () => {
  const printed = run(`import { createRequire } from 'node:module';
import * as imported from 'pawl';
import * as testing from 'pawl/testing';
const require = createRequire(import.meta.url);
const differs = (one, other) => Object.keys(one).filter((name) => one[name] !== other[name]);
console.log(differs(imported, require('pawl')), differs(testing, require('pawl/testing')));
`);
  expect(printed).toBe('[] []');
});

test.each([
  ['EngineError', 'src/base/error.ts'],
  ['StepFailed', 'src/programs/flow-step.ts'],
  ['Stopped', 'src/steps/abort.ts'],
])('there is one class %s, whatever is loaded beside the library', (_name, source) => {
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.cjs.map'));
  expect(maps.filter((map) => readFileSync(join(dist, map), 'utf8').includes(`/${source}"`))).toHaveLength(1);
});

test('worker threads can each have an engine', () => {
  writeFileSync(join(folder, 'worker.mjs'), RUNS);
  const printed = run(`import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
const workers = [1, 2, 3].map(() => new Worker(new URL('./worker.mjs', import.meta.url)));
await Promise.all(workers.map((worker) => once(worker, 'exit')));
`);
  expect(printed.split('\n')).toEqual(['completed', 'completed', 'completed']);
});

const MISTAKEN = `import { defineWorkflow } from 'pawl';
try {
  defineWorkflow({ name: 'w', steps: {} });
} catch (error) {
  console.log(error.stack);
}
`;

test('an error has the position in the program that led to it', () => {
  expect(run(MISTAKEN)).toMatch(/program\.mjs:3:3\b/);
});

test('with source maps an error has the positions in the sources', () => {
  expect(run(MISTAKEN, ['--enable-source-maps'])).toMatch(/src[\\/]api[\\/]workflow\.ts:\d+:\d+/);
  expect(run(RUNS, ['--enable-source-maps'])).toBe('completed');
});

test('a program that was bundled with the library runs by itself', async () => {
  writeFileSync(join(folder, 'program.mjs'), RUNS);
  const { warnings } = await build({
    absWorkingDir: folder,
    entryPoints: ['program.mjs'],
    outdir: join(folder, 'out'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: ['ai'],
    logLevel: 'silent',
  });
  expect(warnings.map(({ text }) => text)).toEqual([]);
  rmSync(join(folder, 'node_modules'), { recursive: true });
  expect(runFile('out/program.mjs')).toBe('completed');
});
