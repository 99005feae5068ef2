import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { JsonObject } from '../../base/json.ts';
import { type AttemptFields, createAttemptRequest } from '../../proof/attempt-request.ts';
import type { CheckVerdict } from '../../steps/check.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import type { StepServices } from '../../steps/services.ts';
import { REGISTRY } from '../registry.ts';

const outer = tempFolder();
const cwd = join(outer, 'workspace');
mkdirSync(join(cwd, 'dist'), { recursive: true });
writeFileSync(join(cwd, 'dist/index.js'), '');
writeFileSync(join(outer, 'secret.txt'), '');
symlinkSync(join(outer, 'secret.txt'), join(cwd, 'way-out'));
symlinkSync(join(outer, 'nothing'), join(cwd, 'broken'));

const run = (checks: readonly JsonObject[], services: Partial<StepServices> = {}, fields: Partial<AttemptFields> = {}) =>
  createAttemptRunner({ cwd, now: () => 0, ...services }, REGISTRY)(createAttemptRequest({ kind: 'gate', config: { checks }, ...fields }));
const command = (script: string, rest: JsonObject = {}): JsonObject => ({ check: 'command', run: script, ...rest });

describe('a gate', () => {
  test('passes when every check does, and records each', async () => {
    let now = 1000;
    const clock = () => {
      now += 15_000;
      return now;
    };
    const result = await run([command('echo fine'), { check: 'file_exists', paths: ['dist/index.js', 'dist'] }], { now: clock });
    expect(result).toMatchObject({
      type: 'settled',
      outcome: 'ok',
      output: {
        passed: true,
        failed_checks: [],
        checks: [{ check: 'command', name: 'echo fine', passed: true }, { passed: true }],
        duration: '45s',
      },
      checks: [
        { type: 'command', config: command('echo fine'), passed: true, result: { exitCode: 0, stdout: 'fine\n' }, at: 31_000 },
        { type: 'file_exists', passed: true, at: 46_000 },
      ],
    });
  });

  test.each([
    { flaky: 'fail', outcome: 'fail', looks: [false, true], named: ['seen'] },
    { flaky: 'quarantine', outcome: 'ok', looks: [false, true], named: ['seen'] },
    { flaky: undefined, outcome: 'fail', looks: [false], named: undefined },
  ])('C12: with flaky: $flaky a check that fails and then passes is $outcome, with every look recorded', async (given) => {
    const { flaky, outcome, looks, named } = given;
    const calls: number[] = [];
    const services = { checks: { shaky: { run: () => ({ passed: calls.push(1) > 1, result: calls.length }) } } };
    const checks = [{ check: 'shaky', name: 'seen' }];
    const config = { checks, ...(flaky === undefined ? {} : { flaky }) };
    const result = await run([], services as never, { config } as Partial<AttemptFields>);
    expect(result).toMatchObject({ type: 'settled', outcome });
    const { checks: records = [], output } = result as { checks?: readonly { passed: boolean }[]; output: { flaky_checks?: string[] } };
    expect([records.map(({ passed }) => passed), output.flaky_checks]).toEqual([looks, named]);
  });

  test('a check that fails twice is not flaky, and both results are recorded', async () => {
    const result = await run([], {}, { config: { checks: [command('false')], flaky: 'quarantine' } } as Partial<AttemptFields>);
    expect(result).toMatchObject({ outcome: 'fail', checks: [{ passed: false }, { passed: false }] });
  });

  test('runs all checks, in order, also after one has failed', async () => {
    const log = join(cwd, 'order');
    const result = await run([
      command('echo 1 >> order; echo red >&2; exit 2'),
      command('echo 2 >> order'),
      command('echo 3 >> order; false'),
    ]);
    expect(result).toMatchObject({
      type: 'settled',
      outcome: 'fail',
      output: {
        passed: false,
        failed_checks: [expect.stringMatching(/: it exited with 2: red$/), expect.stringMatching(/false: it exited with 1$/)],
      },
      checks: [{ passed: false }, { passed: true }, { passed: false }],
    });
    expect(readFileSync(log, 'utf8')).toBe('1\n2\n3\n');
  });

  test('a gate with a check that could not run is an error, whatever the others return', async () => {
    const result = await run([command('false'), command('no-such-program-anywhere'), command('true')]);
    expect(result).toMatchObject({
      type: 'errored',
      error: { code: 'COMMAND_NOT_RUN', reason: 'error', message: expect.stringContaining('no-such-program-anywhere') },
      checks: [{ passed: false }, { passed: null, error: expect.any(String) }, { passed: true }],
    });
  });

  writeFileSync(join(cwd, 'plain.txt'), '', { mode: 0o644 });
  test.each<[string, JsonObject]>([
    ['its program is not executable', { check: 'command', argv: ['./plain.txt'] }],
    ['its directory is missing', command('true', { cwd: 'missing' })],
    ['its expression cannot be evaluated', command('true', { expect: 'exit_cod == 0' })],
    ['its expression is no condition', command('true', { expect: 'exit_code' })],
    ['there is no such check', { check: 'comand' }],
    ['its name is one of the language', { check: 'constructor' }],
    ['its path is absolute', { check: 'file_exists', paths: [join(outer, 'secret.txt')] }],
    ['its path climbs out', { check: 'file_exists', paths: ['dist/../../secret.txt'] }],
    ['its path leads out', { check: 'file_exists', paths: ['way-out'] }],
  ])('a check is an error, neither passed nor failed, when %s', async (_why, check) => {
    expect(await run([check])).toMatchObject({ type: 'errored', error: { code: 'COMMAND_NOT_RUN' }, checks: [{ passed: null }] });
  });

  test('a gate that times out is a timeout and leaves nothing running', async () => {
    const result = await run([command('sleep 60', { timeoutMs: 50 })]);
    expect(result).toMatchObject({ type: 'errored', error: { code: 'STEP_FAILED', reason: 'timeout' }, checks: [{ passed: null }] });
  });

  test('a stopped gate runs no further check', async () => {
    const controller = new AbortController();
    const stop = {
      name: 'stop',
      run: () => {
        controller.abort();
        return { passed: true as const, result: null };
      },
    };
    const checks = [{ check: 'stop' }, command('echo x > after-stop')];
    const result = await run(checks, { checks: { stop } }, { signal: controller.signal });
    expect(result).toMatchObject({ type: 'errored', error: { message: expect.stringContaining('stopped') } });
    expect(() => readFileSync(join(cwd, 'after-stop'))).toThrow();
  });

  test('shows no secret in what it records', async () => {
    const told = JSON.stringify(await run([command('echo s3cr3t-token-value; exit 1')], { secrets: { KEY: 's3cr3t-token-value' } }));
    expect(told).toContain('it exited with 1: [redacted:KEY]');
    // The definition is the author's own text; it is masked all the same.
    expect(told).not.toContain('s3cr3t-token-value');
  });
});

