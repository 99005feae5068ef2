// Owns the project that the skills of the examples work on: a copy of `repository` with a history, always the same.

import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';

const HISTORY = [
  { date: '2026-01-10T09:00:00Z', message: 'Describe the log format', files: ['README.md', 'AGENTS.md', 'docs', 'package.json'] },
  { date: '2026-01-12T09:00:00Z', message: 'Add sums up', files: ['src/sum.js', 'test/sum.test.js'] },
  { date: '2026-02-20T09:00:00Z', message: 'Read logs strictly; --format replaces --json', files: ['src', 'test'] },
];

/** Runs git in a folder, as somebody whose name is the same on every machine. */
export function gitIn(folder: string, words: readonly string[], date = '2026-03-01T09:00:00Z'): string {
  const who = { name: 'Robin', email: 'robin@example.com' };
  return execFileSync('git', ['-c', `user.name=${who.name}`, '-c', `user.email=${who.email}`, '-c', 'commit.gpgsign=false', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: dirname(folder), GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  });
}

/** Makes the project in an empty folder. */
export function makeProject(folder: string): void {
  cpSync(join(import.meta.dirname, 'repository'), folder, { recursive: true });
  gitIn(folder, ['init', '--quiet', '--initial-branch=main']);
  for (const { date, message, files } of HISTORY) {
    gitIn(folder, ['add', ...files]);
    gitIn(folder, ['commit', '--quiet', '--message', message], date);
  }
}
