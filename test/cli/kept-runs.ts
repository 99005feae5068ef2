// Owns databases for the tests of upkeep: runs in states of choice, written by the real store, and a process of its own
// that holds a run until it is killed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RunStatus } from '../../src/definition/run-status.ts';
import { createOwner } from '../../src/process/owner.ts';
import {
  createAttempt,
  createEnd,
  createFirst,
  createLine,
  createNext,
  createValue,
  START_AT,
} from '../../src/proof/store-suite/deltas.ts';
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/open.ts';

/** The id of the run that a holder holds. */
export const HELD = '0190aaaa-0000-7000-8000-00000000aaaa';

/** The id of the n-th made run. */
export function runId(n: number): string {
  return `0190bbbb-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

/** Writes runs in the given states, the first as number 1, and closes the database; it is of the state folder with the id. */
export async function writeRuns(file: string, states: readonly RunStatus[], origin?: string): Promise<void> {
  const store = await openSqliteStore({ file, ...(origin === undefined ? {} : { origin }) });
  for (const [index, status] of states.entries()) await writeRun(store, runId(index + 1), status);
  await store.close();
}

async function writeRun(store: SqliteStore, run: string, status: RunStatus): Promise<void> {
  const output = createValue({ of: run });
  const first = createFirst({ run, owner: 'me', definition: createLine('deploy', ['build', 'approve']) });
  await store.commit(first);
  const isOpen = status === 'waiting' || status === 'running' || status === 'pending';
  await store.commit(
    createNext(
      first,
      [
        { type: 'step.settled', at: START_AT, path: 'build#1', attempt: 1, outcome: 'ok', output: output.ref },
        ...(isOpen ? [] : [createEnd(status)]),
      ],
      { status, values: [output], attempts: [createAttempt('build', { output: output.ref })], release: true },
    ),
  );
}

/** Starts a process that makes a run, owns it, and goes on until it is killed. */
export async function startHolder(file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'kept-runs.ts'), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

/** Kills a process at once and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

if (process.argv[1] === import.meta.filename) {
  const store = await openSqliteStore({ file: process.argv[2] as string });
  await store.commit(createFirst({ run: HELD, owner: createOwner() }));
  process.stdout.write('held\n');
  // The pipe ends with whoever started this, so that a test that fails leaves no process behind.
  process.stdin.on('end', () => process.exit()).resume();
}
