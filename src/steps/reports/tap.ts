// Parses the Test Anything Protocol: plans, points, and the summary that node --test adds. Only points that are not
// indented count, because the point of a parent includes those of its subtests.

import { createTestCounts, type TestCounts, type TestFailure, UnreadableReport } from './test-counts.ts';

const PLAN = /^1\.\.(\d{1,9})(?:\s*#.*)?$/;
const POINT = /^(not )?ok\b(?:\s+\d+)?(?:\s*-)?\s*(.*)$/;
const DIRECTIVE = /\s#\s*(skip|todo)\b/i;
const BAIL_OUT = /^Bail out!\s*(.*)$/i;
const ERROR_LINE = /^\s+(?:error|message):\s*(?:'(.*)'|"(.*)"|(?![|>])(.*))$/;
const SUMMARY = /^# (tests|pass|fail|cancelled|skipped|todo) (\d{1,9})$/;

/** Whether a text is TAP: it has the version line, or a plan and points. */
export function isTap(lines: readonly string[]): boolean {
  if (lines.some((line) => /^TAP version 1[34]$/.test(line))) return true;
  const plans = lines.filter((line) => PLAN.test(line));
  return plans.length > 0 && (lines.some((line) => /^(not )?ok\b/.test(line)) || plans.some((line) => /^1\.\.0\b/.test(line)));
}

/** The counts of TAP output. Throws if points are missing, because their results are unknown. */
export function parseTap(lines: readonly string[]): TestCounts {
  const tally = new TapTally();
  for (const line of lines) tally.line(line.trimEnd());
  return tally.counts();
}

class TapTally {
  #planned: number | undefined;
  #points = 0;
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  #bailedOut = false;
  readonly #summary = new Map<string, number>();
  readonly #failures: { name: string; message: string }[] = [];
  #diagnosed: { message: string } | undefined;

  line(line: string): void {
    const plan = PLAN.exec(line);
    const point = POINT.exec(line);
    const summary = SUMMARY.exec(line);
    const bail = BAIL_OUT.exec(line);
    if (plan !== null) this.#planned = (this.#planned ?? 0) + Number(plan[1]);
    else if (point !== null) this.#point(point[1] === undefined, point[2] ?? '');
    else if (summary !== null) this.#summary.set(summary[1] as string, (this.#summary.get(summary[1] as string) ?? 0) + Number(summary[2]));
    else if (bail !== null) this.#bail(bail[1] ?? '');
    else this.#diagnose(line);
  }

  #point(ok: boolean, text: string): void {
    this.#points += 1;
    this.#diagnosed = undefined;
    const directive = DIRECTIVE.exec(` ${text}`)?.[1]?.toLowerCase();
    // A test marked "todo" is expected to fail; one that passes anyway counts as passed.
    if (directive === 'skip' || (directive === 'todo' && !ok)) this.#skipped += 1;
    else if (ok) this.#passed += 1;
    else {
      this.#failed += 1;
      this.#diagnosed = { message: '' };
      this.#failures.push(Object.assign(this.#diagnosed, { name: text }));
    }
  }

  #bail(why: string): void {
    this.#bailedOut = true;
    this.#failed += 1;
    this.#failures.push({ name: 'Bail out!', message: why });
  }

  #diagnose(line: string): void {
    const found = this.#diagnosed === undefined ? null : ERROR_LINE.exec(line);
    if (found === null || this.#diagnosed === undefined) return;
    this.#diagnosed.message = found[1] ?? found[2] ?? found[3] ?? '';
    this.#diagnosed = undefined;
  }

  counts(): TestCounts {
    const { passed, failed, skipped } = this.#summed() ?? this.#counted();
    return createTestCounts({ passed, failed, skipped, failures: this.#failures as readonly TestFailure[] });
  }

  #counted(): { passed: number; failed: number; skipped: number } {
    if (!this.#bailedOut && this.#planned !== this.#points) {
      const planned = this.#planned === undefined ? 'it has no plan' : `its plan is for ${this.#planned} tests`;
      throw new UnreadableReport(`the TAP output is incomplete: ${planned}, but ${this.#points} arrived`);
    }
    return { passed: this.#passed, failed: this.#failed, skipped: this.#skipped };
  }

  // The summary of node --test also counts the tests inside of others.
  #summed(): { passed: number; failed: number; skipped: number } | undefined {
    const count = (name: string): number => this.#summary.get(name) ?? 0;
    if (!this.#summary.has('tests') || !this.#summary.has('pass') || !this.#summary.has('fail')) return undefined;
    const failed = Math.max(count('fail') + count('cancelled'), this.#failed);
    return { passed: count('pass'), failed, skipped: count('skipped') + count('todo') };
  }
}
