// Owns the agreement between the documents and the files and tests that they name: every test that a page cites exists,
// and a page of docs/internals names every file of its folder, and none that does not exist.

/** A page of the documents. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** The repository as the pages see it: its files, and their text. */
export interface Files {
  readonly paths: readonly string[];
  readonly read: (path: string) => string;
}

const TEST_FILE = /`([\w./*-]+\.test\.tsx?)`/g;

/** Test files that a page names and that do not exist, and titles of tests in its tables that none of their files has. */
export function citedTestViolations({ path: page, text }: Page, { paths, read }: Files): string[] {
  const named = [...text.matchAll(TEST_FILE)].map(([, name = '']) => name);
  const unknown = named.filter((name) => matching(name, paths).length === 0).map((name) => `${page} names ${name}, which does not exist`);
  const pageTests = named.flatMap((name) => matching(name, paths));
  const wrong = citations(text).flatMap(({ file, title }) => {
    const tests = file === undefined ? pageTests : matching(file, paths);
    const hasTitle = tests.some((test) => read(test).replaceAll('\\', '').includes(title));
    return hasTitle ? [] : [`${page} cites "${title}", which is not in ${file ?? 'a test that the page names'}`];
  });
  return [...unknown, ...wrong];
}

interface Citation {
  /** Undefined where a cell has only the title: the test is in a file that the page names elsewhere. */
  readonly file: string | undefined;
  readonly title: string;
}

/** The titles in the last cells of tables whose last column has tests. */
function citations(text: string): Citation[] {
  return tables(text)
    .filter(({ header }) => /\btests?\b|^shown by$/i.test(header.at(-1) ?? ''))
    .flatMap(({ rows }) => rows.flatMap((row) => cellCitations(row.at(-1) ?? '')));
}

function cellCitations(cell: string): Citation[] {
  let file: string | undefined;
  return [...cell.matchAll(/`([\w./*-]+\.tsx?)`|"([^"]+)"/g)].flatMap(([, name, title]) => {
    file = name ?? file;
    return title === undefined ? [] : [{ file, title }];
  });
}

function tables(text: string): { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }[] {
  return [...text.matchAll(/^(\|.*)\n\|[-:| ]+\|\n((?:\|.*\n?)*)/gm)].map(([, header = '', rows = '']) => ({
    header: cellsOf(header),
    rows: rows.split('\n').filter(Boolean).map(cellsOf),
  }));
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Paths that a name means: a path from the root, or the end of one. `*` stands for part of a name, `<kind>` for a folder. */
function matching(name: string, paths: readonly string[]): readonly string[] {
  const pattern = name
    .split(/(\*|<\w+>)/)
    .map((part) => (/^(?:\*|<\w+>)$/.test(part) ? '[^/]*' : part.replaceAll(/[.$+]/g, '\\$&')))
    .join('');
  const ending = name.endsWith('/') ? '' : '$';
  const expression = new RegExp(`(?:^|/)${pattern}${ending}`);
  return paths.filter((path) => expression.test(path));
}

/** Files of a folder of src that its page does not name, itself or with the folder they are in, and names of files that do not exist. */
export function fileTableViolations({ path: page, text }: Page, sources: readonly string[], paths: readonly string[]): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const names = [...prose.matchAll(/`([^`\s]+(?:\.tsx?|\/))`/g)]
    .map(([, name = '']) => name)
    .filter((name) => /^[\w<*][\w.*<>/-]*$/.test(name));
  const covered = new Set(names.flatMap((name) => matching(name, sources)));
  const missing = sources.filter((path) => !covered.has(path)).map((path) => `${page} does not name ${path}, or its folder`);
  const unknown = [...new Set(names)]
    .filter((name) => matching(name, paths).length === 0)
    .map((name) => `${page} names ${name}, which does not exist`);
  return [...missing, ...unknown];
}
