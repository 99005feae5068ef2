// An attended run survives the death of its process at every write: handing work out changes nothing in the world, so
// nothing of it is ever unknown, and no report counts twice.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { copiedPoints, folderOf } from '../../src/proof/crash/copies.ts';
import { type BundledProgram, bundleProgram } from '../bundled-program.ts';
import { tempFolder } from '../temp-folder.ts';
import type { AttendedJob } from './attended-program.ts';

const END = ['completed', 'plan#1 1 failed', 'plan#1 2 ok', 'all#1/left 1 ok', 'all#1/right 1 ok', 'all#1 1 ok', 'end#1 1 ok'];

let program: BundledProgram;
beforeAll(async () => {
  program = await bundleProgram('crash/attended-program.ts');
});
afterAll(() => program.remove());

let folder: string;
let directory: string;
beforeEach(() => {
  folder = tempFolder();
  directory = join(folder, 'run');
  mkdirSync(directory);
});

/** Brings the runs to their ends in one process. */
async function endsOf(jobs: readonly AttendedJob[]): Promise<string[][]> {
  const { file, args } = program.command;
  const { stdout } = await promisify(execFile)(file, [...args, JSON.stringify(jobs)]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}

const workIn = (of: string): string[] => readFileSync(join(of, 'work.log'), 'utf8').trim().split('\n').sort();

test('a run whose files are those of any of its writes ends as if nobody had disturbed it', async () => {
  const copies = join(folder, 'copies');
  mkdirSync(copies);
  expect(await endsOf([{ directory, copies }])).toEqual([END]);
  const points = copiedPoints(copies);
  expect(points.length).toBeGreaterThan(40);
  const jobs = points.map((point) => ({ directory: join(copies, folderOf(point)), isCopy: true }));
  const ends = await endsOf(jobs);
  const expected = points.map((point) => [folderOf(point), END, workIn(directory)]);
  expect(points.map((point, index) => [folderOf(point), ends[index], workIn(jobs[index]?.directory ?? '')])).toEqual(expected);
});

test('a process that is killed after it reported is resumed by the next', async () => {
  const point = { operation: 'commit', nth: 3, when: 'after' } as const;
  await expect(endsOf([{ directory, point }])).rejects.toMatchObject({ signal: 'SIGKILL' });
  expect(await endsOf([{ directory }])).toEqual([END]);
  expect(workIn(directory)).toEqual(['all/left 1', 'all/right 1', 'end 1', 'plan 1', 'plan 2']);
});
