// Owns what the check `coverage` declares: how much of the code the tests must have run, and which report says so.

import { type CheckDeclaration, type CheckOf, isSelection, validateReport } from '../../../../definition/check.ts';
import { patternCost } from '../../../../definition/pattern.ts';
import { parsePercent } from './percent.ts';

const METRICS = ['line', 'branch', 'function', 'lines', 'branches', 'functions'] as const;

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
export const coverageCheck: CheckDeclaration = {
  name: 'coverage',
  sameInEveryRun: true,
  validate({ minimum, metric, paths, report: place }: CheckOf<'coverage'>, report) {
    if (parsePercent(minimum) === undefined)
      report.fault('`minimum` must be a percentage, such as 80%', 'write 80% or 80; a number up to 1 could mean two things and is refused');
    if (metric !== undefined && !METRICS.includes(metric))
      report.fault('`metric` must be lines, branches or functions', 'write one of them, or leave it out for lines');
    if (!isSelection(paths)) report.fault('`paths` must be a list of patterns', 'write them as paths: ["src/**"]');
    else
      for (const path of paths ?? []) {
        const cost = patternCost(path);
        if (cost !== undefined) report.fault(`\`paths\` has the pattern "${path}": ${cost}`, 'write a simpler pattern, such as src/**');
      }
    validateReport(place, report);
  },
};
