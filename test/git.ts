// Owns git as the tests call it: as Ann, whatever the machine says of its user.

import { execFileSync } from 'node:child_process';

const ANN = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];

/** What git answers in a folder. */
export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...ANN, ...args], { cwd, encoding: 'utf8' }).trim();
}
