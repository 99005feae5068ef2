// Parses coverage reports: the beginning of a report decides which parser is used.

import { parseCobertura } from './cobertura.ts';
import type { CoverageMetric, CoveredFile, Tally } from './covered-file.ts';
import { parseLcov } from './lcov.ts';
import { UnreadableReport } from './test-counts.ts';

/** The files of an lcov or Cobertura report. Throws for any other text. */
export function parseCoverage(text: string): CoveredFile[] {
  const start = text.trimStart();
  if (start.startsWith('<')) return parseCobertura(text);
  if (/^(?:#|TN:|SF:)/.test(start)) return parseLcov(text);
  throw new UnreadableReport('it is neither lcov nor Cobertura XML');
}

/** The coverage of all these files together. */
export function sumCoverage(files: readonly CoveredFile[], metric: CoverageMetric): Tally {
  const tallies = files.map((file) => file[metric]);
  return { covered: sumOf(tallies.map(({ covered }) => covered)), total: sumOf(tallies.map(({ total }) => total)) };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
