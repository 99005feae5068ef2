import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { type CommandLine, type CommandOptions, type ProcessResult, runCommand } from './command.ts';
import { createRedactor } from './redact.ts';

const directory = tempFolder();

let marks = 0;

function run(spec: CommandLine & Partial<CommandOptions>): Promise<ProcessResult> {
  marks += 1;
  return runCommand({ mark: `command-test-${process.pid}-${marks}`, ...spec });
}

async function exited(spec: Parameters<typeof run>[0]): Promise<Extract<ProcessResult, { kind: 'exited' }>> {
  const result = await run(spec);
  if (result.kind !== 'exited') throw new Error(`expected an exit, got ${JSON.stringify(result)}`);
  return result;
}

function script(name: string, text: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('commands that run', () => {
  test('a command returns its exit code and both streams separately', async () => {
    const result = await exited({ shell: 'echo out; echo err >&2; exit 3' });
    expect(result).toMatchObject({ exitCode: 3, signal: null, stdout: 'out\n', stderr: 'err\n', leftBehind: 0, left: [] });
    expect([result.stdoutBytes, result.stderrBytes]).toEqual([4, 4]);
  });

  test('a command that is ended by a signal has the exit code a shell would report', async () => {
    expect(await exited({ shell: 'kill -KILL $$' })).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
  });

  test('a command reads its standard input, which is empty by default', async () => {
    expect((await exited({ argv: ['cat'], stdin: 'päwl\n'.repeat(100_000) })).stdoutBytes).toBe(600_000);
    expect((await exited({ argv: ['cat'] })).stdout).toBe('');
  });

  test('a command may ignore its standard input', async () => {
    expect((await exited({ argv: ['true'], stdin: 'x'.repeat(1_000_000) })).exitCode).toBe(0);
  });

  test('a command receives awkward values in argv and environment unchanged', async () => {
    const awkward = ['"; rm -rf ~ #', '$(id)', "it's\nnew", '-n', '', '`id`', '%s\\n', '*', 'ä€😀'];
    const code = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env.VALUE]))';
    for (const value of awkward) {
      const result = await exited({ argv: [process.execPath, '-e', code, '--', value, ...awkward], env: { VALUE: value } });
      expect(JSON.parse(result.stdout)).toEqual([[value, ...awkward], value]);
    }
  });

  test('a command runs in its directory', async () => {
    mkdirSync(join(directory, 'inner'));
    expect((await exited({ argv: ['pwd'], cwd: join(directory, 'inner') })).stdout.trimEnd()).toMatch(/inner$/);
  });

  test('a command shows its output as it arrives, in whole characters', async () => {
    const seen: string[] = [];
    const second = join(directory, 'second');
    const shell = `printf 'a\\342\\202'; until test -e ${second}; do sleep 0.02; done; printf '\\254b'`;
    const onOutput = (stream: string, text: string): void => {
      seen.push(`${stream}:${text}`);
      writeFileSync(second, '');
    };
    await run({ shell, onOutput });
    expect(seen).toEqual(['stdout:a', 'stdout:€b']);
  });
});

describe('commands that cannot be run', () => {
  test.each<[string, Parameters<typeof run>[0], string]>([
    ['not found', { argv: ['pawl-no-such-command'] }, 'not-found'],
    ['empty', { argv: [] }, 'not-found'],
    ['no interpreter', { argv: [script('lost', '#!/no/such/interpreter\n')] }, 'not-found'],
    ['not executable', { argv: [script('plain', 'echo hi\n', 0o644)] }, 'not-executable'],
    ['a directory', { argv: [directory] }, 'not-executable'],
    ['no working directory', { argv: ['true'], cwd: join(directory, 'gone') }, 'cwd-missing'],
    ['a file as working directory', { argv: ['true'], cwd: script('file', '') }, 'cwd-missing'],
    ['NUL in an argument', { argv: ['echo', 'a\0b'] }, 'failed'],
    ['arguments too large', { argv: ['echo', 'x'.repeat(1 << 22)] }, 'failed'],
    ['no pid file possible', { argv: ['true'], pidDir: join(script('file2', ''), 'pids') }, 'failed'],
    ['not found by sh', { shell: 'pawl-no-such-command --now' }, 'not-found'],
    ['not found by sh after other work', { shell: 'echo noise >&2\npawl-no-such-command' }, 'not-found'],
    ['not found by exec in sh', { shell: 'exec pawl-no-such-command' }, 'not-found'],
    ['not executable by sh', { shell: script('plain2', 'echo hi\n', 0o644) }, 'not-executable'],
  ])('a command that cannot be run neither passes nor fails: %s', async (_name, spec, reason) => {
    expect(await run(spec)).toEqual({ kind: 'not-run', reason, message: expect.stringMatching(/\w/) });
  });

  test('a script that ran and is missing a command itself has failed', async () => {
    expect(await exited({ shell: script('inner.sh', '#!/bin/sh\npawl-no-such-command\n') })).toMatchObject({ exitCode: 127 });
    expect(await exited({ shell: 'sh -c pawl-no-such-command' })).toMatchObject({ exitCode: 127 });
    expect(await exited({ argv: ['sh', '-c', 'exit 127'] })).toMatchObject({ exitCode: 127 });
    expect(await exited({ shell: 'echo not found >&2; exit 127' })).toMatchObject({ exitCode: 127 });
  });
});

