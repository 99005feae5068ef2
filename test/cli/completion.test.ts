import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/catalogue.ts';
import { completionLines } from '../../src/cli/completion/complete.ts';
import type { ProcessContext } from '../../src/cli/shell.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
let bin: string;
beforeEach(() => {
  rig = new CliRig();
  bin = join(rig.folder, 'bin');
  mkdirSync(bin);
  const pawl = join(bin, 'pawl');
  writeFileSync(pawl, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'start.js')}" "$@"\n`);
  chmodSync(pawl, 0o755);
});
afterEach(() => rig.close());

/** What bash offers for a line whose cursor is at its end; the line is taken apart as bash does, "=" being a word. */
function inBash(words: readonly string[], before = ''): string[] {
  const script = `${before}
eval "$(pawl completion bash)"
COMP_WORDS=("$@")
COMP_CWORD=$(( $# - 1 ))
_pawl pawl
[ \${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd: rig.project,
    env: rig.env({ PATH: `${bin}:${process.env.PATH}` }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return printed.split('\n').filter((line) => line !== '');
}

async function makeRuns(db: string, count: number): Promise<readonly string[]> {
  const engine = await createEngine({ db });
  const workflow = defineWorkflow({
    name: 'small',
    steps: [
      { id: 'one', handler: () => null, next: 'two' },
      { id: 'two', handler: () => null, next: null },
    ],
  });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const run = await engine.start(workflow);
    await run.wait();
    ids.unshift(run.id);
  }
  await engine.close();
  return ids;
}

test('bash offers every command, and those that begin as typed', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(inBash(['pawl', ''])).toEqual([...names, 'help', '--help', '--version']);
  expect(inBash(['pawl', 'ru'])).toEqual(names.filter((name) => name.startsWith('ru')));
  expect(inBash(['pawl', 'help', 'ru'])).toEqual(names.filter((name) => name.startsWith('ru')));
});

test('bash offers the options of the command that was typed', () => {
  expect(inBash(['pawl', 'runs', '--st'])).toEqual(['--status']);
  expect(inBash(['pawl', 'runs', '--'])).toEqual([
    '--status',
    '--workflow',
    '--attended',
    '--limit',
    '--all',
    '--json',
    '--db',
    '--project',
    '--no-color',
    '--help',
  ]);
});

test('bash offers the choices of an option, after a space and after "="', () => {
  expect(inBash(['pawl', 'runs', '--status', 're'])).toEqual(['rejected']);
  expect(inBash(['pawl', 'runs', '--status', '=', 're'])).toEqual(['rejected']);
  expect(inBash(['pawl', 'runs', '--status', '='])).toContain('pending');
  // Where the user's bash does not split at "=", the whole word is replaced.
  expect(inBash(['pawl', 'runs', '--status=re'])).toEqual(['--status=rejected']);
});

test('bash offers the choices of a word by its place, also after options and their values', () => {
  expect(inBash(['pawl', 'completion', 'f'])).toEqual(['fish']);
  expect(inBash(['pawl', 'completion', '--db', 'x', '--json', 'f'])).toEqual(['fish']);
  expect(inBash(['pawl', 'completion', '--db', '=', 'x', 'f'])).toEqual(['fish']);
  expect(inBash(['pawl', 'runs', '--limit', 'f'])).toEqual([]);
});

test('bash offers files and folders where a path is wanted', () => {
  mkdirSync(join(rig.project, 'das da'));
  rig.write('datei.db', '');
  expect(inBash(['pawl', 'runs', '--db', 'da']).sort()).toEqual(['das da', 'datei.db']);
  expect(inBash(['pawl', 'runs', '--project', 'da'])).toEqual(['das da']);
  expect(inBash(['pawl', 'runs', '--project', '=', 'da'])).toEqual(['das da']);
  expect(inBash(['pawl', 'runs', '--project=da'])).toEqual(['--project=das da']);
});

test('bash offers the runs of the database that the line names, newest first', async () => {
  const db = join(rig.folder, 'other.db');
  const [newest = '', older = ''] = await makeRuns(db, 2);
  expect(inBash(['pawl', 'show', '--db', db, ''])).toEqual([newest, older]);
  expect(inBash(['pawl', 'show', '--db', '=', db, newest.slice(0, -2)])).toEqual([newest]);
  expect(inBash(['pawl', 'show', ''])).toEqual([]);
});

test('a shell gets the steps of the run on its line, or of the newest run of the workflow', async () => {
  const db = join(rig.folder, 'other.db');
  const [run = ''] = await makeRuns(db, 1);
  expect((await rig.run(['__complete', 'retry', '--db', db, run, ''])).stdout).toBe('one\ntwo\n');
  rig.write(
    '.pawl/workflows/small.ts',
    "import { defineWorkflow } from 'pawl';\nexport default defineWorkflow({ name: 'small', steps: {} });\n",
  );
  expect((await rig.run(['__complete', 'run', '--db', db, 'small', '--from', ''])).stdout).toBe('one\ntwo\n');
});

test('completion reads workflows and the steps of workflow files without running them, and offers no name that a shell would run', async () => {
  const dirty = join(rig.folder, 'dirty');
  const begin = `import { defineWorkflow } from 'pawl/compat';\nimport { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(dirty)}, '');\n`;
  const define = (name: string): string =>
    `${begin}export default defineWorkflow({ name: ${JSON.stringify(name)}, steps: [{ id: 'first', handler: () => null, next: null }] });\n`;
  rig.write('.pawl/workflows/release.ts', define('release'));
  rig.write('.pawl/workflows/evil.ts', define(`re$(touch ${dirty})`));
  rig.write(
    '.pawl/workflows/file.yaml',
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: file }\nstages:\n  - { id: first, type: command, run: "true" }\n',
  );
  expect(inBash(['pawl', 'run', 'rel'])).toEqual(['release']);
  expect(inBash(['pawl', 'run', 'file', '--from', ''])).toEqual(['first']);
  expect(existsSync(dirty)).toBe(false);
});

test('completion creates no database, and prints nothing if it is damaged', async () => {
  expect(await rig.run(['__complete', 'show', ''])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await rig.json(['runs'])).toMatchObject({ runs: [] });
  const file = rig.write('broken.db', 'this is no database, and long enough to be told apart from an empty file');
  expect(await rig.run(['__complete', 'show', '--db', file, ''])).toEqual({ code: 0, stdout: '', stderr: '' });
});

const WORLD: ProcessContext = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
};

test('every command and every option is offered, with its description', async () => {
  const commands = await completionLines(WORLD, COMMANDS, ['']);
  for (const { name, summary, options = [] } of COMMANDS) {
    expect(commands).toContain(`${name}\t${summary}`);
    const offered = await completionLines(WORLD, COMMANDS, [name, '-']);
    for (const option of options) expect(offered).toContain(`--${option.name}\t${option.about}`);
  }
});

test.each([
  ['a value after its option', ['runs', '--status', 're'], ['rejected']],
  ['a value in the same word', ['runs', '--status=re'], ['--status=rejected']],
  ['a path', ['runs', '--db', ''], [':files']],
  ['a folder in the same word', ['runs', '--project=x'], [':folders']],
  ['nothing after a command that does not exist', ['nonesuch', ''], []],
  ['nothing where no more words are taken', ['completion', 'bash', ''], []],
  ['no options after "--"', ['completion', '--', '-'], []],
])('a shell gets %s', async (_what, line, lines) => {
  expect(await completionLines(WORLD, COMMANDS, line)).toEqual(lines);
});

test('bash finds no error in the script', () => {
  expect(inBash(['pawl', 'zzz'], 'set -u')).toEqual([]);
});

for (const shell of ['zsh', 'fish'])
  test(`${shell} can read its script`, async ({ skip }) => {
    if (spawnSync(shell, ['--version']).error !== undefined) skip(`${shell} is not installed here`);
    const file = join(rig.folder, 'script');
    writeFileSync(file, (await rig.run(['completion', shell])).stdout);
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
