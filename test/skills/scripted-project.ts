// Owns the small project that scripted agents change: one module, its test and a README, and the change itself, as files and
// as diffs.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const EXPORT_JS = `// Rows come sorted by day.
export function exportRows(rows) {
  return rows.map(({ day, value }) => \`\${day};\${value}\`).join('\\n');
}
`;

const TEST_JS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportRows } from './export.js';

const rows = [1, 2, 3].map((n) => ({ day: \`2026-01-0\${n}\`, value: n }));

test('all rows are written, a line each', () => {
  assert.equal(exportRows(rows), '2026-01-01;1\\n2026-01-02;2\\n2026-01-03;3');
});
`;

const README = `# Export

\`exportRows(rows)\` writes a line per row: the day and the value.
`;

/** Writes the project that the change is planned for, and commits it. */
export function createProject(root: string): void {
  writeAll(root, {
    'src/export.js': EXPORT_JS,
    'src/export.test.js': TEST_JS,
    'README.md': README,
    'package.json': '{ "name": "export", "type": "module" }\n',
    '.gitignore': 'pawl.db*\nnotes\n',
  });
  git(root, 'init', '--quiet', '--initial-branch=main');
  commit(root, 'The export');
}

/** Writes files of the project. */
export function writeAll(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Runs git in the project. */
export function git(root: string, ...words: string[]): string {
  return execFileSync('git', ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.invalid', ...words], {
    cwd: root,
    encoding: 'utf8',
  });
}

/** Commits everything. */
export function commit(root: string, message: string): void {
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', message);
}

const CHANGED_JS = EXPORT_JS.replace('exportRows(rows) {', 'exportRows(rows, { from, to } = {}) {').replace(
  '  return rows.map',
  `  if (from !== undefined && to !== undefined && to < from) throw new RangeError(\`the range ends (\${to}) before it begins (\${from})\`);
  // Days are ISO dates, so that their order as texts is their order in time.
  const inside = rows.filter(({ day }) => (from === undefined || day >= from) && (to === undefined || day < to));
  return inside.map`,
);

const CHANGED_TEST = `${TEST_JS}
test('a range leaves out its end', () => {
  assert.equal(exportRows(rows, { from: '2026-01-01', to: '2026-01-03' }), '2026-01-01;1\\n2026-01-02;2');
});

test('a range that ends before it begins is refused', () => {
  assert.throws(() => exportRows(rows, { from: '2026-01-03', to: '2026-01-01' }), /the range ends/);
});
`;

const CHANGED_README = `${README}
\`exportRows(rows, { from, to })\` writes the rows from the day \`from\` up to, but not including, the day \`to\`.
`;

/** The files of the change, as they are after it. */
export const CHANGES: Readonly<Record<string, string>> = {
  'src/export.test.js': CHANGED_TEST,
  'src/export.js': CHANGED_JS,
  'README.md': CHANGED_README,
};

/** Writes a diff per changed file, as git makes it. */
export function writeDiffs(root: string, folder: string): void {
  mkdirSync(join(root, folder, 'diffs'), { recursive: true });
  Object.entries(CHANGES).forEach(([path, text], index) => {
    writeFileSync(join(root, path), text);
    writeFileSync(join(root, folder, 'diffs', `0${index + 1}-C-${index + 1}.diff`), git(root, 'diff', '--', path));
    git(root, 'checkout', '--quiet', '--', path);
  });
}
