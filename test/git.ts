// Owns git as the tests call it: as Ann, whatever the machine says of its user.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ANN = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];

/** What git answers in a folder. */
export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...ANN, ...args], { cwd, encoding: 'utf8' }).trim();
}

/** Makes a repository with the branch `main`, and these files in its first commit. */
export function createRepository(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  commitAll(folder, 'first');
}

/** Commits everything in a folder. */
export function commitAll(folder: string, message: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '-m', message);
}
