// Owns the coverage of one file. A report may list a file several times, once for each test run or class: a line counts as
// covered if any of them covers it.

/** The kinds of entries that are counted. */
export type CoverageMetric = 'lines' | 'branches' | 'functions';

/** How many of all lines, branches or functions are covered. */
export interface Tally {
  readonly covered: number;
  readonly total: number;
}

/** A file with all its names, and its coverage. */
export interface CoveredFile extends Readonly<Record<CoverageMetric, Tally>> {
  readonly names: readonly string[];
}

/** Counts the entries of a report about one file. */
export class FileTally {
  readonly #seen: Readonly<Record<CoverageMetric, Map<string, Tally>>> = { lines: new Map(), branches: new Map(), functions: new Map() };
  readonly #declared = new Map<CoverageMetric, Tally>();

  /** Counts one line, branch or function; `tally` is for a line with several branches. */
  count(metric: CoverageMetric, key: string, found: boolean | Tally): void {
    const tally = typeof found === 'boolean' ? { covered: found ? 1 : 0, total: 1 } : found;
    const known = this.#seen[metric].get(key);
    if (known === undefined || tally.covered > known.covered) this.#seen[metric].set(key, tally);
  }

  /** Uses the report's own totals, for reports without entries. */
  declare(metric: CoverageMetric, tally: Tally): void {
    this.#declared.set(metric, tally);
  }

  /** The file with everything that was counted. */
  file(names: readonly string[]): CoveredFile {
    return { names, lines: this.#sum('lines'), branches: this.#sum('branches'), functions: this.#sum('functions') };
  }

  #sum(metric: CoverageMetric): Tally {
    let [covered, total] = [0, 0];
    for (const tally of this.#seen[metric].values()) {
      covered += tally.covered;
      total += tally.total;
    }
    return total > 0 ? { covered, total } : (this.#declared.get(metric) ?? { covered, total });
  }
}
