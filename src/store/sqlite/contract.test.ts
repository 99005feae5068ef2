import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeStore } from '../../proof/store-suite/suite.ts';
import { openSqliteStore } from './open.ts';

const directory = mkdtempSync(join(tmpdir(), 'pawl-store-'));
let files = 0;
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describeStore('sqlite in memory', async (isDead) => ({ store: await openSqliteStore({ file: ':memory:', isDead }) }));

describeStore('sqlite in a file', async (isDead) => {
  const file = join(directory, `${files++}.db`);
  const store = await openSqliteStore({ file, isDead });
  return {
    store,
    reopen: async () => {
      await store.close();
      return openSqliteStore({ file, isDead });
    },
  };
});
