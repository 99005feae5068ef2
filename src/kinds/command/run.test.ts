import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRepository } from '../../../test/git.ts';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { JsonObject } from '../../base/json.ts';
import { type AttemptFields, createAttemptRequest } from '../../proof/attempt-request.ts';
import type { AttemptResult } from '../../steps/attempt.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import type { StepServices } from '../../steps/services.ts';
import { REGISTRY } from '../registry.ts';

const cwd = tempFolder();
const run = (config: JsonObject, fields: Partial<AttemptFields> = {}, services: Partial<StepServices> = {}) =>
  createAttemptRunner({ cwd, now: () => 0, ...services }, REGISTRY)(createAttemptRequest({ kind: 'command', config, ...fields }));
const report = (output: JsonObject): JsonObject => ({ argv: ['echo', JSON.stringify(output)] });

function printed(result: AttemptResult): string {
  return (result as unknown as { output: { stdout: string } }).output.stdout;
}

describe('a program', () => {
  test('a program that exits with 0 is ok, with its printed output', async () => {
    expect(await run({ run: 'pwd; echo oops >&2' })).toMatchObject({
      type: 'settled',
      outcome: 'ok',
      output: { exitCode: 0, stdout: `${cwd}\n`, stderr: 'oops\n' },
      evidence: { process: { exitCode: 0, signal: null, leftBehind: 0 } },
      actor: 'pwd; echo oops >&2',
    });
  });

  test.each([
    ['exits with another code', 'echo so far; echo no such table >&2; exit 3', 'exited with 3: no such table'],
    ['is silent', 'exit 3', 'exited with 3'],
    ['is ended by a signal', 'kill -9 $$', 'was killed by SIGKILL'],
  ])('a program that %s is an error with the end of its output', async (_how, script, message) => {
    expect(await run({ run: script })).toMatchObject({
      type: 'errored',
      error: { code: 'STEP_FAILED', reason: 'error', message: `the command of step "work" ${message}` },
    });
  });

  test('whose output is long leaves its beginning and its end', async () => {
    const result = await run({ run: 'echo first; yes | head -c 300000; echo last' });
    const stdout = printed(result);
    expect(stdout.length).toBeLessThan(70_000);
    expect(stdout).toMatch(/^first\n.*bytes left out.*\nlast\n$/s);
  });

  test('runs where its configuration says', async () => {
    mkdirSync(join(cwd, 'sub'));
    expect(await run({ run: 'pwd', cwd: 'sub' })).toMatchObject({ output: { stdout: `${join(cwd, 'sub')}\n` } });
  });
});

describe('a program that cannot be run is neither ok nor failed, and not tried again:', () => {
  writeFileSync(join(cwd, 'plain.txt'), 'no program', { mode: 0o644 });
  writeFileSync(join(cwd, 'lost'), '#!/nowhere/interpreter\n', { mode: 0o755 });
  test.each<[string, JsonObject]>([
    ['not found', { argv: ['no-such-program-anywhere'] }],
    ['not found by the shell', { run: 'no-such-program-anywhere --flag' }],
    ['not executable', { argv: ['./plain.txt'] }],
    ['not executable for the shell', { run: './plain.txt' }],
    ['without its interpreter', { argv: ['./lost'] }],
    ['without its directory', { run: 'true', cwd: 'missing' }],
    ['in a directory that is a file', { run: 'true', cwd: 'plain.txt' }],
  ])('%s', async (_why, config) => {
    expect(await run(config)).toMatchObject({ type: 'errored', error: { code: 'COMMAND_NOT_RUN', reason: 'error', retryable: false } });
  });
});