describe('environment', () => {
  test('the environment of a command contains only allowed and declared variables and the mark', async () => {
    process.env.PAWL_TEST_LEAK = 'leaked';
    process.env.LC_PAWL = 'C';
    const { stdout } = await exited({ argv: ['env'], env: { DECLARED: 'yes', PAWL_MARK: 'forged' }, mark: 'env-test' });
    delete process.env.PAWL_TEST_LEAK;
    const names = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const allowed = /^(PATH|HOME|LANG|LC_.*|TERM|TMPDIR|TZ|USER|SHELL|DECLARED|PAWL_MARK)$/;
    expect(names.filter((name) => !allowed.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'LC_PAWL', 'DECLARED']));
    expect(stdout).toContain('PAWL_MARK=env-test\n');
  });

  test('the environment of a command inherits a custom list of variables', async () => {
    process.env.PAWL_TEST_WANTED = 'w';
    const { stdout } = await exited({ argv: ['/usr/bin/env'], inheritEnv: ['PAWL_TEST_*'], mark: 'env-list' });
    delete process.env.PAWL_TEST_WANTED;
    expect(stdout.trimEnd().split('\n').sort()).toEqual(['PAWL_MARK=env-list', 'PAWL_TEST_WANTED=w']);
  });
});

describe('output', () => {
  test('output of 300 MB is kept in bounded memory', async () => {
    const before = process.memoryUsage().rss;
    const result = await exited({ shell: 'echo first; head -c 300000000 /dev/zero | tr "\\0" x; echo; echo last' });
    expect(result.stdoutBytes).toBe(300_000_012);
    expect(Buffer.byteLength(result.stdout)).toBeLessThan((1 << 20) + 100);
    expect(result.stdout).toMatch(/^first\nx+\n\[\d+ bytes left out\]\nx+\nlast\n$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test('output is masked before it is cut, kept or shown', async () => {
    const seen: string[] = [];
    const redactor = createRedactor({ TOKEN: 'tok_0123456789' });
    const shell = 'printf aaaatok_01; sleep 0.05; printf 23456789bbbbcccc; echo tok_0123456789 >&2';
    const result = await exited({ shell, redactor, outputMax: 12, onOutput: (_stream, text) => seen.push(text) });
    expect(result.stdout).toBe('aaaa[r\n[16 bytes left out]\nbbcccc');
    expect(result.stderr).toContain('[redac');
    expect(seen.join('')).not.toContain('0123');
  });
});

describe('pid file', () => {
  test('the pid file of a command exists while it runs, readable by its owner only, and is removed afterwards', async () => {
    const pidDir = join(directory, 'pids');
    const files: string[] = [];
    const mark = `run/../pid-file#1 ${process.pid}`;
    const onOutput = (): void => {
      for (const name of readdirSync(pidDir)) {
        files.push(readFileSync(join(pidDir, name), 'utf8'));
        expect(statSync(join(pidDir, name)).mode & 0o777).toBe(0o600);
      }
    };
    const { stdout } = await exited({ shell: 'echo $$', pidDir, mark, onOutput });
    expect(files.map((text) => JSON.parse(text))).toEqual([
      { mark, first: { pid: Number(stdout), start: expect.stringMatching(/./) }, owner: expect.stringContaining(`|${process.pid}|`) },
    ]);
    expect(readdirSync(pidDir)).toEqual([]);
  });

  test('the pid file of a command is removed if the command could not be run', async () => {
    const pidDir = join(directory, 'pids2');
    await run({ argv: ['pawl-no-such-command'], pidDir });
    expect(readdirSync(pidDir)).toEqual([]);
  });
});

test('two commands may not share a mark at the same time', async () => {
  const first = run({ argv: ['true'], mark: 'shared' });
  await expect(run({ argv: ['true'], mark: 'shared' })).rejects.toThrow('the mark "shared" is in use');
  await first;
  await run({ argv: ['true'], mark: 'shared' });
});

const CODE = `const { runCommand } = await import(process.argv[1]);
const { stdout } = await runCommand({ argv: ['ls', '-l', '/proc/self/fd'], mark: 'descriptors' });
console.log(stdout);`;

test('a command does not receive descriptors that we inherited', () => {
  const file = openSync(import.meta.filename, 'r');
  const gap = (count: number): 'ignore'[] => Array.from({ length: count }, () => 'ignore');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--input-type=module', '-e', CODE, join(import.meta.dirname, 'command.ts')],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', ...gap(6), file, ...gap(10), file, ...gap(37), file] },
  );
  closeSync(file);
  expect(stderr).toBe('');
  expect(stdout).toContain('-> /dev/null');
  expect(stdout).not.toContain('command.test');
});
