// Owns the part of the store contract about waking engines: semaphores, runs that are ready, signals and notices of
// commits.

import { expect, test } from 'vitest';
import type { RunEvent } from '../../kernel/event.ts';
import type { CommitResult, Delta, Store } from '../../store/store.ts';
import { COMMITTED, changeStep, createActivation, createFirst, createNext, createSignal, PARKED, START_AT } from './deltas.ts';
import type { StoreStage } from './suite.ts';

/** Tests semaphores: a delta gets all or none, and the order of waiting runs. */
export function describeSlots(stage: StoreStage): void {
  const take = (path: string, ...keys: string[]): Delta['slots'] => ({
    take: [{ path, keys: keys.map((key) => ({ key, limit: 1 })) }],
    free: [],
  });
  const change: RunEvent[] = [changeStep()];

  test('semaphores are acquired all or none; a full one changes nothing and is named', async () => {
    const { store } = stage;
    const [a, b] = ['a', 'b'].map((run) => createFirst({ run, owner: 'me' })) as [Delta, Delta];
    await store.commit(a);
    await store.commit(b);
    expect(await store.commit(createNext(a, change, { slots: take('build#1', 'gpu') }))).toEqual(COMMITTED);
    expect(await store.commit(createNext(b, change, { slots: take('build#1', 'disk', 'gpu') }))).toEqual({
      result: 'full',
      path: 'build#1',
      key: 'gpu',
    });
    expect((await store.load('b')).state).toEqual(b.state);
    expect(await store.commit(createNext(createNext(a, change), change, { slots: take('other#1', 'disk') }))).toEqual(COMMITTED);
  });

  test('the run that has waited longest for a semaphore is woken when it is freed, also by a run that ends', async () => {
    const { store } = stage;
    const [a, b, c] = ['a', 'b', 'c'].map((run) => createFirst({ run, owner: 'me' })) as [Delta, Delta, Delta];
    for (const delta of [a, b, c]) await store.commit(delta);
    const holding = createNext(a, change, { slots: take('build#1', 'gpu') });
    await store.commit(holding);
    for (const delta of [b, c]) await store.commit(createNext(delta, change, { slots: take('build#1', 'gpu') }));
    const woken = collect(store);
    await store.commit(createNext(holding, change, { slots: { take: [], free: ['build#1'] } }));
    expect(await woken.until(1)).toEqual(['b']);
    const taken = createNext(b, change, { slots: take('build#1', 'gpu') });
    expect(await store.commit(taken)).toEqual(COMMITTED);
    await store.commit(createNext(taken, [{ type: 'run.changed', at: START_AT, change: 'ended', status: 'cancelled' }]));
    expect((await woken.until(2)).at(-1)).toBe('c');
    woken.stop();
  });
}

function collect(store: Store): { until(count: number): Promise<string[]>; stop: () => void } {
  const runs = new Set<string>();
  let check = (): void => {};
  const stop = store.watch((run) => {
    runs.add(run);
    check();
  });
  const until = (count: number): Promise<string[]> =>
    new Promise((resolve) => {
      check = () => runs.size >= count && resolve([...runs]);
      check();
    });
  return { until, stop };
}

/** Tests wake-up signals and notices of commits. */
export function describeWaking(stage: StoreStage): void {
  test('a run is ready if it is due, has mail or lost its owner, and no engine drives it', async () => {
    const { store } = stage;
    const due = (run: string, at: number): Promise<CommitResult> =>
      store.commit(createFirst({ run, owner: 'me', activation: { ...PARKED, due: at }, more: { release: true } }));
    await due('soon', START_AT + 10);
    await due('later', START_AT + 99);
    await store.commit(createFirst({ run: 'parked', owner: 'me', more: { release: true } }));
    await store.commit(createFirst({ run: 'written', owner: 'me', more: { release: true } }));
    await store.post(createSignal('written', 'a'));
    await store.commit(createFirst({ run: 'driven', owner: 'alive', activation: createActivation('build', { due: START_AT }) }));
    await store.commit(createFirst({ run: 'orphan', owner: 'gone' }));
    stage.dead.add('gone');
    expect(await store.ready(START_AT + 10, 10)).toEqual([
      { run: 'orphan', because: 'orphaned' },
      { run: 'written', because: 'mail' },
      { run: 'soon', because: 'due' },
    ]);
    expect(await store.ready(START_AT + 10, 1)).toHaveLength(1);
    expect(await store.nextDue()).toBe(START_AT + 10);
    expect(await store.nextDue(START_AT + 9)).toBe(START_AT + 10);
    expect(await store.nextDue(START_AT + 10)).not.toBe(START_AT + 10);
  });

  test('a watcher is notified of mail, a follower of commits, and neither after it stopped', async () => {
    const { store } = stage;
    const woken = collect(store);
    const followed = new Promise<void>((resolve) => {
      const stop = store.follow(() => {
        stop();
        resolve();
      });
    });
    await store.commit(createFirst({ run: 'r1', owner: 'me' }));
    await followed;
    await store.post(createSignal('r1', 'a'));
    expect(await woken.until(1)).toEqual(['r1']);
    woken.stop();
    const later: string[] = [];
    const other = collect(store);
    await store.commit(createFirst({ run: 'r2', owner: 'me' }));
    const stop = store.watch((run) => later.push(run));
    stop();
    await store.post(createSignal('r2', 'a'));
    await other.until(1);
    other.stop();
    expect(later).toEqual([]);
  });
}
