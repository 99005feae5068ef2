// Checks the numbered invariants that files open with (`// K3. A final run …`): a number stands for one rule in all of the
// code. In the folders of `PROVEN` the title of a test or an assertion cites it; elsewhere a page of docs/internals or a
// comment may. A rule that nothing cites needs no number.

import { isTest, type Source } from './source.ts';

const DEFINITION = /^\/\/ ([A-Z]{1,2}\d{1,2})\. /gm;
// In the title of a test, an assertion, or in brackets.
const NAMED = /(?<=['`"(])([A-Z]{1,2}[1-9]\d?)(?=: |\)|, [A-Z]{1,2}\d)/g;
// At the start of the title of a test, or of the text of an assertion, alone or in a list.
const PROOF = /(?<=['`"])(?:[A-Z]{1,2}[1-9]\d?, )*[A-Z]{1,2}[1-9]\d?(?=: )/g;
const PROVEN: readonly string[] = ['src/engine/', 'src/safe-db/', 'src/store/'];
const CITATION = /(?<![\w.-])([A-Z]{1,2}\d{1,2})(?=[:,;)*\s'])/g;

/** Numbers that two rules share, numbers that nothing cites, and citations of a number that no rule has. A case of `CASES` is no rule. */
export function invariantViolations(
  sources: readonly Pick<Source, 'path' | 'text'>[],
  pages: readonly string[] = [],
  cases: ReadonlySet<string> = new Set(),
): string[] {
  const defined = new Map<string, string[]>();
  const cited = new Set<string>();
  const proven = new Set<string>();
  for (const { path, text } of sources) {
    if (!isTest(path)) for (const [, label = ''] of text.matchAll(DEFINITION)) defined.set(label, [...(defined.get(label) ?? []), path]);
    for (const [, label = ''] of text.replaceAll(DEFINITION, '').matchAll(CITATION)) cited.add(label);
    for (const [labels] of text.matchAll(PROOF)) for (const label of labels.split(', ')) proven.add(label);
  }
  for (const page of pages) for (const [, label = ''] of page.matchAll(CITATION)) cited.add(label);
  const unknown = sources.flatMap(({ path, text }) =>
    [...text.matchAll(NAMED)].flatMap(([, label = '']) =>
      defined.has(label) || cases.has(label) ? [] : [`${path} cites ${label}, which is the number of no rule`],
    ),
  );
  const rules = [...defined].flatMap(([label, paths]) => [
    ...(paths.length > 1 ? [`${label} is defined in ${paths.join(' and ')}; give each rule a number of its own`] : []),
    ...(cited.has(label) ? [] : [`${paths[0]} numbers ${label}, which nothing cites; cite it or write a dash`]),
    ...(proven.has(label) || !PROVEN.some((folder) => paths[0]?.startsWith(folder))
      ? []
      : [`${paths[0]} numbers ${label}, which no test and no assertion cites; name it in the title of a test`]),
  ]);
  return [...rules, ...new Set(unknown)];
}
