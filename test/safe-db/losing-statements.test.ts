// Tries every statement that can lose data with each method that runs SQL, and compares the table with that of the guide.

import { expect, test } from 'vitest';
import { isEngineError } from '../../src/base/error.ts';
import { SafeDatabaseClient } from '../../src/safe-db/index.ts';
import { readText } from '../tidy/repository.ts';
import { createBook, dump, write } from './book.ts';
import { LOSING_STATEMENTS } from './losing-statements.ts';

const METHODS = {
  query: (db: SafeDatabaseClient, sql: string) => db.query(sql),
  get: (db: SafeDatabaseClient, sql: string) => db.get(sql),
  run: (db: SafeDatabaseClient, sql: string) => db.run(sql),
  exec: (db: SafeDatabaseClient, sql: string) => db.exec(sql),
  'exec, after another statement': (db: SafeDatabaseClient, sql: string) => db.exec(`INSERT INTO lines (text) VALUES ('new'); ${sql}`),
  transaction: (db: SafeDatabaseClient, sql: string) => db.transaction(() => db.run(sql)),
};

async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return isEngineError(error) ? `${error.code}: ${error.message}` : `not ours: ${error}`;
  }
  return 'it ran';
}

test.each(Object.entries(METHODS))('SD1, SD2, SD3: no statement of the table loses data with %s', async (_, run) => {
  const file = createBook();
  write(file, 'CREATE TABLE pawl_migrations (number INTEGER PRIMARY KEY, name, checksum, applied_at)');
  const before = dump(file);
  const db = new SafeDatabaseClient(file);
  const answers: Record<string, string> = {};
  const expected: Record<string, unknown> = {};
  for (const { form, sql, answer } of LOSING_STATEMENTS) {
    answers[form] = await refusalOf(() => run(db, sql));
    expected[form] = expect.stringMatching(new RegExp(`^DATA_PROTECTED: ${RegExp.escape(answer)}`));
  }
  expect(answers).toEqual(expected);
  expect(dump(file)).toEqual(before);
  db.close();
});

test('the guide lists exactly the statements that are tried', () => {
  const page = readText('docs/guides/protected-data.md');
  const rows = [...page.matchAll(/^\| ([^|]+) \| `(.+)` \| ([^|]+) \|$/gm)].map(([, form, sql, answer]) => ({ form, sql, answer }));
  expect(rows).toEqual(
    LOSING_STATEMENTS.map(({ form, sql, answer }) => ({
      form,
      sql: sql.replaceAll('\n', ' ').replaceAll('|', '\\|'),
      answer: `${answer}`,
    })),
  );
});
