// Parses JUnit XML, as pytest, Maven, Gradle, Jest, Vitest, Go and many others write it. The test cases are counted; if
// the root declares more failures than there are failed cases, its number counts.

import { createTestCounts, type TestCounts, type TestFailure, UnreadableReport } from './test-counts.ts';
import { readXml, type XmlVisitor } from './xml.ts';

const VERDICTS = new Set(['failure', 'error', 'skipped']);

/** The counts of a JUnit report. Throws for any other text. */
export function parseJunit(text: string): TestCounts {
  const tally = new JunitTally();
  readXml(text, tally);
  return tally.counts();
}

interface Case {
  readonly name: string;
  verdict?: string;
  message?: string;
}

class JunitTally implements XmlVisitor {
  #root: { readonly declared: number } | undefined;
  #case: Case | undefined;
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  readonly #failures: TestFailure[] = [];

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#root ??= { declared: declaredFailures(name, attributes) };
    if (name === 'testcase') {
      if (this.#case !== undefined) throw new UnreadableReport('a <testcase> is nested in another one');
      this.#case = { name: [attributes.get('classname') ?? '', attributes.get('name') ?? ''].filter((part) => part !== '').join('::') };
    } else if (this.#case !== undefined && VERDICTS.has(name) && isWorse(name, this.#case.verdict)) {
      this.#case.verdict = name;
      this.#case.message = attributes.get('message') ?? attributes.get('type') ?? '';
    }
  }

  close(name: string): void {
    if (name !== 'testcase' || this.#case === undefined) return;
    const { name: test, verdict, message = '' } = this.#case;
    this.#case = undefined;
    if (verdict === undefined) this.#passed += 1;
    else if (verdict === 'skipped') this.#skipped += 1;
    else {
      this.#failed += 1;
      this.#failures.push({ name: test, message });
    }
  }

  counts(): TestCounts {
    const failed = Math.max(this.#failed, this.#root?.declared ?? 0);
    return createTestCounts({ passed: this.#passed, failed, skipped: this.#skipped, failures: this.#failures });
  }
}

// A case can have several verdicts, such as a failure and an error of its clean-up.
function isWorse(verdict: string, than: string | undefined): boolean {
  return than === undefined || (than === 'skipped' && verdict !== 'skipped');
}

function declaredFailures(root: string, attributes: ReadonlyMap<string, string>): number {
  if (root !== 'testsuites' && root !== 'testsuite')
    throw new UnreadableReport(`the root of a JUnit report must be <testsuites> or <testsuite>, not <${root.slice(0, 40)}>`);
  const counts = ['failures', 'errors'].map((name) => attributes.get(name) ?? '0');
  if (!counts.every((count) => /^\d{1,9}$/.test(count))) throw new UnreadableReport('the count of failures in its root is not a number');
  return counts.reduce((sum, count) => sum + Number(count), 0);
}
