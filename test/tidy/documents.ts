// Owns the agreement between code and documents: error codes, the feature table, a page per folder, the lockfile.

import type { Source } from './source.ts';

const STATES = ['done', 'partial', 'not yet', 'not built'];
const FAMILY_SIZES: Readonly<Record<string, number>> = { S0: 32, S1: 18, S2: 46, S3: 33, S4: 23, RX: 10, BP: 23, NB: 12 };

/** Codes without a section `## CODE`, sections without a code, and sections that say too little. */
export function errorDocViolations(codes: readonly string[], markdown: string): string[] {
  const sections = new Map(
    markdown
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n')[0]?.trim() ?? '', section] as const),
  );
  const missing = codes.filter((code) => !sections.has(code)).map((code) => `docs/errors.md has no section for ${code}`);
  const unknown = [...sections.keys()]
    .filter((name) => !codes.includes(name))
    .map((name) => `docs/errors.md describes ${name}, which no code is`);
  const thin = [...sections]
    .filter(([, section]) => !/\*\*What to do\.\*\*/.test(section))
    .map(([name]) => `docs/errors.md: ${name} does not say "**What to do.**"`);
  return [...missing, ...unknown, ...thin];
}

/** One row of docs/features.md. */
export interface FeatureRow {
  readonly id: string;
  readonly feature: string;
  readonly state: string;
  readonly tests: readonly string[];
}

/** The rows of the feature table; test files are the words in backquotes of the last cell. */
export function parseFeatureRows(markdown: string): FeatureRow[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| [A-Z][A-Z0-9]-\d/.test(line))
    .map((line) => {
      const [id = '', feature = '', state = '', tests = ''] = line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim());
      return { id, feature, state, tests: [...tests.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string) };
    });
}

/** Rows that are missing, doubled, in no known state, or that claim something no test file stands behind. */
export function featureViolations(rows: readonly FeatureRow[], exists: (path: string) => boolean): string[] {
  const expected = Object.entries(FAMILY_SIZES).flatMap(([family, size]) => idsOf(family, size));
  const ids = rows.map((row) => row.id);
  const missing = expected.filter((id) => !ids.includes(id)).map((id) => `docs/features.md has no row for ${id}`);
  const extra = ids
    .filter((id, index) => !expected.includes(id) || ids.indexOf(id) !== index)
    .map((id) => `docs/features.md: ${id} is unknown or doubled`);
  return [...missing, ...extra, ...rows.flatMap((row) => rowViolations(row, exists))];
}

function idsOf(family: string, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `${family}-${String(index + 1).padStart(2, '0')}`);
}

function rowViolations(row: FeatureRow, exists: (path: string) => boolean): string[] {
  if (!STATES.includes(row.state)) return [`docs/features.md: ${row.id} is "${row.state}"; write ${STATES.join(', ')}`];
  if (row.state === 'not yet' || row.state === 'not built') return [];
  if (row.tests.length === 0) return [`docs/features.md: ${row.id} is ${row.state} but names no test`];
  return row.tests
    .filter((path) => !isTestFile(path) || !exists(path))
    .map((path) => `docs/features.md: ${row.id} names ${path}, which is no test file`);
}

function isTestFile(path: string): boolean {
  return path.endsWith('.test.ts');
}

const WALK_FILES_MAX = 20;
const WALK_LINES_MAX = 4000;

/** What is wrong with the reading list "Follow one run" of AGENTS.md: files that are not there, folders, or too much to read. */
export function readingListViolations(agents: string, sources: readonly Pick<Source, 'path' | 'text'>[]): string[] {
  const section = agents.split(/^## /m).find((part) => part.startsWith('Follow one run')) ?? '';
  const items = section.split('\n').filter((line) => /^\d+\. /.test(line));
  const paths = [...new Set(items.flatMap((item) => [...item.matchAll(/`(src\/[^`]+\.ts)`/g)].map((match) => match[1] as string)))];
  // A folder in place of its file would not be counted.
  const folders = items
    .flatMap((item) => [...item.matchAll(/`(src\/[^`]+)`/g)].map((match) => match[1] as string))
    .filter((path) => !path.endsWith('.ts'));
  const lines = paths.map((path) => sources.find((source) => source.path === path)?.text.split('\n').length);
  const total = lines.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return [
    ...paths
      .filter((_, index) => lines[index] === undefined)
      .map((path) => `AGENTS.md: "Follow one run" names ${path}, which is not there`),
    ...folders.map((folder) => `AGENTS.md: "Follow one run" names the folder ${folder}; name the file`),
    ...(paths.length === 0 || paths.length > WALK_FILES_MAX ? [`AGENTS.md: "Follow one run" has ${paths.length} files`] : []),
    ...(total > WALK_LINES_MAX ? [`AGENTS.md: "Follow one run" has ${total} lines; ${WALK_LINES_MAX} at most`] : []),
  ];
}

/** Folders of src without a page in docs/internals. */
export function internalsViolations(sources: readonly Source[], pages: readonly string[]): string[] {
  const folders = new Set(sources.map(({ path }) => /^src\/([^/]+)\//.exec(path)?.[1]).filter((folder) => folder !== undefined));
  return [...folders].filter((folder) => !pages.includes(`${folder}.md`)).map((folder) => `docs/internals/${folder}.md is missing`);
}

/** The part of a lockfile that is looked at. */
export interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly resolved?: string; readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

/** Optional packages without an entry. npm leaves out what its registry could not serve, and `npm ci` then refuses the lockfile. */
export function lockfileGaps({ packages }: Lockfile): string[] {
  const held = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !held.has(name))
      .map(
        ([name, version]) =>
          `package-lock.json: ${path} wants ${name}@${version}, which has no entry; pin a version all of whose platforms exist`,
      ),
  );
}

/** Packages whose lockfile entry names an address: the lockfile is for every registry. */
export function lockfileViolations(lockfile: Lockfile): string[] {
  return Object.entries(lockfile.packages)
    .filter(([, entry]) => entry.resolved?.includes('://'))
    .map(([name]) => `package-lock.json: ${name} names the address it came from; install with the .npmrc of the repository`);
}

/** Dependencies that are not pinned to one version. */
export function pinViolations(manifest: Readonly<Record<string, unknown>>): string[] {
  return ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries((manifest[kind] ?? {}) as Record<string, string>)
      .filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `package.json: ${kind}.${name} is "${version}"; pin one version`),
  );
}
