// Owns the part of the store contract about removing runs that have ended.

import { expect, test } from 'vitest';
import type { RunStatus } from '../../definition/run-status.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { Delta, PruneRequest, Store, StoredValue } from '../../store/store.ts';
import { createAttempt, createEnd, createFirst, createLine, createNext, createSignal, createValue, START_AT } from './deltas.ts';
import type { StoreStage } from './suite.ts';

const LATER = START_AT + 1000;
const EVERYTHING: PruneRequest = { before: LATER, status: ['completed', 'rejected', 'cancelled', 'failed', 'escalated'] };

interface EndedRun {
  readonly status?: RunStatus;
  readonly at?: number;
  readonly parent?: string;
  readonly fork?: string;
  readonly value?: StoredValue;
  readonly workflow?: string;
  readonly release?: boolean;
}

/** Writes a run that ends immediately. */
async function addRun(store: Store, run: string, ended: EndedRun = {}): Promise<Delta> {
  const { status = 'completed', at = START_AT, parent, fork, value, workflow = 'deploy', release = true } = ended;
  const first = createFirst({
    run,
    owner: 'me',
    definition: createLine(workflow, ['build', 'approve']),
    ...(parent === undefined ? {} : { started: { parent: { run: parent, path: 'build#1' }, depth: 1 } }),
    ...(fork === undefined ? {} : { creation: { fork: { run: fork, seq: 1 } } }),
  });
  await store.commit(fork === undefined ? first : { ...first, events: first.events.map((event) => forked(event, fork)) });
  const settled: RunEvent = { type: 'step.settled', at, path: 'build#1', attempt: 1, outcome: 'ok', ...outputOf(value) };
  const events = status === 'waiting' ? [settled] : [settled, createEnd(status, at)];
  const last = createNext(first, events, {
    release,
    status,
    ...(value === undefined ? {} : { values: [value], attempts: [createAttempt('build', { output: value.ref })] }),
  });
  await store.commit(last);
  return last;
}

function forked(event: RunEvent, run: string): RunEvent {
  return event.type === 'run.started' ? { ...event, fork: { run, seq: 1, step: 'build' } } : event;
}

function outputOf(value: StoredValue | undefined): object {
  return value === undefined ? {} : { output: value.ref };
}

const idsOf = async (store: Store): Promise<string[]> => (await store.list({})).map(({ id }) => id).sort();

/** Tests which runs are removed, and which stay. */
export function describePrune(stage: StoreStage): void {
  describeAge(stage);
  describeRelatives(stage);
  describeValues(stage);
}

function describeAge(stage: StoreStage): void {
  test('prune removes runs with the given status that ended long enough ago, and leaves nothing of them', async () => {
    const { store } = stage;
    await addRun(store, 'old');
    await addRun(store, 'young', { at: LATER });
    await addRun(store, 'broken', { status: 'failed' });
    const request: PruneRequest = { before: LATER, status: ['completed', 'cancelled'] };
    const removed = { id: 'old', workflow: 'deploy', status: 'completed', createdAt: START_AT, updatedAt: START_AT };
    expect(await store.prune({ ...request, dryRun: true })).toEqual({ runs: [removed], values: 0 });
    expect(await idsOf(store)).toEqual(['broken', 'old', 'young']);
    expect(await store.prune(request)).toEqual({ runs: [removed], values: 0 });
    expect(await idsOf(store)).toEqual(['broken', 'young']);
    await expect(store.load('old')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await store.prune({ ...request, status: ['failed'], vacuum: true })).toMatchObject({ runs: [{ id: 'broken' }] });
    expect(await store.check()).toMatchObject({ ok: true, problems: [] });
  });

  test('prune keeps runs that are open, driven or have mail, whatever is asked', async () => {
    const { store } = stage;
    await addRun(store, 'waiting', { status: 'waiting' });
    await addRun(store, 'driven', { release: false });
    await addRun(store, 'written', { status: 'failed' });
    await store.post(createSignal('written', 'a'));
    expect(await store.prune({ ...EVERYTHING, status: [...EVERYTHING.status, 'waiting', 'running', 'pending'] })).toEqual({
      runs: [],
      values: 0,
    });
    expect(await idsOf(store)).toEqual(['driven', 'waiting', 'written']);
  });

  test('prune removes a run that ended permanently although it has unread mail', async () => {
    const { store } = stage;
    await addRun(store, 'done', { status: 'completed' });
    await store.post(createSignal('done', 'a'));
    expect(await store.prune(EVERYTHING)).toMatchObject({ runs: [{ id: 'done' }] });
  });

  test('prune keeps the newest of each workflow when asked to', async () => {
    const { store } = stage;
    for (const run of ['a1', 'a2', 'a3']) await addRun(store, run, { workflow: 'a' });
    await addRun(store, 'b1', { workflow: 'b' });
    await store.prune({ ...EVERYTHING, keep: 1 });
    expect(await idsOf(store)).toEqual(['a3', 'b1']);
  });

  test('a run that is written after others were removed is a run like any other', async () => {
    const { store } = stage;
    await addRun(store, 'old', { value: createValue('old') });
    await store.prune(EVERYTHING);
    const last = await addRun(store, 'new', { value: createValue('new') });
    expect((await store.load('new')).state).toEqual(last.state);
    expect(await store.attempts('new')).toHaveLength(1);
    expect(await store.check()).toMatchObject({ ok: true, problems: [] });
  });
}

