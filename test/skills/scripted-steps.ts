// Owns what a scripted agent does in the steps of a skill, and what it writes as a reviewer: items once, then verdicts and a
// challenge each round.

import { writeAll } from './scripted-project.ts';

/** What the agent does in a step: files that it writes, and what it reports. */
export interface ScriptedStep {
  readonly files?: Readonly<Record<string, string>>;
  readonly result?: Readonly<Record<string, unknown>>;
  /** Work beside writing files. */
  readonly work?: (root: string) => void;
}

/** Does what the script says for a step. */
export function act(root: string, { files = {}, work }: ScriptedStep): void {
  work?.(root);
  writeAll(root, files);
}

/** Steps of skills by `SKILL/STEP`. */
export type ScriptedSteps = Readonly<Record<string, () => ScriptedStep>>;

/** Three passages of the project before the change. */
export const QUOTES = `> export function exportRows(rows) {
> — src/export.js:2

> // Rows come sorted by day.
> — src/export.js:1

> \`exportRows(rows)\` writes a line per row: the day and the value.
> — README.md:3
`;

/** A value as a JSON document. */
export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A review: its sub-skill, its documents, which items fail, and the passages that it quotes. */
interface ScriptedReview {
  readonly skill: string;
  readonly at: string;
  readonly prefix: string;
  readonly round: number;
  readonly fails?: readonly number[];
  readonly quotes?: string;
  /** What it finds in the first round beside the items: it joins them, and later rounds verify it. */
  readonly finding?: string;
}

/** The steps of a reviewer. */
export function review({ skill, at, prefix, round, fails = [], quotes = QUOTES, finding }: ScriptedReview): ScriptedSteps {
  const slug = at.split('/').at(-1);
  const ids = Array.from({ length: 8 }, (_, index) => index + 1);
  const items = ids.map((n) => ({
    id: `${prefix}-${n}`,
    severity: n < 6 ? 'MUST' : 'SHOULD',
    question: `What does the ${slug} say about case ${n} of the range?`,
    look: n % 2 === 0 ? `src/export.js and the ${slug}` : `I-1 in plan.json, for the ${slug}`,
    passes_if: `the ${slug} names the rows of case ${n}, or the error`,
  }));
  const verdicts = ids.map((n) => ({
    id: `${prefix}-${n}`,
    status: fails.includes(n) ? 'fail' : 'pass',
    evidence: fails.includes(n)
      ? `looked in I-1 for case ${n}, ${slug}; no error is named there`
      : `I-1 names what happens to the rows of case ${n}: ${slug}, round ${round}`,
  }));
  const challenge = `# Challenge, round ${round}

## Refuted

Nothing of the ${slug} was refuted in round ${round}: every case that was tried is answered.

## Held

- ${prefix}-1: an empty list of rows in the ${slug}; filter gives an empty list.
- ${prefix}-2: a caller that passes no range, for the ${slug}; the default leaves all rows.
- ${prefix}-3: a range of one day, for the ${slug}; its rows are in, the next day's are not.

${quotes}
## Outside the Items

Looked for the ${slug} at the other exports of the module: there are none.
`;
  const late = finding !== undefined && round > 1 ? [{ id: 'late-1-1', status: 'pass', evidence: `${finding} Seen: I-1 names it` }] : [];
  const seen = {
    verdicts: [...verdicts, ...late],
    findings: finding !== undefined && round === 1 ? [{ severity: 'MUST', text: finding }] : [],
  };
  const failed = fails.map((n) => `${prefix}-${n}`);
  return {
    [`${skill}/decompose`]: () => ({ files: round === 1 ? { [`${at}-items.json`]: json({ items }) } : {} }),
    [`${skill}/verify`]: () => ({ files: { [`${at}-verdicts.json`]: json(seen) } }),
    [`${skill}/challenge`]: () => ({ files: { [`${at}-challenge.md`]: challenge } }),
    [`${skill}/verdict`]: () => ({ result: { status: failed.length === 0 ? 'pass' : 'fail', failed } }),
  };
}
