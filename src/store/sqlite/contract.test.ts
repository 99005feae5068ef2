import { join } from 'node:path';
import { tempFolder } from '../../../test/temp-folder.ts';
import { describeStore } from '../../proof/store-suite/suite.ts';
import { openSqliteStore } from './open.ts';

const directory = tempFolder();
let files = 0;

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