describe('the run reaches a program', () => {
  const fields = {
    params: { book: 'b1', threshold: 1 },
    item: { area: '"; rm -rf ~ #' },
    activation: { attempt: 2, feedback: 'No chapters were modified' },
    snapshot: {
      data: { threshold: 2, workflowRunId: 'forged' },
      results: { plan: { areas: 2 } },
      completedSteps: ['plan', 'constructor'],
      iterationCounts: { writer: 1 },
      decision: { step: 'g', option: 'more', input: 'shorter' },
    },
  };

  test('as a StepInput on its standard input', async () => {
    const result = await run({ run: 'cat' }, fields);
    expect(JSON.parse(printed(result))).toEqual({
      runId: 'run1',
      step: 'work',
      attempt: 2,
      idempotencyKey: 'run1/work#1/2',
      params: { book: 'b1', threshold: 1 },
      item: { area: '"; rm -rf ~ #' },
      retryContext: {
        error: 'No chapters were modified',
        attempt: 2,
        message: 'Previous attempt failed: No chapters were modified',
      },
      checkpoint: {
        book: 'b1',
        threshold: 2,
        workflowRunId: 'run1',
        workflowType: 'example',
        currentStep: 'work',
        completedSteps: [
          { step: 'plan', result: { areas: 2 } },
          { step: 'constructor', result: null },
        ],
        iterationCounts: { writer: 1 },
        lastDecision: { step: 'g', option: 'more', input: 'shorter' },
      },
    });
  });

  test('as variables, which no shell reads as code', async () => {
    const config = { run: 'printf "%s\\n" "$PAWL_RUN" "$PAWL_STEP" "$PAWL_ATTEMPT" "$PAWL_KEY" "$PAWL_ITEM"' };
    const hostile = '$(touch stray); `touch stray`\n-rf "\'';
    const result = await run(config, { ...fields, item: hostile });
    expect(result).toMatchObject({ output: { stdout: `run1\nwork\n2\nrun1/work#1/2\n${hostile}\n` } });
    expect(existsSync(join(cwd, 'stray'))).toBe(false);
  });

  test('a program gets an item that is no string as JSON, and a large one on its input only', async () => {
    expect(await run({ run: 'printf %s "$PAWL_ITEM"' }, fields)).toMatchObject({ output: { stdout: '{"area":"\\"; rm -rf ~ #"}' } });
    const large = await run({ run: 'env | grep -c ^PAWL_ITEM; wc -c' }, { item: 'x'.repeat(200_000) });
    expect(printed(large)).toMatch(/^0\n200\d{3}\n/);
  });

  test('a program gets only the listed and the declared environment variables', async () => {
    process.env.PAWL_TEST_LEAK = 'leaked';
    process.env.PAWL_TEST_ALLOWED = 'allowed';
    try {
      const services = { inheritEnv: ['PATH', 'PAWL_TEST_ALLOWED'], env: { DECLARED: 'a', BOTH: 'a' } };
      const result = await run({ run: 'env', env: { BOTH: 'b', PAWL_RUN: 'forged' } }, {}, services);
      const names = printed(result)
        .split('\n')
        .filter((line) => !/^(PWD|SHLVL|_|PATH|PAWL_MARK|OLDPWD)=/.test(line));
      expect(names.sort()).toEqual(
        [
          '',
          'BOTH=b',
          'DECLARED=a',
          'PAWL_ATTEMPT=1',
          'PAWL_KEY=run1/work#1/1',
          'PAWL_RUN=run1',
          'PAWL_STEP=work',
          'PAWL_TEST_ALLOWED=allowed',
        ].sort(),
      );
    } finally {
      delete process.env.PAWL_TEST_LEAK;
      delete process.env.PAWL_TEST_ALLOWED;
    }
  });
});