describe('a gate whose checks differ', () => {
  const verdicts: Readonly<Record<string, CheckVerdict>> = {
    pass: { passed: true, result: null },
    fail: { passed: false, result: null, error: 'no' },
    pending: { passed: null, why: 'pending', result: { have: 1 }, error: 'it waits for ann' },
    error: { passed: null, why: 'unable', result: null, error: 'unreadable' },
  };
  const saying = Object.fromEntries(Object.entries(verdicts).map(([name, verdict]) => [name, { name, run: () => verdict }]));
  const decide = (names: string, wrap: (checks: JsonObject[]) => JsonObject[] = (checks) => checks) =>
    run(wrap(names.split(' ').map((check) => ({ check }))), { checks: saying });

  test.each<[string, object]>([
    ['pass pending', { type: 'settled', outcome: 'pending' }],
    ['pending fail', { type: 'settled', outcome: 'fail' }],
    ['pending error fail', { type: 'errored', error: { message: expect.stringContaining('error: unreadable') } }],
    ['pending error pass', { type: 'errored' }],
    ['pass pass', { type: 'settled', outcome: 'ok' }],
  ])('is decided by the worst of %s', async (names, expected) => {
    expect(await decide(names)).toMatchObject(expected);
  });

  test('a pending gate says what it waits for', async () => {
    expect(await decide('pass pending')).toMatchObject({
      output: {
        passed: false,
        failed_checks: [],
        pending_checks: ['pending: it waits for ann'],
        checks: [{ passed: true }, { passed: null, pending: true, error: 'it waits for ann' }],
      },
      checks: [{ result: null }, { passed: null, result: { pending: true, have: 1 }, error: 'it waits for ann' }],
    });
  });

  test.each<[string, object]>([
    ['fail error pass', { outcome: 'ok', checks: [{ type: 'any_of', passed: true }] }],
    ['fail fail', { outcome: 'fail', checks: [{ passed: false, error: 'none of 2 passed: fail: no; fail: no' }] }],
    ['fail pending', { outcome: 'pending', checks: [{ passed: null, result: { pending: true } }] }],
    ['pending error fail', { type: 'errored', checks: [{ passed: null, error: expect.stringContaining('error: unreadable') }] }],
  ])('needs one of %s in any_of', async (names, expected) => {
    expect(await decide(names, (checks) => [{ check: 'any_of', checks }])).toMatchObject(expected);
  });

  test('records every check of an any_of, also after one has passed', async () => {
    const result = await decide('pass fail', (checks) => [{ check: 'any_of', checks: [{ check: 'any_of', checks }] }]);
    const inner = [
      { config: { check: 'pass' }, passed: true, result: null },
      { config: { check: 'fail' }, passed: false, result: null, error: 'no' },
    ];
    expect(result).toMatchObject({ outcome: 'ok', checks: [{ result: { checks: [{ passed: true, result: { checks: inner } }] } }] });
  });

  test('ends an any_of at its limit with all that it started', async () => {
    const checks = [command('sleep 60'), { check: 'hang' }];
    const hang = { name: 'hang', run: () => new Promise<CheckVerdict>(() => {}) };
    const result = await run([{ check: 'any_of', checks, timeoutMs: 50 }], { checks: { hang } });
    expect(result).toMatchObject({
      type: 'errored',
      error: { reason: 'timeout' },
      checks: [{ passed: null, error: 'it took longer than 50 ms' }],
    });
  });

  test.each<[string, object]>([
    ['that is decided and pending at once', { passed: true, why: 'pending', result: null }],
    ['of an older version', { passed: null, pending: true, result: null }],
  ])('refuses a verdict %s', async (_what, verdict) => {
    const both = { name: 'both', run: () => verdict as CheckVerdict };
    expect(await run([{ check: 'both' }], { checks: { both } })).toMatchObject({ type: 'errored', checks: [{ passed: null }] });
  });
});

