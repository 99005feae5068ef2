import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { changeStateFile } from '../authority/state-file.ts';
import { readSession } from './agent-session.ts';
import type { Shell } from './shell.ts';
import { readTokens } from './tokens.ts';
import { readTrust } from './trust/trust-list.ts';

let folder: string;
let shell: Shell;
beforeEach(() => {
  folder = tempFolder();
  shell = { env: { PAWL_STATE: folder, HOME: folder, CLAUDE_CODE_SESSION_ID: 'one' }, cwd: folder } as unknown as Shell;
});

const AT_ONCE = 6;
const EACH = 8;
const names = Array.from({ length: AT_ONCE * EACH }, (_, index) => `n${index}`).sort();

/** Starts a process that loads the modules and then runs the code when it receives a line. */
function startWaiting(code: string) {
  const at = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    import { recordTrust } from ${at('./trust/trust-list.ts')};
    import { createToken, revokeToken } from ${at('./tokens.ts')};
    import { bindRun } from ${at('./agent-session.ts')};
    import { changeStateFile } from ${at('../authority/state-file.ts')};
    const folder = ${JSON.stringify(folder)};
    const shell = { env: { PAWL_STATE: folder, HOME: folder, CLAUDE_CODE_SESSION_ID: 'one' }, cwd: folder, context: {} };
    process.stdout.write('ready\\n');
    process.stdin.once('data', () => { ${code}; process.exit(0); });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Runs code in several processes at the same moment; each gets its index. */
async function atOnce(code: (index: number) => string): Promise<void> {
  const children = Array.from({ length: AT_ONCE }, (_, index) => startWaiting(code(index)));
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.stdin.write('go\n');
  expect((await Promise.all(ended)).map(([code]) => code)).toEqual(children.map(() => 0));
}

const each = (index: number, call: (name: string) => string): string =>
  Array.from({ length: EACH }, (_, n) => call(`n${index * EACH + n}`)).join('; ');

test('six processes that trust files at the same time lose nothing', async () => {
  await atOnce((index) => each(index, (name) => `recordTrust(shell, { file: '/${name}', digest: 'd', parts: new Map() })`));
  expect(Object.keys(readTrust(shell).files).sort()).toEqual(names.map((name) => `/${name}`));
});

test('six processes that create and revoke tokens at the same time lose none, and none reappears', async () => {
  await atOnce((index) =>
    each(
      index,
      (name) =>
        `createToken(shell, '${name}', { lastsMs: 60_000, scopes: ['decide'] }); createToken(shell, 'x${name}', { lastsMs: 9, scopes: ['decide'] }); revokeToken(shell, 'x${name}')`,
    ),
  );
  expect(
    readTokens(shell)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names);
});

test('six processes of one session that add runs at the same time lose none', async () => {
  await atOnce((index) => each(index, (name) => `bindRun(shell, { run: '${name}', db: '/db' })`));
  expect(
    readSession(shell, 'one')
      .runs.map(({ run }) => run)
      .sort(),
  ).toEqual(names);
});

test('a process that is killed while it changes a file blocks no other and leaves the file unchanged', async () => {
  const file = join(folder, 'a.json');
  writeFileSync(file, 'before');
  const child = startWaiting(
    `changeStateFile({ file: ${JSON.stringify(file)}, what: 'it' }, () => { process.stdout.write('held'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); })`,
  );
  await once(child.stdout, 'data');
  child.stdin.write('go\n');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readFileSync(file, 'utf8')).toBe('before');
  expect(changeStateFile({ file, what: 'it' }, () => ({ text: 'after', result: readFileSync(file, 'utf8') }))).toBe('before');
  expect(readFileSync(file, 'utf8')).toBe('after');
  expect([statSync(file).mode & 0o777, readdirSync(folder).sort()]).toEqual([0o600, ['a.json', 'a.json.sum', 'lock.db']]);
});

test('an error while the content is computed leaves the file unchanged and releases the lock', () => {
  const file = join(folder, 'a.json');
  expect(() =>
    changeStateFile({ file, what: 'it' }, () => {
      throw new Error('no');
    }),
  ).toThrow(`cannot store it in ${file}: no`);
  expect(changeStateFile({ file, what: 'it' }, () => ({ result: 'free' }))).toBe('free');
  expect(readdirSync(folder)).toEqual(['lock.db']);
});
