// PS: the time of a snapshot of a workspace with many files, of which few or none changed since the last one.

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSnapshotPlace, SnapshotRepository } from '../src/process/snapshot-repository.ts';
import { median, type Row } from './measure.ts';

const FOLDERS = 500;
const FILES = 100;
const TARGET_MS = 300;
const CHANGED = 5;

/** The rows of PS: with a few changed files, and with none. */
export async function measureSnapshots(repeats: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-snapshots-'));
  try {
    const top = join(folder, 'project');
    writeProject(top);
    const place = await findSnapshotPlace({ folder: top, leftOut: () => [], include: [], declared: [] });
    if (place === undefined) throw new Error('the project is not a git checkout');
    const repository = new SnapshotRepository(place, join(folder, 'home'));
    const first = await timeOf(() => repository.take());
    const some: number[] = [];
    const none: number[] = [];
    for (let turn = 0; turn < repeats; turn += 1) {
      for (let file = 0; file < CHANGED; file += 1) appendFileSync(join(top, nameOf(turn, file)), 'more\n');
      some.push(await timeOf(() => repository.take()));
      none.push(await timeOf(() => repository.take()));
    }
    const all = `the first one reads all and took ${first.toFixed(0)} ms`;
    return [rowOf('PS', `${CHANGED} files changed; ${all}`, some), rowOf('PSn', 'none changed', none)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(id: string, what: string, times: readonly number[]): Row {
  const ms = median(times);
  return {
    id,
    what: `snapshot of a repository with ${FOLDERS * FILES} files, ${what}`,
    measured: `${ms.toFixed(0)} ms`,
    target: `≤ ${TARGET_MS} ms`,
    met: ms <= TARGET_MS,
    json: { ms },
  };
}

function nameOf(folder: number, file: number): string {
  return join(`part${folder % 20}`, `folder${folder}`, `file${file}.txt`);
}

function writeProject(top: string): void {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(join(top, `part${folder % 20}`, `folder${folder}`), { recursive: true });
    for (let file = 0; file < FILES; file += 1) writeFileSync(join(top, nameOf(folder, file)), `${folder} ${file}\n`.repeat(40));
  }
  const git = (...words: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...words], { cwd: top });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
