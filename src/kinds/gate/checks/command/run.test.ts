import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { traitsIn } from '../../../../../test/gate-rig.ts';
import { tempFolder } from '../../../../../test/temp-folder.ts';
import type { JsonObject } from '../../../../base/json.ts';
import { createAttemptRequest } from '../../../../proof/attempt-request.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { createAttemptRunner } from '../../../../steps/runner.ts';
import { REGISTRY } from '../../../registry.ts';
import { commandCheck } from './check.ts';

let cwd = '';
beforeEach(() => {
  cwd = tempFolder();
});

const check = (config: JsonObject) =>
  createAttemptRunner(
    { cwd, now: Date.now },
    REGISTRY,
  )(createAttemptRequest({ kind: 'gate', config: { checks: [{ check: 'command', ...config }] } }));
// A program that prints a text and ends with a code.
const saying = (text: string, code = 0): JsonObject => {
  writeFileSync(join(cwd, 'said'), text);
  return { run: `cat said; exit ${code}` };
};
const noTest = { type: 'errored', checks: [{ passed: null, error: expect.stringContaining('no test ran') }] };

describe('a command that runs tests', () => {
  test('the tests of a real node --test run are counted', async () => {
    writeFileSync(
      join(cwd, 'a.test.js'),
      "const { test } = require('node:test'); test('one', () => {}); test('two', () => { throw new Error('broken'); });",
    );
    const argv = [process.execPath, '--test'];
    expect(await check({ argv })).toMatchObject({
      outcome: 'fail',
      checks: [
        { passed: false, result: { exitCode: 1, tests: 2, passed: 1, failed: 1, failures: [{ name: 'two', message: 'Error: broken' }] } },
      ],
    });
    expect(await check({ argv: [...argv, '--test-reporter=tap'] })).toMatchObject({
      checks: [{ passed: false, result: { tests: 2, failed: 1, failures: [{ message: 'broken' }] } }],
    });
    writeFileSync(join(cwd, 'a.test.js'), "require('node:test').test('one', () => {});");
    expect(await check({ argv })).toMatchObject({ outcome: 'ok', checks: [{ passed: true, result: { tests: 1, failed: 0 } }] });
  });

  test('a test runner that finds no test does not pass, whatever its exit code', async () => {
    expect(await check({ argv: [process.execPath, '--test'] })).toMatchObject(noTest);
  });

  test.each<[string, string, number]>([
    ['pytest without tests', 'collected 0 items\n\n===== no tests ran in 0.85s =====\n', 5],
    ['pytest -q without tests', '\nno tests ran in 0.01s\n', 5],
    ['pytest whose selection is empty', '===== 4 deselected in 0.88s =====\n', 5],
    ['pytest that skipped everything', '\u001b[33m===== \u001b[1m3 skipped\u001b[0m in 0.02s =====\u001b[0m\n', 0],
    ['pytest that only collected', '===== 4 tests collected in 0.02s =====\n', 0],
    ['TAP with an empty plan', 'TAP version 13\n1..0\n', 0],
    ['TAP with an empty plan and no header', '1..0 # SKIP no database\n', 0],
    ['TAP whose points are all skipped', '1..1\nok 1 - a # SKIP later\n', 0],
  ])('is an error when no test ran: %s', async (_what, text, code) => {
    expect(await check(saying(text, code))).toMatchObject(noTest);
    expect(await check({ ...saying(text, code), tests: 'optional' })).toMatchObject({ outcome: code === 0 ? 'ok' : 'fail' });
  });

  test('fails by its tests even if its exit code is lost', async () => {
    const text = 'FAILED tests/test_a.py::test_b - assert 1 == 2\n===== 1 failed, 4 passed, 1 xfailed in 2.50s (0:00:02) =====\n';
    expect(await check(saying(text))).toMatchObject({
      outcome: 'fail',
      checks: [
        {
          error: 'it exited with 0, but 1 of its tests failed',
          result: { tests: 6, passed: 5, failed: 1, failures: [{ name: 'tests/test_a.py::test_b', message: 'assert 1 == 2' }] },
        },
      ],
    });
  });

  test('may be expected to fail', async () => {
    expect(await check({ ...saying('===== 1 failed in 0.1s =====\n', 1), expect: 'exit_code == 1' })).toMatchObject({ outcome: 'ok' });
  });

  test('whose TAP output is incomplete does not pass', async () => {
    expect(await check(saying('TAP version 14\n1..3\nok 1\nok 2\n'))).toMatchObject({
      type: 'errored',
      checks: [{ passed: null, error: expect.stringContaining('its plan is for 3 tests, but 2 arrived') }],
    });
  });

  test('a test run that bails out has failed', async () => {
    expect(await check(saying('1..3\nok 1\nBail out! no disk\n'))).toMatchObject({
      outcome: 'fail',
      checks: [{ result: { failures: [{ name: 'Bail out!', message: 'no disk' }] } }],
    });
  });

  test('must be recognised when its tests are required', async () => {
    expect(await check({ run: 'echo all good', tests: 'required' })).toMatchObject({
      type: 'errored',
      checks: [{ passed: null, error: expect.stringContaining('not from a known test runner') }],
    });
    expect(await check({ run: 'echo bad; exit 3', tests: 'required' })).toMatchObject({ outcome: 'fail' });
    expect(await check({ run: 'echo all good' })).toMatchObject({ outcome: 'ok', checks: [{ result: { stdout: 'all good\n' } }] });
  });
});

