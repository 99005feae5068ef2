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

function run(): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', `require(${JSON.stringify(MODULE)}).loadCompiled(process.argv[1]).main()`, file],
    {
      encoding: 'utf8',
    },
  );
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
  expect(readdirSync(folder).sort()).toEqual([basename(file), basename(kept)]);
});

test('files beside it are loaded as if it were a module', () => {
  build(
    "exports.main = async () => console.log((await __load('./other.mjs')).word, (await __load('node:os')).EOL.length, require('./third.cjs'), __dirname);",
  );
  writeFileSync(join(folder, 'other.mjs'), "export const word = 'hello';");
  writeFileSync(join(folder, 'third.cjs'), "module.exports = 'you';");
  expect(run()).toBe(`0 hello 1 you ${folder}`);
});
