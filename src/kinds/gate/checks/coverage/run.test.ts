import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { traitsIn } from '../../../../../test/gate-rig.ts';
import { tempFolder } from '../../../../../test/temp-folder.ts';
import type { JsonObject } from '../../../../base/json.ts';
import { createAttemptRequest } from '../../../../proof/attempt-request.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { createAttemptRunner } from '../../../../steps/runner.ts';
import { REGISTRY } from '../../../registry.ts';
import { coverageCheck } from './check.ts';

let cwd = '';
beforeEach(() => {
  cwd = tempFolder();
});

function save(path: string, text: string): string {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
// A gate that began at the given time; by default before everything.
const look = (config: JsonObject, now: () => number = () => 0) =>
  createAttemptRunner(
    { cwd, now },
    REGISTRY,
  )(createAttemptRequest({ kind: 'gate', config: { checks: [{ check: 'coverage', ...config }] } }));
const unclear = (error: string | RegExp) => ({ type: 'errored', checks: [{ passed: null, error: expect.stringMatching(error) }] });

const lines = (path: string, covered: number, total: number): string =>
  `SF:${path}\n${Array.from({ length: total }, (_, index) => `DA:${index + 1},${index < covered ? 2 : 0}\n`).join('')}end_of_record\n`;

describe('coverage', () => {
  test('is counted over all files and kept as data', async () => {
    save('coverage/lcov.info', `TN:\n${lines('src/a.ts', 5, 6)}${lines('src/b.ts', 2, 2)}`);
    expect(await look({ minimum: '80%' })).toMatchObject({
      outcome: 'ok',
      output: { passed: true, coverage: 87.5 },
      checks: [{ passed: true, result: { coverage: 87.5, covered: 7, total: 8, report: 'coverage/lcov.info' } }],
    });
    expect(await look({ minimum: 88 })).toMatchObject({
      outcome: 'fail',
      output: {
        passed: false,
        coverage: 87.5,
        failed_checks: ['coverage: line coverage is 87.5% (7 of 8), but at least 88% is required'],
      },
    });
  });

  test('the coverage of a file that is reported twice is the union of both test runs', async () => {
    save('lcov.info', `SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\nSF:a.ts\nDA:1,0\nDA:2,3\nDA:3,0\nend_of_record\n`);
    expect(await look({ minimum: 50 })).toMatchObject({ outcome: 'ok', checks: [{ result: { covered: 2, total: 3 } }] });
  });

  test('is never rounded up', async () => {
    save('lcov.info', lines('a.ts', 79_999, 100_000));
    expect(await look({ minimum: '80%' })).toMatchObject({ outcome: 'fail', output: { coverage: 79.99 } });
    expect(await look({ minimum: '79.999%' })).toMatchObject({ outcome: 'ok' });
  });

  test.each<[string, number]>([
    ['lines', 100],
    ['branches', 50],
    ['functions', 33.33],
  ])('is of %s when that is the metric', async (metric, coverage) => {
    const branches = 'BRDA:1,0,0,3\nBRDA:1,0,1,-\n';
    const functions = 'FN:1,f\nFNDA:1,f\nFNDA:0,g\nFNDA:0,h\n';
    save('lcov.info', `SF:a.ts\nDA:1,1\n${branches}${functions}end_of_record\n`);
    expect(await look({ minimum: 10, metric })).toMatchObject({ outcome: 'ok', output: { coverage } });
  });

  test('is of the named paths, however they and the report spell them', async () => {
    save('lcov.info', lines('src/core/a.ts', 1, 4) + lines(join(cwd, 'src/core/b.ts'), 4, 4) + lines('src/other.ts', 8, 8));
    for (const path of ['src/core/**', './src/core/**'])
      expect(await look({ minimum: 60, paths: [path] })).toMatchObject({
        outcome: 'ok',
        checks: [{ result: { covered: 5, total: 8 } }],
      });
  });

  test('coverage in Cobertura XML is counted by its lines, with sources and inner classes', async () => {
    const report = (source: string): string => `<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="1" version="7.4"><sources><source>${source}</source></sources><packages><package name="."><classes>
<class name="a.py" filename="a.py" line-rate="1"><methods><method name="f" signature="()"><lines><line number="1" hits="3"/></lines></method></methods>
<lines><line number="1" hits="3"/><line number="2" hits="0" branch="true" condition-coverage="50% (1/2)"/></lines></class>
<class name="a.py$1" filename="a.py"><methods/><lines><line number="2" hits="1"/><line number="3" hits="0"/></lines></class>
</classes></package></packages></coverage>`;
    save('coverage.xml', report(join(cwd, 'src')));
    const asked = { minimum: 66, paths: ['src/*.py'] };
    expect(await look(asked)).toMatchObject({ outcome: 'ok', checks: [{ result: { coverage: 66.66, covered: 2, total: 3 } }] });
    expect(await look({ ...asked, metric: 'branches' })).toMatchObject({ outcome: 'fail', output: { coverage: 50 } });
    expect(await look({ ...asked, metric: 'functions' })).toMatchObject({ outcome: 'ok', output: { coverage: 100 } });
  });

  test('a coverage report that a program of the same gate writes is fresh', async () => {
    save('lcov.info', lines('a.ts', 0, 4));
    const text = lines('a.ts', 4, 4).replaceAll('\n', '\\n');
    const checks = [
      { check: 'command', run: `printf '${text}' > lcov.info` },
      { check: 'coverage', minimum: 80 },
    ];
    const run = createAttemptRunner({ cwd, now: Date.now }, REGISTRY);
    expect(await run(createAttemptRequest({ kind: 'gate', config: { checks } }))).toMatchObject({
      outcome: 'ok',
      output: { coverage: 100 },
    });
  });
});

describe('no verdict is given', () => {
  test('on a report from before the gate, and both times are named', async () => {
    const file = save('lcov.info', lines('a.ts', 4, 4));
    const old = new Date('2026-01-02T03:04:05.678Z');
    utimesSync(file, old, old);
    expect(await look({ minimum: 80 }, Date.now)).toMatchObject(
      unclear(/lcov\.info is older.*2026-01-02T03:04:05\.678Z.*this began at 20\d\d-/),
    );
  });

  test('on a report that was given a time in the future', async () => {
    const file = save('lcov.info', lines('a.ts', 4, 4));
    const future = new Date('2999-01-01T00:00:00.500Z');
    utimesSync(file, future, future);
    const later = Date.now() + 60_000;
    expect(await look({ minimum: 80 }, () => later)).toMatchObject(unclear('is older'));
  });

  test('when only the report that is not named is fresh', async () => {
    save('lcov.info', lines('a.ts', 4, 4));
    expect(await look({ minimum: 80, report: 'reports/lcov.info' })).toMatchObject(
      unclear('there is no report; searched for reports/lcov.info'),
    );
  });

  test.each<[string, string, RegExp]>([
    ['an empty report', '', /neither lcov nor Cobertura/],
    ['a report without files', 'TN:\n', /names no files/],
    ['a report without lines', 'SF:a.ts\nend_of_record\n', /has no data about lines/],
    ['a report that breaks off', 'SF:a.ts\nDA:1,1\n', /ends in the middle of a\.ts/],
    ['a report of other files', lines('lib/a.ts', 4, 4), /names no file that matches src\/\*\*/],
    ['sums that cannot be', 'SF:a.ts\nLF:1\nLH:2\nend_of_record\n', /more lines are covered than exist/],
    ['XML of another sort', '<html/>', /must be <coverage>, not <html>/],
    ['XML with declarations in a DTD', '<!DOCTYPE coverage [<!ENTITY a "b">]><coverage/>', /contains declarations/],
  ])('on %s', async (_what, text, error) => {
    save('lcov.info', text);
    expect(await look({ minimum: 80, ...(text.startsWith('SF:lib') ? { paths: ['src/**'] } : {}) })).toMatchObject(unclear(error));
  });

  test('on bytes that are no text', async () => {
    writeFileSync(join(cwd, 'lcov.info'), Buffer.from([0x53, 0x46, 0x3a, 0xff, 0xfe]));
    expect(await look({ minimum: 80 })).toMatchObject(unclear('is not UTF-8'));
  });

  test.each(['../lcov.info', '/etc/hostname', 'folder'])('on a report at %s', async (report) => {
    mkdirSync(join(cwd, 'folder'));
    expect(await look({ minimum: 80, report })).toMatchObject(unclear(/leads out of the workspace|is not a file/));
  });
});

const half = (cwd: string): void => writeFileSync(join(cwd, 'lcov.info'), 'SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n');

describeCheck(coverageCheck, {
  passes: { config: { minimum: '50%' }, arrange: half },
  fails: { config: { minimum: 51 }, arrange: half },
  cannotDecide: { config: { minimum: 50 } },
});

test('coverage declares its traits', () => {
  expect(traitsIn(coverageCheck)).toEqual({ independentOfRun: true });
});
