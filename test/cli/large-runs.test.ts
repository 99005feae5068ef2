// The cost of looking at a run follows what is asked, not what the run holds.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRunReport, shownValues } from '../../src/cli/run-report/run-report.ts';
import {
  createActivation,
  createAttempt,
  createEnd,
  createFirst,
  createNext,
  createValue,
  START_AT,
} from '../../src/proof/store-suite/deltas.ts';
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-large-'));
const large = createValue('x'.repeat(100_000));
const small = createValue({ n: 1 });
let store: SqliteStore;

beforeAll(async () => {
  store = await openSqliteStore({ file: join(folder, 'runs.db') });
  const first = createFirst({ run: 'r1', owner: 'me' });
  await store.commit(first);
  const attempts = [createAttempt('build', { output: large.ref }), createAttempt('test', { output: small.ref })];
  const failed = createAttempt('deploy', { output: createValue('y'.repeat(100_000)).ref, status: 'failed' });
  await store.commit(
    createNext(first, [{ type: 'step.changed', at: START_AT, activation: createActivation('build') }, createEnd('completed')], {
      status: 'completed',
      values: [large, small, createValue('y'.repeat(100_000))],
      attempts: [...attempts, failed],
    }),
  );
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The digests that a report reads. */
async function readBy(isWanted?: Parameters<typeof readRunReport>[2]): Promise<readonly string[]> {
  const read: string[] = [];
  const values: SqliteStore['values'] = (digests) => {
    read.push(...digests);
    return store.values(digests);
  };
  await readRunReport({ ...store, values }, 'r1', isWanted);
  return read;
}

test('the short form of a report does not read large results of completed steps', async () => {
  const read = await readBy(shownValues);
  expect(read).not.toContain(large.ref.digest);
  expect(read).toContain(small.ref.digest);
  expect(read).toHaveLength(2);
  expect(await readBy()).toHaveLength(3);
});

test('the steps of one name are read alone', async () => {
  expect(await readBy(({ step }) => step === 'test')).toEqual([small.ref.digest]);
});
