// Owns the agreement between docs/internals/cases.md and the tests it names: every case of the list has a row, each row
// names a test that exists, and what does not exist yet is on a list of its own, so that it is not forgotten.

/** The ids of the list of cases, by letter. */
const CASES: Readonly<Record<string, string>> = {
  D: '01 02 03 04 05 06 08 09 11 12 13 14 16 18 19 20',
  R: '01 03 04 05 06 08 09 10 11 12',
  E: '01 02 04 05 06 08 09 11 12 13 15 16 17',
  Y: '01 02 03 04 05 07 09 10 11 12 14',
  C: '01 02 04 07 08 09 10 11 12',
  W: '01 02 03 04 05 07 08 10 12 13 14 16',
  H: '01 02 04 06 07 08 10 11 13',
  M: '01 02 04 06 07',
  G: '01 02 03 05 06 07 08 10 11',
  A: '01 02 03 04 06 07 08 09 11 12 14 15 17 18 19 20 21',
  S: '01 03 05 06 07 08',
  F: '01 03 05 06 08 09',
  B: '01 03 04 06 07 09',
  O: '01 05 06 07 08 09',
};

/** Cases about something that does not exist yet, or not all of it. Remove an id when its row names tests for all of it. */
export const NOT_YET: readonly string[] = ['R06', 'C02', 'C11', 'M01', 'A02', 'A03', 'A09', 'O08'];

/** Every id of the list. */
export const CASE_IDS: readonly string[] = Object.entries(CASES).flatMap(([letter, numbers]) =>
  numbers.split(' ').map((number) => `${letter}${number}`),
);

interface CaseRow {
  readonly id: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
  readonly isNotYet: boolean;
}

function parseRows(markdown: string): CaseRow[] {
  return [...markdown.matchAll(/^\| ([A-Z]\d\d) \| (.+) \| (.+) \|$/gm)].map(([, id = '', , tests = '']) => ({
    id,
    tests: [...tests.matchAll(/`([^`]+)` "([^"]+)"/g)].map(([, file = '', title = '']) => ({ file, title })),
    isNotYet: tests.includes('*not yet:*'),
  }));
}

/** What is wrong with the table. `read` returns the text of a file, or undefined if there is none. */
export function caseViolations(markdown: string, read: (path: string) => string | undefined): string[] {
  const rows = parseRows(markdown);
  const ids = rows.map(({ id }) => id);
  const missing = CASE_IDS.filter((id) => !ids.includes(id)).map((id) => `${id} has no row`);
  const extra = ids.filter((id, at) => !CASE_IDS.includes(id) || ids.indexOf(id) !== at).map((id) => `${id} is unknown or doubled`);
  return [...missing, ...extra, ...rows.flatMap((row) => rowViolations(row, read))].map((what) => `docs/internals/cases.md: ${what}`);
}

function rowViolations({ id, tests, isNotYet }: CaseRow, read: (path: string) => string | undefined): string[] {
  const untested = tests.length === 0 && !isNotYet ? [`${id} names no test`] : [];
  const unlisted = isNotYet === NOT_YET.includes(id) ? [] : [`${id} says "not yet" in the table or in NOT_YET, but not in both`];
  const wrong = tests.flatMap(({ file, title }) => {
    const text = read(file);
    if (text === undefined) return [`${id} names ${file}, which does not exist`];
    return text.includes(title) ? [] : [`${id} names "${title}", which is not in ${file}`];
  });
  return [...untested, ...unlisted, ...wrong];
}
