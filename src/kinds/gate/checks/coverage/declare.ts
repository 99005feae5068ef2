// Owns what the check `coverage` declares: how much of the code the tests must have run, and which report says so.

import type { Json } from '../../../../base/json.ts';
import { type CheckDeclaration, isSelection, validateReport } from '../../../../definition/check.ts';
import { parsePercent } from './percent.ts';

const METRICS: readonly Json[] = ['line', 'branch', 'function', 'lines', 'branches', 'functions'];

/** `{ minimum, metric?, paths?, report? }`. */
export const coverageCheck: CheckDeclaration = {
  name: 'coverage',
  validate({ minimum, metric, paths, report: place }, report) {
    if (parsePercent(minimum) === undefined)
      report.fault('its minimum is no share', 'write it in percent, as 80% or 80; a number up to 1 could mean two things and is refused');
    if (metric !== undefined && !METRICS.includes(metric)) report.fault('its metric is none', 'write lines, branches or functions');
    if (!isSelection(paths)) report.fault('its paths are no patterns', 'write them as paths: ["src/**"]');
    validateReport(place, report);
  },
};