describe('a report', () => {
  test('a report of success has the result of the step; the rest of it is a claim', async () => {
    const output = { success: true, result: { n: 1 }, postconditionsPassed: true, nextStepHint: 'finalize' };
    expect(await run(report(output))).toMatchObject({ type: 'settled', outcome: 'ok', output: { n: 1 }, claim: output });
  });

  test('a report of success with a failed postcondition is a failed attempt', async () => {
    const output = { success: true, result: 1, postconditionsPassed: false };
    expect(await run(report(output))).toMatchObject({
      type: 'errored',
      error: { code: 'POSTCONDITION_FAILED', reason: 'contract' },
      claim: output,
    });
  });

  test.each<[string, string, JsonObject]>([
    ['retry', 'iterate', { used: true, outcome: 'iterate' }],
    ['done', 'ok', { used: true, outcome: 'ok' }],
    ['elsewhere', 'ok', { used: false, why: 'no transition of this step leads to "elsewhere"' }],
    ['after-error', 'ok', { used: false, why: 'no transition of this step leads to "after-error"' }],
    ['maybe', 'ok', { used: false, why: 'a condition of the workflow decides between these steps' }],
  ])('chooses among the transitions of its step with nextStepHint: %s', async (hint, outcome, noted) => {
    const to = (step: string) => ({ to: { step } });
    const next = {
      ok: to('done'),
      iterate: to('retry'),
      error: to('after-error'),
      skip: { condition: 'true', onTrue: to('maybe'), onFalse: to('done') },
    };
    const result = await run(report({ success: true, nextStepHint: hint }), { model: { next } });
    expect(result).toMatchObject({ outcome, evidence: { nextStepHint: { hint, ...noted } } });
  });

  test('a report of success without a result gives null', async () => {
    expect(await run(report({ success: true }))).toMatchObject({ outcome: 'ok', output: null });
  });

  test('a report in a flow is returned with the printed output', async () => {
    const result = await run(report({ success: true, result: 5 }), { form: 'flow' });
    expect(result).toMatchObject({ output: { exitCode: 0, stdout: expect.stringContaining('"success"'), result: 5 } });
  });

  test('a report of failure is the outcome fail with its message, whatever the exit code', async () => {
    const line = '{"success": false, "error": "no disk", "result": {"n": 1}}';
    for (const code of [0, 1]) {
      const result = await run({ run: `echo '${line}'; exit ${code}` });
      expect(result).toMatchObject({ type: 'settled', outcome: 'fail', output: { error: 'no disk', result: { n: 1 } } });
    }
  });

  test('a report of success by a program that then fails is an error', async () => {
    expect(await run({ run: `echo '{"success": true}'; echo boom >&2; exit 1` })).toMatchObject({
      type: 'errored',
      error: { code: 'STEP_FAILED', message: expect.stringContaining('reported success but exited with 1: boom') },
      claim: { success: true },
    });
  });

  test('a report that is cut off is an error', async () => {
    expect(await run({ run: `printf '{"success": true, "result": {'` })).toMatchObject({
      type: 'errored',
      error: { code: 'STEP_OUTPUT_INVALID', message: expect.stringContaining('cut off') },
    });
  });
});

describe('the register of commands', () => {
  const commands = { 'w1:strategic': ['sh', '-c', 'printf "%s|" "$@"', 'w1'], 'two words': ['echo', 'two'] };
  test.each<[string, JsonObject, string]>([
    ['by the whole name', { run: 'two words' }, 'two\n'],
    ['by the first word, with the rest as arguments', { run: 'w1:strategic --area area-1' }, '--area|area-1|'],
    ['by the first of argv, untouched', { argv: ['w1:strategic', 'a b', '$(id)'] }, 'a b|$(id)|'],
  ])('is asked %s', async (_how, config, stdout) => {
    expect(await run(config, {}, { commands })).toMatchObject({ output: { stdout } });
  });

  test.each<[string, JsonObject, string]>([
    ['arguments that only a shell can read', { run: 'w1:strategic "$HOME"' }, 'argv'],
    ['a slip of the hand', { run: 'w1:strategc' }, 'did you mean "w1:strategic"'],
  ])('refuses %s', async (_what, config, hint) => {
    expect(await run(config, {}, { commands })).toMatchObject({
      error: { code: 'COMMAND_NOT_RUN', message: expect.stringContaining(hint) },
    });
  });

  test('holds only what was put there', async () => {
    expect(await run({ run: 'constructor' }, {}, { commands })).toMatchObject({ error: { code: 'COMMAND_NOT_RUN' } });
  });
});

