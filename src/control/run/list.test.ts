import { expect, test } from 'vitest';
import { createFirst, START_AT } from '../../proof/store-suite/deltas.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { withUsage } from './list.ts';

test('all calls of agents are counted once for a store, and not for each list', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  await store.commit(createFirst({ run: 'r1', owner: 'me' }));
  let counts = 0;
  const counted: typeof store = {
    ...store,
    usage: (query) => {
      if (query.run === undefined) counts += 1;
      return store.usage(query);
    },
  };
  const list = async () => withUsage(counted, await store.list({}));
  expect(await list()).toMatchObject([{ id: 'r1' }]);
  await store.beginUse({ run: 'r1', path: 'a', step: 'a', attempt: 1, role: 'planner', account: 'x', at: START_AT });
  for (let n = 0; n < 3; n += 1) expect(await list()).toMatchObject([{ id: 'r1', usage: { attempts: 1 } }]);
  expect(counts).toBe(2);
  await store.close();
});
