// Parses lcov.info, as c8, Istanbul, Vitest, gcov, cargo-llvm-cov and others write it. Lines, branches and functions
// are counted from their entries; the sums in the report count only where there are no entries.

import { type CoverageMetric, type CoveredFile, FileTally } from './covered-file.ts';
import { UnreadableReport } from './test-counts.ts';

const COUNT = /^-?\d{1,15}$/;
const SUMS: Readonly<Record<string, readonly [CoverageMetric, 'found' | 'hit']>> = {
  LF: ['lines', 'found'],
  LH: ['lines', 'hit'],
  BRF: ['branches', 'found'],
  BRH: ['branches', 'hit'],
  FNF: ['functions', 'found'],
  FNH: ['functions', 'hit'],
};

/** The files of an lcov report. Throws for an invalid or incomplete one. */
export function parseLcov(text: string): CoveredFile[] {
  const reader = new LcovReader();
  let number = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    number += 1;
    reader.line(text.slice(from, end === -1 ? text.length : end).trim(), number);
    from = end === -1 ? text.length : end + 1;
  }
  return reader.files();
}

class LcovReader {
  readonly #tallies = new Map<string, FileTally>();
  #name: string | undefined;
  #sums = new Map<CoverageMetric, { found?: number; hit?: number }>();

  line(line: string, number: number): void {
    if (line === '' || line.startsWith('#')) return;
    if (line === 'end_of_record') return this.#endRecord(number);
    const colon = line.indexOf(':');
    const [tag, value] = [line.slice(0, colon), line.slice(colon + 1)];
    if (colon < 1 || !/^[A-Z]+$/.test(tag)) throw new UnreadableReport(`line ${number} is not a line of lcov`);
    if (tag === 'SF') this.#startRecord(value, number);
    else if (tag !== 'TN') this.#entry(tag, value, number);
  }

  files(): CoveredFile[] {
    if (this.#name !== undefined) throw new UnreadableReport(`it ends in the middle of ${this.#name}`);
    return [...this.#tallies].map(([name, tally]) => tally.file([name]));
  }

  #startRecord(name: string, number: number): void {
    if (this.#name !== undefined || name === '')
      throw new UnreadableReport(`line ${number} begins a file inside another one, or without a name`);
    this.#name = name;
    if (!this.#tallies.has(name)) this.#tallies.set(name, new FileTally());
  }

  #endRecord(number: number): void {
    const tally = this.#current(number);
    for (const [metric, { found, hit }] of this.#sums) {
      if (found === undefined || hit === undefined) continue;
      if (hit > found) throw new UnreadableReport(`line ${number}: more ${metric} are covered than exist`);
      tally.declare(metric, { covered: hit, total: found });
    }
    this.#sums = new Map();
    this.#name = undefined;
  }

  #entry(tag: string, value: string, number: number): void {
    const tally = this.#current(number);
    const parts = value.split(',');
    const [first = '', second = '', third = '', fourth = ''] = parts;
    const sum = Object.hasOwn(SUMS, tag) ? SUMS[tag] : undefined;
    if (sum !== undefined) this.#sums.set(sum[0], { ...this.#sums.get(sum[0]), [sum[1]]: countOf(first, number) });
    else if (tag === 'DA') tally.count('lines', String(countOf(first, number)), countOf(second, number) > 0);
    else if (tag === 'BRDA') tally.count('branches', `${first},${second},${third}`, fourth !== '-' && countOf(fourth, number) > 0);
    else if (tag === 'FNDA') tally.count('functions', parts.slice(1).join(','), countOf(first, number) > 0);
    else if (tag === 'FNA') tally.count('functions', parts.slice(2).join(','), countOf(second, number) > 0);
  }

  #current(number: number): FileTally {
    const tally = this.#name === undefined ? undefined : this.#tallies.get(this.#name);
    if (tally === undefined) throw new UnreadableReport(`line ${number} belongs to no file`);
    return tally;
  }
}

// gcov writes a negative count when a counter has overflowed; such a line counts as not covered.
function countOf(text: string, number: number): number {
  if (!COUNT.test(text)) throw new UnreadableReport(`line ${number} has no number where lcov has one`);
  return Number(text);
}
