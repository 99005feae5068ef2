// Declares the check `coverage`: how much of the code the tests must have run, and the report that shows it.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckDeclaration, declareCheck, isSelection, readReport } from '../../../../definition/check.ts';
import { oneOf } from '../../../../definition/field-reader.ts';
import { patternCost } from '../../../../definition/pattern.ts';
import { parsePercent } from './percent.ts';

const METRICS = ['line', 'branch', 'function', 'lines', 'branches', 'functions'] as const;

const USUAL_REPORTS = ['**/coverage.xml', '**/*cobertura*.xml', '**/lcov.info', 'coverage/**'];

/** The least coverage in percent. */
export type CoverageCheck = {
  readonly minimum: number | string;
  readonly metric?: (typeof METRICS)[number];
  /** The files that are counted; all of the report without it. */
  readonly paths?: readonly string[];
  readonly report?: string;
};

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    coverage: CoverageCheck;
  }
}

/** How much of the code the tests ran. */
export const coverageCheck: CheckDeclaration = declareCheck({
  name: 'coverage',
  independentOfRun: true,
  reports: ({ report }) => (report === undefined ? USUAL_REPORTS : [report]),
  fields(read, report) {
    const paths = read.optional('paths', isSelection, ['`paths` must be a list of patterns', 'write them as paths: ["src/**"]']);
    for (const path of paths ?? []) {
      const cost = patternCost(path);
      if (cost !== undefined) report.fault(`\`paths\` has the pattern "${path}": ${cost}`, 'write a simpler pattern, such as src/**');
    }
    return {
      check: 'coverage',
      minimum: read.required('minimum', isPercent, NO_PERCENT) ?? 0,
      ...omitUndefined({
        metric: read.optional('metric', oneOf(...METRICS), [
          '`metric` must be lines, branches or functions',
          'write one of them, or leave it out for lines',
        ]),
        paths,
        report: readReport(read),
      }),
    };
  },
});

const NO_PERCENT = [
  '`minimum` must be a percentage, such as 80%',
  'write 80% or 80; a number up to 1 is rejected, because it could mean two things',
] as const;

function isPercent(value: unknown): value is number | string {
  return parsePercent(value) !== undefined;
}