test.each([
  ['false | cat', 'fail'],
  ['exit 3 | cat | cat', 'fail'],
  ['(echo failed; exit 1) | tee log', 'fail'],
  ['true | cat', 'ok'],
  ['false || true', 'ok'],
  ['yes | head -1', 'ok'],
  ['(yes; echo done) | grep -q y', 'ok'],
  ["printf 'a|b' | grep -qF 'a|b'", 'ok'],
  ['echo "a\\nb" | grep -qx b', 'ok'],
])('a pipe is judged by all of its programs: %s is %s', async (run, outcome) => {
  expect(await check({ run })).toMatchObject({ outcome });
});

test('a pipe with a program that does not exist has no verdict', async () => {
  expect(await check({ run: 'pawl-no-such-command | cat' })).toMatchObject({
    type: 'errored',
    checks: [{ passed: null, error: expect.stringContaining('could not find a command') }],
  });
});

describe('real test runners that find no test', () => {
  const vitest = join(import.meta.dirname, '../../../../../node_modules/vitest/vitest.mjs');
  test.each<[string, JsonObject]>([
    ['vitest --passWithNoTests', { argv: [process.execPath, vitest, 'run', '--passWithNoTests', '--root', '.'] }],
    ['python3 -m unittest', { run: 'python3 -m unittest' }],
    ['node --test | cat', { run: `'${process.execPath}' --test | cat` }],
  ])('do not pass: %s', async (_what, config) => {
    expect(await check(config)).toMatchObject(noTest);
    expect(await check({ ...config, tests: 'optional' })).toMatchObject({ type: 'settled' });
  });
});

describe('a report of tests', () => {
  const junit = (cases: string): string =>
    `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="s">${cases}</testsuite></testsuites>`;
  const writing = (text: string): JsonObject => {
    writeFileSync(join(cwd, 'source.xml'), text);
    return { run: 'cp source.xml junit.xml', report: 'junit.xml' };
  };

  test('is what counts', async () => {
    const cases =
      '<testcase classname="a" name="one"/><testcase classname="a" name="two"><failure message="1 &lt; 2">x</failure></testcase><testcase name="three"><skipped/></testcase>';
    expect(await check(writing(junit(cases)))).toMatchObject({
      outcome: 'fail',
      checks: [{ result: { tests: 3, passed: 1, failed: 1, skipped: 1, failures: [{ name: 'a::two', message: '1 < 2' }] } }],
    });
    expect(await check(writing(junit('<testcase name="one"/>')))).toMatchObject({ outcome: 'ok', checks: [{ result: { tests: 1 } }] });
    expect(await check(writing(junit('')))).toMatchObject(noTest);
  });

  test.each<[string, string]>([
    ['that is garbage', 'all fine'],
    ['that breaks off', '<testsuites><testcase name="one"/>'],
    ['of another sort', '<coverage/>'],
  ])('%s is neither a pass nor a fail', async (_what, text) => {
    expect(await check(writing(text))).toMatchObject({
      type: 'errored',
      checks: [{ passed: null, error: expect.stringContaining('cannot be read') }],
    });
  });

  test('from before the command is no evidence', async () => {
    const file = join(cwd, 'junit.xml');
    writeFileSync(file, junit('<testcase name="one"/>'));
    utimesSync(file, new Date(1000), new Date(1000));
    const stale = { type: 'errored', checks: [{ passed: null, error: expect.stringContaining('is older') }] };
    expect(await check({ run: 'true', report: 'junit.xml' })).toMatchObject(stale);
    expect(await check({ run: 'false', report: 'junit.xml' })).toMatchObject({ outcome: 'fail' });
  });
});

describeCheck(commandCheck, {
  passes: { config: { run: 'test -f README.md' }, arrange: (cwd) => writeFileSync(join(cwd, 'README.md'), '') },
  fails: { config: { run: 'test -f README.md' } },
  cannotDecide: { config: { argv: ['no-such-program-anywhere'] } },
});

test('command declares its traits', () => {
  expect(traitsIn(commandCheck)).toEqual({ independentOfRun: true });
});
