import { describe, expect, test } from 'vitest';
import { testsRun } from './test-counts.ts';
import { recogniseTests } from './test-report.ts';

const GREY = '\u001b[0m\u001b[38;5;245m';

// What the programs print, as they printed it.
describe('runs without a test', () => {
  test.each([
    ['python 3.11 -m unittest', '\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK\n'],
    [
      'python 3.13 -m unittest',
      '\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n',
    ],
    ['unittest that skipped everything', '----\nRan 2 tests in 0.001s\n\nOK (skipped=2)\n'],
    ['vitest --passWithNoTests', '\n RUN  v4.1.12 /w\n\nNo test files found, exiting with code 0\n\n'],
    ['vitest that skipped everything', ' Test Files  1 skipped (1)\n      Tests  2 skipped | 1 todo (3)\n   Start at  08:29:45\n'],
    ['jest --passWithNoTests', 'No tests found, exiting with code 0\n'],
    ['jest -t zzz', 'Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\nSnapshots:   0 total\n'],
    ['mocha', '\n\n  0 passing (1ms)\n\n'],
    ['mocha with pending tests only', '\n\n  x\n    - b\n\n\n  0 passing (2ms)\n  1 pending\n\n'],
    ['go test without test files', '?   \tx/a\t[no test files]\n?   \tx/b\t[no test files]\n'],
    ['go test -run ZZZ', 'ok  \tx/a\t0.002s [no tests to run]\n'],
    ['go test -run ZZZ -v', 'testing: warning: no tests to run\nPASS\nok  \tx/a\t0.002s [no tests to run]\n'],
    [
      'cargo test',
      '\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\n',
    ],
    ['bun test', 'No tests found!\n\nTests need ".test", "_test_", ".spec" or "_spec_" in the filename (ex: "MyApp.test.ts")\n'],
    ['bun test of an empty file', '\na.test.js:\n\n 0 pass\n 0 fail\nRan 0 tests across 1 file. [6.00ms]\n'],
    ['deno test --permit-no-files', `\n\u001b[0m\u001b[32mok\u001b[0m | 0 passed | 0 failed ${GREY}(0ms)\u001b[0m\n\n`],
    ['deno test', '\u001b[0m\u001b[1m\u001b[31merror\u001b[0m: No test modules found\n'],
    ['dotnet test', 'No test is available in /w/x.dll. Make sure that test discoverer & executors are registered.\n'],
    ['dotnet test --filter', 'No test matches the given testcase filter `Name=x` in /w/x.dll\n'],
    ['rspec', 'No examples found.\n\n\nFinished in 0.00018 seconds (files took 0.05 seconds to load)\n0 examples, 0 failures\n'],
    ['minitest', 'Finished in 0.000s, 0.0 runs/s, 0.0 assertions/s.\n\n0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n'],
    ['mix test', 'There are no tests to run\n'],
    ['phpunit', 'PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nNo tests executed!\n'],
    ['maven', '[INFO] --- surefire:3.0.0:test (default-test) @ x ---\n[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n'],
  ])('a run without a test is recognised: %s', (_runner, output) => {
    for (const streams of [
      { stdout: output, stderr: '' },
      { stdout: '', stderr: output },
    ]) {
      const counts = recogniseTests(streams);
      expect(counts === undefined ? undefined : testsRun(counts)).toBe(0);
    }
  });
});

describe('runs of tests', () => {
  test.each([
    ['unittest', 'Ran 3 tests in 0.006s\n\nFAILED (failures=1, skipped=1)\n', { passed: 1, failed: 1, skipped: 1 }],
    ['unittest with expected failures', 'Ran 2 tests in 0.1s\n\nOK (expected failures=1)\n', { passed: 2, failed: 0, skipped: 0 }],
    ['vitest', '      Tests  1 failed | 1 passed | 1 skipped | 1 todo (4)\n', { passed: 1, failed: 1, skipped: 2 }],
    ['jest', 'Tests:       1 failed, 1 skipped, 1 passed, 3 total\n', { passed: 1, failed: 1, skipped: 1 }],
    ['mocha', '\n  1 passing (3ms)\n  1 pending\n  1 failing\n\n  1) x\n', { passed: 1, failed: 1, skipped: 1 }],
    [
      'go',
      'ok  \tx/a\t0.004s\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tx/b\t0.003s\n?   \tx/c\t[no test files]\nFAIL\n',
      { passed: 1, failed: 1 },
    ],
    ['go, cached and with coverage', 'ok  \tx/a\t(cached)\tcoverage: 80.0% of statements\n', { passed: 1 }],
    [
      'cargo, of which one binary has none',
      'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n',
      { passed: 2, failed: 1, skipped: 1 },
    ],
    ['nextest', '     Summary [   0.003s] 3 tests run: 2 passed, 1 failed, 1 skipped\n', { passed: 2, failed: 1, skipped: 1 }],
    ['bun', ' 1 pass\n 1 skip\n 0 fail\nRan 2 tests across 1 file. [3.00ms]\n', { passed: 1, failed: 0, skipped: 1 }],
    ['deno', `ok | 1 passed (2 steps) | 0 failed | 1 ignored ${GREY}(16ms)\u001b[0m\n`, { passed: 1, failed: 0, skipped: 1 }],
    [
      'dotnet',
      'Failed!  - Failed:     1, Passed:     3, Skipped:     1, Total:     5, Duration: 5 ms - x.dll (net8.0)\n',
      { passed: 3, failed: 1, skipped: 1 },
    ],
    ['rspec', '4 examples, 1 failure, 1 pending\n', { passed: 2, failed: 1, skipped: 1 }],
    ['minitest', '5 runs, 9 assertions, 1 failures, 1 errors, 1 skips\n', { passed: 2, failed: 2, skipped: 1 }],
    ['mix test', '1 doctest, 3 tests, 1 failure, 1 skipped\n', { passed: 2, failed: 1, skipped: 1 }],
    ['phpunit', 'OK (3 tests, 5 assertions)\n', { passed: 3, failed: 0 }],
    ['phpunit with failures', 'Tests: 4, Assertions: 4, Errors: 1, Failures: 1, Skipped: 1.\n', { passed: 1, failed: 2, skipped: 1 }],
    ['maven', '[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n', { passed: 1, failed: 2, skipped: 1 }],
  ])('a run of tests is counted: %s', (_runner, output, counts) => {
    expect(recogniseTests({ stdout: '', stderr: output })).toMatchObject(counts);
  });

  test('a workspace without tests does not hide the tests of another one', () => {
    const stdout = 'No test files found, exiting with code 0\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n';
    expect(recogniseTests({ stdout, stderr: 'No tests found, exiting with code 0\n' })).toMatchObject({ passed: 2, failed: 0 });
  });
});

test.each([
  'it says "No tests found, exiting with code 0" when there are none',
  'error in test "Ran 0 tests": expected "0 passing (1ms)"',
  '- 0 examples, 0 failures is what rspec prints',
  'tests: 0 total',
  'ok\nok  done\nFAIL',
  'No tests executed! See the log.',
  '3 runs, 2 passed',
  `Tests: ${'1 a'.repeat(1000)}`,
])('text that mentions tests is not a summary: %s', (stdout) => {
  expect(recogniseTests({ stdout, stderr: stdout })).toBeUndefined();
});