describe('expect', () => {
  test.each<[string, string, boolean]>([
    ['exit 1', 'exit_code == 1', true],
    ['echo "coverage 93"', "stdout | contains('coverage 9')", true],
    ['echo oops >&2', "stderr == ''", false],
  ])('judges the end of a program: %s, %s', async (script, expected, passed) => {
    expect(await run([command(script, { expect: expected })])).toMatchObject({ outcome: passed ? 'ok' : 'fail', checks: [{ passed }] });
  });
});

test('a missing file fails its check and is named', async () => {
  const result = await run([{ check: 'file_exists', paths: ['dist/index.js', 'dist/none.js', 'broken', 'dist/index.js/x'] }]);
  expect(result).toMatchObject({ outcome: 'fail', checks: [{ passed: false, error: 'missing: dist/none.js, broken, dist/index.js/x' }] });
});

describe('an own check', () => {
  const own = (run_: () => CheckVerdict | Promise<CheckVerdict>) => ({ checks: { budget: { name: 'budget', run: run_ } } });

  test('is given its configuration and a way to run programs', async () => {
    const budget = {
      name: 'budget',
      run: async (config: JsonObject, scene: Parameters<NonNullable<StepServices['checks']>[string]['run']>[1]): Promise<CheckVerdict> => {
        const { kind, ...rest } = await scene.run({ argv: ['echo', String(config.minimum), scene.runId] });
        return { passed: kind === 'exited', result: 'stdout' in rest ? rest.stdout : null, error: 'it did not end' };
      },
    };
    expect(await run([{ check: 'budget', minimum: 80 }], { checks: { budget } })).toMatchObject({
      outcome: 'ok',
      checks: [{ type: 'budget', passed: true, result: '80 run1\n' }],
    });
  });

  test.each<[string, () => CheckVerdict | Promise<CheckVerdict>]>([
    ['throws', () => Promise.reject(new Error('report unreadable'))],
    ['gives no verdict', () => undefined as unknown as CheckVerdict],
    ['gives a verdict of another sort', () => ({ passed: 'yes', result: null }) as unknown as CheckVerdict],
    ['gives a result that is no data', () => ({ passed: true, result: (() => 1) as unknown as null })],
  ])('a custom check that %s could not run', async (_how, check) => {
    expect(await run([{ check: 'budget' }], own(check))).toMatchObject({
      type: 'errored',
      error: { code: 'COMMAND_NOT_RUN' },
      checks: [{ passed: null }],
    });
  });

  test('a custom check that hangs is stopped at its limit', async () => {
    const result = await run(
      [{ check: 'budget', timeoutMs: 30 }],
      own(() => new Promise(() => {})),
    );
    expect(result).toMatchObject({
      type: 'errored',
      error: { reason: 'timeout' },
      checks: [{ passed: null, error: 'it took longer than 30 ms' }],
    });
  });
});

describe('a check without a timeout', () => {
  const stuck = { type: 'errored', error: { reason: 'timeout' }, checks: [{ passed: null }] };
  execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd });

  test('a check that waits for a named pipe is stopped', async () => {
    expect(await run([command('cat pipe')], { checkTimeoutMs: 200 })).toMatchObject(stuck);
    expect(await run([{ check: 'any_of', checks: [command('cat pipe')] }], { checkTimeoutMs: 200 })).toMatchObject(stuck);
  });

  test('a custom check without a timeout is abandoned at the default limit', async () => {
    const idle = { name: 'idle', validate: () => undefined, run: () => new Promise<CheckVerdict>(() => undefined) };
    expect(await run([{ check: 'idle' }], { checkTimeoutMs: 200, checks: { idle } })).toMatchObject(stuck);
  });

  test('may take as long as its gate may', async () => {
    const model = { timeoutMs: 60_000 };
    expect(await run([command('sleep 0.5')], { checkTimeoutMs: 200 }, { model })).toMatchObject({ type: 'settled', outcome: 'ok' });
  });
});
