import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCoverage, sumCoverage } from './coverage-report.ts';
import { recordOf, testsRun } from './test-counts.ts';
import { parseTestReport, recogniseTests } from './test-report.ts';
import { XmlFault } from './xml.ts';

describe('output', () => {
  test.each<[string, string, object]>([
    [
      'pytest',
      'collected 5 items\n===== 1 failed, 2 passed, 1 skipped, 1 error, 3 warnings in 0.80s =====',
      { passed: 2, failed: 2, skipped: 1 },
    ],
    ['pytest -q', '1 failed, 1 passed in 75.31s (0:01:15)', { passed: 1, failed: 1 }],
    ['pytest that could not collect', '===== 1 error in 1.21s =====', { passed: 0, failed: 1 }],
    ['two runs of pytest', '== 2 passed in 0.1s ==\n== 3 passed in 0.1s ==', { passed: 5, failed: 0 }],
    [
      'TAP',
      'TAP version 13\nok 1 - a\nnot ok 2 - b\n  ---\n  message: "boom"\n  ...\n1..2',
      { passed: 1, failed: 1, failures: [{ name: 'b', message: 'boom' }] },
    ],
    ['TAP with what is still to do', '1..3\nok\nnot ok 2 # TODO later\nok 3 # skip', { passed: 1, failed: 0, skipped: 2 }],
    ['TAP with subtests', '    not ok 1 - inner\n    1..1\nok 1 - outer\n1..1', { passed: 1, failed: 0 }],
    ['TAP one after the other', '1..1\nok 1\n1..2\nok 1\nok 2', { passed: 3 }],
    [
      'node --test',
      'ℹ tests 4\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0',
      { passed: 1, failed: 2, skipped: 1 },
    ],
  ])('the output of %s is recognised', (_what, output, counts) => {
    expect(recogniseTests({ stdout: output, stderr: '' })).toMatchObject(counts);
  });

  test.each([
    '',
    'all good',
    '2 warnings in 1.2s',
    '3 packages built in 2.5s',
    '1 error in 3s',
    'ok',
    'it is 1..3 times',
    'tests 5\npass 5\nfail 0',
  ])('output that only resembles that of a test runner is not recognised: %j', (output) => {
    expect(recogniseTests({ stdout: output, stderr: '' })).toBeUndefined();
  });
});

test('the record of failures is limited', () => {
  const cases = Array.from(
    { length: 500 },
    (_, index) => `<testcase name="${'n'.repeat(5000)}${index}"><error message="${'m'.repeat(5000)}"/></testcase>`,
  );
  const { failed, failures } = parseTestReport(`<testsuite>${cases.join('')}</testsuite>`);
  expect(failed).toBe(500);
  expect(JSON.stringify(failures).length).toBeLessThan(20_000);
});

test('a report that declares more failures than its cases show has them', () => {
  expect(parseTestReport('<testsuite tests="2" failures="1" errors="1"><testcase name="a"/></testsuite>')).toMatchObject({
    passed: 1,
    failed: 2,
  });
});

// Pieces of real reports in any order, which reaches further into the readers than letters do.
const pieces = fc.constantFrom(
  ...[
    'TAP version 13',
    '1..2',
    'ok 1',
    'not ok 2 - x',
    '# tests 2',
    '# pass 2',
    '# fail 0',
    'Bail out!',
    '== 2 passed in 0.1s ==',
    'no tests ran in 0.1s',
  ],
  ...[
    '<testsuites>',
    '</testsuites>',
    '<testcase name="a">',
    '</testcase>',
    '<failure/>',
    '<skipped/>',
    'SF:a.ts',
    'DA:1,1',
    'DA:2,x',
    'LF:1',
    'LH:2',
    'end_of_record',
  ],
  ...[
    '<coverage>',
    '</coverage>',
    '<class filename="a">',
    '</class>',
    '<line number="1" hits="1"/>',
    '<line/>',
    '<method>',
    '<source>',
    'garbage',
  ],
);
const garbage = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(pieces, { maxLength: 12 }).map((lines) => lines.join('\n')),
);
const isReadingFault = (thrown: unknown): boolean => thrown instanceof XmlFault || (thrown as Error).name === 'UnreadableReport';

test('garbage never breaks the reading of tests, and never passes without one', () => {
  fc.assert(
    fc.property(garbage, (text) => {
      for (const read of [parseTestReport, (output: string) => recogniseTests({ stdout: output, stderr: output })]) {
        try {
          const counts = read(text);
          if (counts === undefined) continue;
          expect(
            Object.values(recordOf(counts)).every((value) => Array.isArray(value) || (Number.isSafeInteger(value) && Number(value) >= 0)),
          ).toBe(true);
          if (testsRun(counts) > 0 && counts.failed === 0) expect(text).toMatch(/ok|passed|testcase|pass \d/);
        } catch (thrown) {
          expect(isReadingFault(thrown)).toBe(true);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test('garbage never breaks the reading of coverage, and never covers more than there is', () => {
  fc.assert(
    fc.property(garbage, (text) => {
      try {
        const { covered, total } = sumCoverage(parseCoverage(text), 'lines');
        expect(covered).toBeLessThanOrEqual(total);
        if (total > 0) expect(text).toMatch(/DA:|LF:|<line/);
      } catch (thrown) {
        expect(isReadingFault(thrown)).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});