test('secrets are masked in what a program prints, also in parts and encoded', async () => {
  const value = 's3cr3t-token-value';
  const script = `printf 's3cr3t-'; printf 'token-value\\n'; printf %s "$KEY" | base64; echo "$KEY" >&2; exit 4`;
  const told = JSON.stringify(await run({ run: script, env: { KEY: value } }, {}, { secrets: { KEY: value } }));
  expect(told).not.toContain(value);
  expect(told).toContain('exited with 4: [redacted:KEY]');
  const shown = await run({ run: script.replace('exit 4', 'exit 0'), env: { KEY: value } }, {}, { secrets: { KEY: value } });
  expect(shown).toMatchObject({ output: { stdout: '[redacted:KEY]\n[redacted:KEY]\n', stderr: '[redacted:KEY]\n' } });
});

test('a secret in the command line is masked where the program is named', async () => {
  const value = 's3cr3t-token-value';
  for (const program of [{ run: `true --token ${value}` }, { argv: ['true', '--token', value] }])
    expect(await run(program, {}, { secrets: { KEY: value } })).toMatchObject({ outcome: 'ok', actor: 'true --token [redacted:KEY]' });
});

test('a cut through the output leaves no half of a secret', async () => {
  const value = 's3cr3t-token-value';
  const script = `printf '%s' "$KEY" >&2; head -c 1990 /dev/zero | tr '\\0' x >&2; exit 4`;
  const result = await run({ run: script, env: { KEY: value } }, {}, { secrets: { KEY: value } });
  const { message } = (result as unknown as { error: { message: string } }).error;
  expect(message).toMatch(/x{1990}$/);
  expect(message).not.toContain('valuex');
});

describe.runIf(process.platform === 'linux')('a stopped command', () => {
  const runs = (pid: number): boolean => {
    try {
      return !['Z', 'X'].includes(/\) (.) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? 'X');
    } catch {
      return false;
    }
  };

  test('is gone within 10 s with all it started, also a daemon that does not listen', async () => {
    const pids = join(cwd, 'pids');
    const pidDir = join(cwd, 'running');
    const stubborn = `trap '' TERM HUP; echo $$ >> ${pids}; while :; do sleep 0.1; done`;
    const script = `setsid sh -c "${stubborn.replaceAll('$', '\\$')}" & (sh -c "${stubborn.replaceAll('$', '\\$')}" &); ${stubborn}`;
    const controller = new AbortController();
    const running = run({ run: script }, { signal: controller.signal }, { pidDir });
    const started = (): number[] => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : []);
    await expect.poll(() => started().length).toBe(3);
    expect(readdirSync(pidDir)).toHaveLength(1);
    const stoppedMs = performance.now();
    controller.abort();
    expect(await running).toMatchObject({ type: 'errored', error: { reason: 'timeout' } });
    expect(performance.now() - stoppedMs).toBeLessThan(10_000);
    expect(started().filter(runs)).toEqual([]);
    expect(readdirSync(pidDir)).toEqual([]);
  });

  test('at its own time limit is a timeout', async () => {
    const result = await run({ run: 'sleep 60' }, { model: { timeoutMs: 100, id: 'slow' } });
    expect(result).toMatchObject({
      type: 'errored',
      error: { reason: 'timeout', message: 'step "slow" timed out: attempt 1 took longer than 100 ms' },
    });
  });
});

describe('a program that may not change files', () => {
  const quiet: Partial<AttemptFields> = { model: { mutatesCheckout: false } };
  const gitFolder = (): string => {
    const folder = tempFolder();
    createRepository(folder, { 'kept.txt': 'kept', '.gitignore': '*.log' });
    return folder;
  };
  test('fails with their names if it did, in git and without', async () => {
    for (const folder of [tempFolder(), gitFolder()]) {
      const result = await run({ run: 'echo more >> kept.txt; echo new > made.txt' }, quiet, { cwd: folder });
      expect(result).toMatchObject({ type: 'errored', error: { code: 'CHECKOUT_CHANGED', retryable: false } });
      expect((result as { error: { message: string } }).error.message).toContain('changed kept.txt, made.txt');
    }
  });

  test('passes if it only reads, or writes what git ignores', async () => {
    const folder = gitFolder();
    writeFileSync(join(folder, 'dirty.txt'), 'uncommitted before the step');
    expect(await run({ run: 'cat kept.txt; echo log > build.log' }, quiet, { cwd: folder })).toMatchObject({
      type: 'settled',
      outcome: 'ok',
    });
  });
});
