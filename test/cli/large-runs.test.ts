// The cost of looking at a run follows what is asked, not what the run holds.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRunReport, shownValues } from '../../src/control/run/report.ts';
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

test('a whole report has the size and the digest of very large results, and not more than fits into memory', async () => {
  const huge = createValue('z'.repeat(2_000_000));
  const values = Array.from({ length: 60 }, (_, n) => createValue(String(n).repeat(450_000)));
  const first = createFirst({ run: 'r2', owner: 'me' });
  await store.commit(first);
  const attempts = [huge, ...values].map((value, n) => createAttempt('build', { path: `build#${n + 1}`, output: value.ref }));
  await store.commit(createNext(first, [createEnd('completed')], { status: 'completed', values: [huge, ...values], attempts }));
  const outputs = (await readRunReport(store, 'r2')).steps.flatMap(({ status, output }) => (status === 'completed' ? [output] : []));
  expect(outputs[0]).toEqual({ $omitted: huge.ref });
  const isWhole = outputs.map((output) => typeof output === 'string');
  expect(isWhole[1]).toBe(true);
  expect(isWhole.at(-1)).toBe(false);
  expect(JSON.stringify(outputs).length).toBeLessThan(33 * 1024 * 1024);
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

test('reading the attempts of one step reads no other steps', async () => {
  expect(await readBy(({ step }) => step === 'test')).toEqual([small.ref.digest]);
});
