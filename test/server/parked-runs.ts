// Owns runs that are parked for separate issues and pull requests, written directly to a store, and a count of how often a
// store reads them.

import { digestText } from '../../src/base/digest.ts';
import type { Definition } from '../../src/definition/model.ts';
import type { Activation } from '../../src/kernel/activation.ts';
import { createActivation, createFirst, createLine } from '../../src/proof/store-suite/deltas.ts';
import type { Store } from '../../src/store/store.ts';

/** The first number of a parked run. */
const FIRST_NUMBER = 1000;
const AT_ONCE = 500;

/** Parks runs of a workflow that reacts to everything: each is for another issue or pull request and waits for a signal. */
export async function parkRuns(store: Store, count: number): Promise<void> {
  const line = createLine('parked', ['build']);
  const onEvents = [{ event: 'issues', do: 'cancel', labels: [], baseBranches: [] }] as const;
  const definition: Definition = { ...line, onEvents };
  const activation = { ...createActivation('build'), state: 'waiting', wait: { kind: 'signal', name: 'go' } } as unknown as Activation;
  const def = digestText(JSON.stringify(definition));
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    await Promise.all(
      some.map((n) =>
        store.commit(
          createFirst({
            ...{ run: `parked-${n}`, owner: 'nobody', definition, activation, started: { def } },
            creation: { origin: n % 2 === 0 ? { issue: FIRST_NUMBER + n } : { pr: FIRST_NUMBER + n } },
            more: { release: true, status: 'waiting', due: undefined },
          }),
        ),
      ),
    );
  }
}

/** Counts, from now on, how often a parked run is read from a store; lists of runs do not count. */
export function countReads(store: Store): () => number {
  let reads = 0;
  const count = (run: string): void => {
    if (run.startsWith('parked-')) reads += 1;
  };
  const [load, data] = [store.load.bind(store), store.data.bind(store)];
  store.load = (run) => {
    count(run);
    return load(run);
  };
  store.data = (run, keys) => {
    count(run);
    return data(run, keys);
  };
  return () => reads;
}
