import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { Json } from '../../base/json.ts';
import { createAttemptRequest } from '../../proof/attempt-request.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import type { StepServices } from '../../steps/services.ts';
import { REGISTRY } from '../registry.ts';

const cwd = tempFolder();
const log = join(cwd, 'log');
beforeEach(() => rmSync(log, { force: true }));

const STAGES = {
  format: 'echo format >> log',
  lint: { argv: ['sh', '-c', 'echo lint >> log'] },
  test: 'echo test >> log; echo 2 failed >&2; exit 1',
  ci: ['lint', 'format'],
} as const;
const run = (stages: Json, services: Partial<StepServices> = {}) =>
  createAttemptRunner(
    { cwd, now: () => 7, stages: STAGES, ...services },
    REGISTRY,
  )(createAttemptRequest({ kind: 'validate', config: { stages, retry: 0 } }));

describe('the stages of a validation', () => {
  test.each<[string, Json, Partial<StepServices>, string]>([
    ['a list', ['lint', 'format'], {}, 'lint\nformat\n'],
    ['a key with a list under it', 'ci', {}, 'lint\nformat\n'],
    ['one stage', 'format', {}, 'format\n'],
    ['the default set', null, { defaultStages: ['format'] }, 'format\n'],
    ['all programs, when there is no default set', null, {}, 'format\nlint\ntest\n'],
  ])('are %s', async (...row) => {
    const [, stages, services, ran] = row;
    await run(stages, services);
    expect(readFileSync(log, 'utf8')).toBe(ran);
  });

  test.each<[string, Json, Partial<StepServices>, string]>([
    ['a name that is none', ['lnt'], {}, 'did you mean "lint"'],
    ['a name of the language', 'constructor', {}, 'no stage "constructor"'],
    ['no name at all', [], {}, 'no stages'],
    ['nothing where nothing is configured', null, { stages: {} }, 'no stages'],
    ['a list in a list', ['ci'], {}, 'is a list of stages'],
  ])('stages of a validation that are %s are an error, and nothing runs', async (...row) => {
    const [, stages, services, message] = row;
    expect(await run(stages, services)).toMatchObject({
      type: 'errored',
      error: { code: 'DEFINITION_INVALID', retryable: false, message: expect.stringContaining(message) },
    });
    expect(() => readFileSync(log)).toThrow();
  });
});

describe('a validation', () => {
  test('a validation that ran no test has no verdict, unless its stage says that none is needed', async () => {
    const tests = 'echo "  0 passing (1ms)"';
    expect(await run(['unit'], { stages: { unit: tests } })).toMatchObject({
      type: 'errored',
      error: { message: expect.stringContaining('unit: no test ran') },
      checks: [{ passed: null, error: expect.stringContaining('no test ran') }],
    });
    expect(await run(['unit'], { stages: { unit: { run: tests, tests: 'optional' } } })).toMatchObject({ outcome: 'ok' });
    expect(await run(['unit'], { stages: { unit: 'false | cat' } })).toMatchObject({ outcome: 'fail' });
  });

  test('is ok when every stage exits with 0', async () => {
    expect(await run(['format', 'lint'])).toMatchObject({
      type: 'settled',
      outcome: 'ok',
      output: {
        success: true,
        stages: [
          { name: 'format', passed: true, exitCode: 0 },
          { name: 'lint', passed: true },
        ],
      },
      checks: [{ type: 'stage', config: { stage: 'format', command: 'echo format >> log' }, passed: true, at: 7 }, { passed: true }],
    });
  });

  test('runs all stages, also after one has failed, and says what it printed', async () => {
    expect(await run(['test', 'format'])).toMatchObject({
      type: 'settled',
      outcome: 'fail',
      output: { success: false, stages: [{ name: 'test', passed: false, exitCode: 1, stderr: '2 failed' }, { passed: true }] },
    });
    expect(readFileSync(log, 'utf8')).toBe('test\nformat\n');
  });

  test('a validation with a stage that cannot run neither passes nor fails', async () => {
    expect(await run(['x', 'test'], { stages: { ...STAGES, x: 'no-such-program-anywhere' } })).toMatchObject({
      type: 'errored',
      error: { code: 'COMMAND_NOT_RUN', retryable: false },
      checks: [{ passed: null }, { passed: false }],
    });
  });

  test('a validation with a stage that times out is a timeout', async () => {
    expect(await run(['slow'], { stages: { slow: { run: 'sleep 60', timeoutMs: 50 } } })).toMatchObject({
      type: 'errored',
      error: { reason: 'timeout' },
    });
  });
});
