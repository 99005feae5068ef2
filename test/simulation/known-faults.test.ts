// The simulation must be able to fail. Each store here has one known fault, and some of the first 200 seeds must find it.

import { describe, expect, test } from 'vitest';
import { SimulationFailed, simulate } from '../../src/proof/simulate/simulate.ts';
import type { Delta, Store } from '../../src/store/store.ts';

const SEEDS_MAX = 200;

async function firstFailure(breakStore: (store: Store) => Store): Promise<SimulationFailed> {
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    try {
      await simulate(seed, { breakStore });
    } catch (error) {
      if (error instanceof SimulationFailed) return error;
      throw error;
    }
  }
  throw new Error(`none of ${SEEDS_MAX} seeds found the fault`);
}

/** Takes the delta of whoever comes, as if it were the owner's. */
function ignoringEpochs(store: Store): Store {
  const commit = async (delta: Delta) => {
    const result = await store.commit(delta);
    if (result.result !== 'stale') return result;
    const { epoch, owner, state } = await store.load(delta.run);
    if (owner === undefined) return result;
    return store.commit({ ...delta, epoch, seq: state.seq, state: { ...delta.state, seq: state.seq + 1 } });
  };
  return { ...store, commit };
}

/** Says that a delta is on disk before it is, so that the engine acts too early. */
function acknowledgingEarly(store: Store): Store {
  let commits = 0;
  return {
    ...store,
    commit: (delta) => {
      commits += 1;
      if (commits % 7 !== 0 || delta.create !== undefined) return store.commit(delta);
      return Promise.resolve({ result: 'committed', released: false });
    },
  };
}

/** Takes repeated mail for new mail. */
function forgettingDedupes(store: Store): Store {
  let mails = 0;
  return { ...store, post: (mail) => store.post({ ...mail, dedupe: `${mail.dedupe} ${++mails}` }) };
}

/** Hands a run out although its owner lives. */
function sharingRuns(store: Store): Store {
  return { ...store, claim: async (run, me) => store.claim(run, (await store.load(run)).owner ?? me) };
}

/** Does not show the oldest mail to an owner that asks for it. */
function losingMail(store: Store): Store {
  return { ...store, inbox: async (run, after) => (await store.inbox(run, after)).slice(1) };
}

describe('a seed fails, and says how to repeat it, when the store', () => {
  test('a seed fails, and says how to repeat it, when the store ignores the epoch', async () => {
    const failure = await firstFailure(ignoringEpochs);
    expect(failure.problems.join('\n')).toMatch(/Q1/);
    expect(failure.message).toMatch(new RegExp(`replay: npm run simulate -- --seed ${failure.seed}$`));
    await expect(simulate(failure.seed, { breakStore: ignoringEpochs })).rejects.toThrow(failure.message);
  });

  test('a seed fails, and says how to repeat it, when the store acknowledges before it commits', async () => {
    expect((await firstFailure(acknowledgingEarly)).problems.join('\n')).toMatch(/Q1|Q2|J1/);
  });

  test('a seed fails, and says how to repeat it, when the store takes repeated mail for new', async () => {
    expect((await firstFailure(forgettingDedupes)).problems.join('\n')).toMatch(/Q5/);
  });

  test('a seed fails, and says how to repeat it, when the store hands out a run whose owner lives', async () => {
    expect((await firstFailure(sharingRuns)).problems.join('\n')).toMatch(/Q1/);
  });

  test('a seed fails, and says how to repeat it, when the store loses mail', async () => {
    expect((await firstFailure(losingMail)).problems.join('\n')).toMatch(/stuck|J5|J7|come to an end/);
  });
});
