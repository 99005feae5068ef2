// Owns git as the tests call it: as Ann, whatever the machine says of its user.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ANN = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];

/** What git answers in a folder. */
export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...ANN, ...args], { cwd, encoding: 'utf8' }).trim();
}

const templates = new Map<string, string>();

/** Makes a repository with the branch `main`, and these files in its first commit. The same files are committed once and copied. */
export function createRepository(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  // What is there already belongs to the first commit, too.
  if (readdirSync(folder).length > 0) return commitFirst(folder, files);
  const key = JSON.stringify(files);
  const template = templates.get(key) ?? mkdtempSync(join(tmpdir(), 'pawl-repository-'));
  if (!templates.has(key)) {
    commitFirst(template, files);
    templates.set(key, template);
    process.once('exit', () => rmSync(template, { recursive: true, force: true }));
  }
  cpSync(template, folder, { recursive: true, preserveTimestamps: true });
  // Copies are other files, which git would otherwise take for changed.
  git(folder, 'update-index', '--refresh');
}

function commitFirst(folder: string, files: Readonly<Record<string, string>>): void {
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
