// Runs the check `coverage`: the tests must have run enough of the code, according to a fresh report.

import { realpath } from 'node:fs/promises';
import { isAbsolute, posix, relative, sep } from 'node:path';
import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, notRunVerdict } from '../../../../steps/check.ts';
import { readFreshReport } from '../../../../steps/report-file.ts';
import { parseCoverage, sumCoverage } from '../../../../steps/reports/coverage-report.ts';
import type { CoverageMetric, CoveredFile, Tally } from '../../../../steps/reports/covered-file.ts';
import { matches } from '../../../../steps/workspace/glob.ts';
import type { CoverageCheck } from './declare.ts';
import { parsePercent } from './percent.ts';

const USUAL_PLACES = [
  'coverage/lcov.info',
  'lcov.info',
  'coverage/cobertura-coverage.xml',
  'coverage.xml',
  'cobertura.xml',
  'coverage/coverage.xml',
  'coverage/cobertura.xml',
  'target/site/cobertura/coverage.xml',
  'target/llvm-cov/lcov.info',
];
const NOUNS: Readonly<Record<CoverageMetric, string>> = { lines: 'line', branches: 'branch', functions: 'function' };

/** `{ minimum, metric?, paths?, report? }`: passes if the tests ran at least that much. Without a fresh report there is no verdict. */
export async function run(config: CheckOf<'coverage'>, { cwd, startedAt }: CheckContext): Promise<CheckVerdict> {
  const minimum = parsePercent(config.minimum);
  if (minimum === undefined) return unclear('`minimum` must be a percentage, such as 80%');
  const places = config.report === undefined ? USUAL_PLACES : [config.report];
  const report = await readFreshReport({ cwd, places, since: startedAt });
  if ('refusal' in report) return unclear(report.refusal, config.report === undefined ? '; or set its path with report: PATH' : '');
  const metric = metricOf(config.metric);
  const selection = await select(parseCoverage(report.text), config, cwd);
  if ('refusal' in selection) return unclear(`the report ${report.path} ${selection.refusal}`);
  const tally = sumCoverage(selection.files, metric);
  if (tally.total === 0) return unclear(`the report ${report.path} has no data about ${metric}`);
  return conclude(tally, { minimum, metric, report: report.path });
}

function unclear(error: string, hint = ''): CheckVerdict {
  return notRunVerdict(`${error}${hint}`);
}

function metricOf(value: CoverageCheck['metric']): CoverageMetric {
  if (value === 'branch' || value === 'branches') return 'branches';
  return value === 'function' || value === 'functions' ? 'functions' : 'lines';
}

interface Requirement {
  readonly minimum: number;
  readonly metric: CoverageMetric;
  readonly report: string;
}

function conclude({ covered, total }: Tally, { minimum, metric, report }: Requirement): CheckVerdict {
  // Never rounded up: 79.999 is not 80, neither in the verdict nor in the message.
  const coverage = Math.floor((covered / total) * 10_000) / 100;
  const result = { coverage, covered, total, metric, minimum, report };
  const facts = { coverage };
  if (covered * 100 >= minimum * total) return { passed: true, result, facts };
  const error = `${NOUNS[metric]} coverage is ${coverage}% (${covered} of ${total}), but at least ${minimum}% is required`;
  return { passed: false, result, error, facts };
}

type Selection = { readonly files: readonly CoveredFile[] } | { readonly refusal: string };

async function select(files: readonly CoveredFile[], config: CheckOf<'coverage'>, cwd: string): Promise<Selection> {
  if (files.length === 0) return { refusal: 'names no files' };
  const patterns = (config.paths ?? []).map((path) => posix.normalize(path));
  if (patterns.length === 0) return { files };
  const root = await realpath(cwd);
  const wanted = files.filter(({ names }) => names.some((name) => isWanted(name, patterns, [cwd, root])));
  return wanted.length === 0 ? { refusal: `names no file that matches ${patterns.join(', ')}` } : { files: wanted };
}

function isWanted(name: string, patterns: readonly string[], roots: readonly string[]): boolean {
  const places = isAbsolute(name) ? roots.map((root) => relative(root, name).replaceAll(sep, '/')) : [posix.normalize(name)];
  return places.some((place) => patterns.some((pattern) => matches(place, pattern)));
}
