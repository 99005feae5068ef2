import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeFolder } from '../process/remove-folder.ts';
import { createAgentRequest } from '../proof/driver-suite.ts';
import type { AgentRequest } from './driver.ts';
import { runProgram } from './program.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pawl-program-'));
afterAll(() => removeFolder(cwd));

async function run(script: string, fields: Partial<AgentRequest> = {}, isAnswer: (line: string) => boolean = () => false) {
  const lines: string[] = [];
  const end = await runProgram({
    argv: ['sh', '-c', script],
    request: createAgentRequest({ cwd, ...fields }),
    onLine: (line, answered) => {
      lines.push(line);
      if (isAnswer(line)) answered();
    },
  });
  return { lines, end };
}

test('output is read line by line, including a last line without a line break', async () => {
  const { lines, end } = await run("printf 'one\\ntwo\\nthree'");
  expect(lines).toEqual(['one', 'two', 'three']);
  expect(end).toMatchObject({ kind: 'exited', exitCode: 0 });
});

test('a line of 20 MB is passed on whole', async () => {
  const { lines } = await run(`head -c 20971520 /dev/zero | tr '\\0' x; echo`);
  expect(lines.map((line) => line.length)).toEqual([20 << 20]);
});

test('a line that never ends fails the attempt with its reason', async () => {
  const { end } = await run(`yes x | tr -d '\\n'`);
  expect(end).toMatchObject({
    kind: 'failed',
    answer: { failure: 'crash', message: expect.stringContaining('a line of it is longer than') },
  });
});

test('a program receives input while it runs', async () => {
  const lines: string[] = [];
  await runProgram({
    argv: ['sh', '-c', 'read a; echo "got $a"; read b; echo "got $b"'],
    request: createAgentRequest({ cwd }),
    onStart: (stdin) => {
      stdin.write('first\n');
      stdin.write('second\n');
    },
    onLine: (line) => lines.push(line),
  });
  expect(lines).toEqual(['got first', 'got second']);
});

test('a silent program is ended, and the reason is silence', async () => {
  const { end } = await run('sleep 100', { watchdogs: { idleMs: 50 } });
  expect(end).toMatchObject({ kind: 'failed', answer: { failure: 'timeout', message: expect.stringContaining('silent') } });
});

test('a program that prints is not silent', async () => {
  const { end } = await run('for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i; sleep 0.2; done', { watchdogs: { idleMs: 2000 } });
  expect(end).toMatchObject({ kind: 'exited' });
});

test('a program that runs on after its answer is ended, and the answer counts', async () => {
  const { end, lines } = await run('echo answer; exec sleep 100', { watchdogs: { lingerMs: 50 } }, (line) => line === 'answer');
  expect(lines).toEqual(['answer']);
  expect(end).toEqual({ kind: 'answered' });
});

test('an answer counts however its program ends', async () => {
  const { end } = await run('echo answer; exit 3', {}, (line) => line === 'answer');
  expect(end).toEqual({ kind: 'answered' });
});

test('an error in the listener ends the program and fails the attempt, but not our process', async () => {
  const { end, lines } = await run('echo one; echo two; exec sleep 100', {}, () => {
    throw new Error('no such field');
  });
  expect(lines).toEqual(['one']);
  expect(end).toMatchObject({ kind: 'failed', answer: { failure: 'crash', message: expect.stringContaining('no such field') } });
});

test('the time limit also applies to a program that prints without end', async () => {
  const { end } = await run('while :; do echo x; sleep 0.01; done', { timeoutMs: 200 });
  expect(end).toMatchObject({ kind: 'failed', answer: { failure: 'timeout', message: expect.stringContaining('200 ms') } });
});

test('a missing program is a crash with its name', async () => {
  const end = await runProgram({ argv: ['no-such-agent'], request: createAgentRequest({ cwd }), onLine: () => {} });
  expect(end).toMatchObject({ kind: 'failed', answer: { failure: 'crash', message: expect.stringContaining('no-such-agent') } });
});

test('an agent receives only the usual and the declared environment variables', async () => {
  process.env.PAWL_TEST_CANARY = 'canary';
  const { lines } = await run('env', { env: { DECLARED: 'yes' } });
  delete process.env.PAWL_TEST_CANARY;
  expect(lines).toContain('DECLARED=yes');
  expect(lines.some((line) => line.includes('canary'))).toBe(false);
});
