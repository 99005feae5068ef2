// What the launcher keeps of a compiled command: it is used only for the very file it was made from, and nothing that
// goes wrong with it is noticed by anybody.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../bin/compiled.js');

let folder: string;
let file: string;
let kept: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-compiled-'));
  file = join(folder, 'some.run.js');
  kept = `${file}.v8-${process.versions.v8}`;
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a file as the build does. */
function build(body: string): void {
  const mark = createHash('sha256').update(body).digest('hex');
  writeFileSync(file, `//${mark}\n(function(exports,require,module,__filename,__dirname,__load){${body}\n})`);
}

const says = (word: string, more = ''): string =>
  `function say(){return ${JSON.stringify(word)}} exports.main = () => { console.log(say()); ${more} };`;

interface Circumstances {
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly options?: string;
}

/** Runs it in a process without flags: that is what most have. */
function run({ flags = [], env = {}, options = '' }: Circumstances = {}): string {
  const program = join(folder, 'program.cjs');
  writeFileSync(program, `require(${JSON.stringify(MODULE)}).loadCompiled(process.argv[2]${options}).main()`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, file], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  return `${status} ${stdout}${stderr}`.trimEnd();
}

test('what the first run compiled is used by the next, which changes nothing', () => {
  build(says('one'));
  expect(run()).toBe('0 one');
  const before = statSync(kept, { bigint: true });
  expect(run()).toBe('0 one');
  expect(statSync(kept, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
});

test('a function that was only called, not run at the beginning, is in it', () => {
  const body = 'a'.repeat(20_000);
  build(`function called(){return ${JSON.stringify(body)}.length + ${Array.from({ length: 300 }, (_, index) => `(x=>x+${index})(1)`).join('+')}}
    exports.main = () => { if (process.env.CALL !== undefined) called(); console.log('ran'); };`);
  run();
  const without = statSync(kept).size;
  rmSync(kept);
  process.env.CALL = '1';
  run();
  delete process.env.CALL;
  expect(statSync(kept).size).toBeGreaterThan(without + 5000);
});

test('a new file of the same length is not taken for the old one', () => {
  build(says('one'));
  run();
  build(says('two'));
  expect([run(), run()]).toEqual(['0 two', '0 two']);
});

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['of another version of V8', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 67), Buffer.alloc(bytes.length - 67, 7)])],
])('what is kept and %s is made anew', (_what, spoil) => {
  build(says('one'));
  run();
  const good = readFileSync(kept);
  writeFileSync(kept, spoil(good));
  expect(run()).toBe('0 one');
  expect(readFileSync(kept).length).toBe(good.length);
});

test('nothing is kept of a run that failed', () => {
  build(says('one', 'process.exitCode = 3'));
  expect(run()).toBe('3 one');
  expect(existsSync(kept)).toBe(false);
});

test('where nothing can be kept the command works, and leaves nothing behind', () => {
  build(says('one'));
  mkdirSync(kept);
  expect(run()).toBe('0 one');
  expect(readdirSync(folder).sort()).toEqual(['program.cjs', basename(file), basename(kept)]);
});

test('files beside it are loaded as if it were a module', () => {
  build(
    "exports.main = async () => console.log((await __load('./other.mjs')).word, (await __load('node:os')).EOL.length, require('./third.cjs'), __dirname);",
  );
  writeFileSync(join(folder, 'other.mjs'), "export const word = 'hello';");
  writeFileSync(join(folder, 'third.cjs'), "module.exports = 'you';");
  expect(run()).toBe(`0 hello 1 you ${folder}`);
});

test('nothing is kept that its loader does not find worth it', () => {
  build(says('one'));
  expect(run({ options: ', () => false' })).toBe('0 one');
  expect(existsSync(kept)).toBe(false);
});

test.each(['NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'])('with %s nothing is kept, and nothing that was kept is used', (name) => {
  build(says('one'));
  run();
  const mark = readFileSync(kept).subarray(0, 67);
  build(says('two'));
  // What would be refused if it were looked at, under the mark of the file that is there now.
  writeFileSync(kept, Buffer.concat([readFileSync(file).subarray(0, 67), readFileSync(kept).subarray(67)]));
  const before = readFileSync(kept);
  expect(run({ env: { [name]: join(folder, 'coverage') } })).toBe('0 two');
  expect(readFileSync(kept).equals(before)).toBe(true);
  expect(mark.equals(before.subarray(0, 67))).toBe(false);
});

test('a process with other flags of V8 leaves what is kept to those without', () => {
  build(says('one'));
  run();
  const before = readFileSync(kept);
  expect(run({ flags: ['--stack-size=900'] })).toBe('0 one');
  expect(readFileSync(kept).equals(before)).toBe(true);
});

test('what a process with other flags kept is replaced by one without', () => {
  build(says('one'));
  run({ flags: ['--stack-size=900'] });
  const before = readFileSync(kept);
  run();
  expect(readFileSync(kept).equals(before)).toBe(false);
});

test('a process that may not write goes without', () => {
  build(says('one'));
  expect(run({ flags: ['--permission', '--allow-fs-read=*'] })).toMatch(/^0 one/);
  expect(existsSync(kept)).toBe(false);
});
