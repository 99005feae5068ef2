// Owns databases with many runs, to measure lists and searches.

import { type Activation, visitOf } from '../src/kernel/activation.ts';
import {
  createActivation,
  createEnd,
  createFirst,
  createLine,
  createNext,
  createValue,
  START_AT,
} from '../src/proof/store-suite/deltas.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Delta, Store } from '../src/store/store.ts';

const BATCH = 500;
const WAIT = { kind: 'signal', name: 'go' } as const;
const PARKED: Activation = { ...visitOf(createActivation('wait')), state: 'waiting', wait: WAIT };

/** Adds a number of parked runs to a database. */
export async function park(file: string, runs: number): Promise<void> {
  const definition = createLine('parked', ['wait', 'end']);
  await fill(file, runs, (run) => [createFirst({ run, owner: 'bench', definition, activation: PARKED, more: { release: true } })]);
}

const SECOND_MS = 1000;
/** How many runs have the rare workflow, tag and status. They are the oldest. */
const RARE = 20;

/**
 * Adds runs like those of a project after some years: ten workflows, most runs completed, one in a hundred tagged, each with
 * different parameters. Only the oldest have a certain workflow, tag and status, so a search for them has to read all runs.
 */
export async function fillMixed(file: string, runs: number): Promise<void> {
  const definitions = Array.from({ length: 10 }, (_, n) => createLine(`workflow-${n}`, ['wait', 'end']));
  const rare = createLine('rare', ['wait', 'end']);
  await fill(file, runs, (run, n) => {
    const isRare = n < RARE;
    const definition = isRare ? rare : (definitions[n % 10] as typeof rare);
    const params = createValue({ issue: n, title: `Orders of customer ${n} are shown twice` });
    const tags = isRare ? ['old'] : n % 100 === 0 ? ['nightly'] : undefined;
    const origin = { actor: 'ann', ...(tags === undefined ? {} : { tags }) };
    const at = START_AT + n * SECOND_MS;
    const first = createFirst({
      ...{ run, owner: 'bench', definition, activation: PARKED, creation: { origin }, started: { params: params.ref } },
      more: { at, values: [params] },
    });
    const isOpen = n % 20 === 1;
    if (isOpen) return [{ ...first, release: true }];
    return [first, createNext(first, [createEnd(isRare ? 'failed' : 'completed', at)], { release: true })];
  });
}

/** Adds a number of completed runs, each with different parameters. */
export async function fillEnded(file: string, runs: number): Promise<void> {
  const definition = createLine('ended', ['wait', 'end']);
  await fill(file, runs, (run, n) => {
    const params = createValue({ issue: n, title: `Orders of customer ${n} are shown twice` });
    const at = START_AT + n * SECOND_MS;
    const first = createFirst({
      ...{ run, owner: 'bench', definition, activation: PARKED, started: { params: params.ref } },
      more: { at, values: [params] },
    });
    return [first, createNext(first, [createEnd('completed', at)], { release: true })];
  });
}

async function fill(file: string, runs: number, deltasOf: (run: string, n: number) => readonly Delta[]): Promise<void> {
  const store = await openSqliteStore({ file, synchronous: 'NORMAL' });
  for (let n = 0; n < runs; n += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, runs - n) }, (_, index) => n + index);
    await Promise.all(numbers.map((one) => commitAll(store, deltasOf(`run${String(one).padStart(8, '0')}`, one))));
  }
  await store.close();
}

async function commitAll(store: Store, deltas: readonly Delta[]): Promise<void> {
  for (const delta of deltas) await store.commit(delta);
}