function describeRelatives(stage: StoreStage): void {
  test('a run is removed with all runs that it started, or all stay', async () => {
    const { store } = stage;
    await addRun(store, 'parent');
    await addRun(store, 'child', { parent: 'parent', status: 'failed' });
    await addRun(store, 'grandchild', { parent: 'child' });
    await addRun(store, 'open-parent', { status: 'waiting' });
    await addRun(store, 'its-child', { parent: 'open-parent' });
    await addRun(store, 'parent-of-open');
    await addRun(store, 'open-child', { parent: 'parent-of-open', status: 'waiting' });
    const { runs } = await store.prune({ before: LATER, status: ['completed'] });
    expect(runs.map(({ id }) => id).sort()).toEqual(['child', 'grandchild', 'parent']);
    expect(await idsOf(store)).toEqual(['its-child', 'open-child', 'open-parent', 'parent-of-open']);
  });

  test('a run stays while a fork of it stays', async () => {
    const { store } = stage;
    await addRun(store, 'original');
    await addRun(store, 'fork', { fork: 'original' });
    await addRun(store, 'fork-of-fork', { fork: 'fork', at: LATER });
    await addRun(store, 'other');
    expect((await store.prune(EVERYTHING)).runs.map(({ id }) => id)).toEqual(['other']);
    expect((await store.prune({ ...EVERYTHING, before: LATER + 1 })).runs).toHaveLength(3);
  });
}

function describeValues(stage: StoreStage): void {
  test('a value is removed with the last run that refers to it', async () => {
    const { store } = stage;
    const [own, shared, long] = [createValue('own'), createValue('shared'), createValue('x'.repeat(100_000))];
    await addRun(store, 'old', { value: own });
    await addRun(store, 'also-old', { value: shared });
    const young = await addRun(store, 'young', { at: LATER, value: shared });
    await store.claim('young', 'me');
    await store.commit(
      createNext({ ...young, epoch: 2 }, [], { at: LATER, status: 'completed', data: [{ key: 'k', text: long.text }], release: true }),
    );
    expect((await store.prune(EVERYTHING)).values).toBe(1);
    expect([...(await store.values([shared.ref.digest])).keys()]).toEqual([shared.ref.digest]);
    expect(await store.data('young')).toEqual(new Map([['k', JSON.parse(long.text)]]));
    await expect(store.values([own.ref.digest])).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
    expect(await store.check()).toMatchObject({ ok: true, problems: [] });
    await store.prune({ ...EVERYTHING, before: LATER + 1 });
    await expect(store.values([shared.ref.digest])).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  });

  test('a value in mail or in params is kept', async () => {
    const { store } = stage;
    const [reply, params] = [createValue('reply'), createValue({ n: 1 })];
    await store.commit(
      createFirst({ run: 'open', owner: 'me', started: { params: params.ref }, more: { values: [params], release: true } }),
    );
    const input = { type: 'signalled', at: START_AT, name: 'a', payload: reply.ref } as const;
    await store.post({ run: 'open', dedupe: 'a', input, values: [reply] });
    await store.prune(EVERYTHING);
    expect((await store.values([reply.ref.digest, params.ref.digest])).size).toBe(2);
  });

  test('what runs write while others are removed is kept', async () => {
    const { store } = stage;
    const shared = createValue('shared');
    await addRun(store, 'old', { value: shared });
    const writes = Promise.all(Array.from({ length: 20 }, (_, n) => addRun(store, `new-${n}`, { at: LATER, value: shared })));
    await Promise.all([store.prune(EVERYTHING), writes]);
    expect((await store.values([shared.ref.digest])).size).toBe(1);
    expect(await store.check()).toMatchObject({ ok: true, problems: [] });
  });
}
