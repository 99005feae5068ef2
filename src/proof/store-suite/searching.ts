// Owns the part of the store contract about searching: filters, pages that stay right while runs are added, the positions of
// runs, and usage over time.

import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { Activation, Wait } from '../../kernel/activation.ts';
import type { Delta, RunOrigin, Store } from '../../store/store.ts';
import { createActivation, createAttempt, createEnd, createFirst, createLine, createNext, createValue, START_AT } from './deltas.ts';
import type { StoreStage } from './suite.ts';

const HOUR_MS = 3_600_000;

const add = async (store: Store, run: string, fields: { params?: object; tags?: readonly string[]; at?: number } = {}): Promise<Delta> => {
  const params = fields.params === undefined ? undefined : createValue(fields.params as never);
  const delta = createFirst({
    run,
    owner: 'me',
    creation: { origin: fields.tags === undefined ? {} : { tags: fields.tags } },
    started: params === undefined ? {} : { params: params.ref },
    more: { at: fields.at ?? START_AT, values: params === undefined ? [] : [params] },
  });
  await store.commit(delta);
  return delta;
};

/** Tests searching among many runs. */
export function describeSearching(stage: StoreStage): void {
  describeFilters(stage);
  describeHeads(stage);
  describeNumbers(stage);
  describeOverviews(stage);
}

function describeNumbers(stage: StoreStage): void {
  const ids = async (query: Parameters<Store['list']>[0]): Promise<string[]> => (await stage.store.list(query)).map(({ id }) => id);

  test('runs are found by the issue and the pull requests that they are about', async () => {
    const { store } = stage;
    const put = (run: string, origin: RunOrigin, data: Record<string, Json> = {}): Promise<unknown> =>
      store.commit(
        createFirst({
          ...{ run, owner: 'me', creation: { origin } },
          more: { data: Object.entries(data).map(([key, value]) => ({ key, text: JSON.stringify(value) })) },
        }),
      );
    await put('issue', { issue: 7 });
    await put('pull', { pr: 7 });
    await put('facts', {}, { issue_number: 7, pr_number: 9, labels: ['7'] });
    await put('several', { issue: 8 }, { pr_numbers: { build: 11, docs: 12 } });
    await put('neither', {}, { issue_number: 'seven' });
    expect(await ids({ about: { issues: [7] } })).toEqual(['facts', 'issue']);
    expect(await ids({ about: { prs: [7] } })).toEqual(['pull']);
    expect(await ids({ about: { issues: [8], prs: [9] } })).toEqual(['several', 'facts']);
    expect(await ids({ about: { prs: [12] }, status: ['running'] })).toEqual(['several']);
    expect(await ids({ about: { prs: [12], none: true } })).toEqual(['neither', 'several']);
    expect(await ids({ about: {} })).toEqual([]);
  });

  test('a pull request that a run opens later is found, and the earlier one still', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r', owner: 'me', creation: { origin: { issue: 1 } } });
    await store.commit(first);
    const pr = (number: number): Partial<Delta> => ({ data: [{ key: 'pr_number', text: String(number) }] });
    const second = createNext(first, [], pr(2));
    await store.commit(second);
    await store.commit(createNext(second, [], pr(3)));
    for (const prs of [[2], [3]]) expect(await ids({ about: { prs } })).toEqual(['r']);
    expect(await ids({ about: { prs: [1] } })).toEqual([]);
  });
}

function describeFilters(stage: StoreStage): void {
  const ids = async (query: Parameters<Store['list']>[0]): Promise<string[]> => (await stage.store.list(query)).map(({ id }) => id);

  test('runs are found by tag, by the value of a parameter, and by a text in any case', async () => {
    const { store } = stage;
    await add(store, 'r1', { params: { branch: 'Main', count: 5, dry: true }, tags: ['nightly', 'eu'] });
    await add(store, 'r2', { params: { branch: 'main', count: 50 }, tags: ['nightly'] });
    await add(store, 'r3');
    expect(await ids({ tags: ['nightly'] })).toEqual(['r2', 'r1']);
    expect(await ids({ tags: ['nightly', 'eu'] })).toEqual(['r1']);
    expect(await ids({ params: { branch: 'main' } })).toEqual(['r2']);
    expect(await ids({ params: { count: '5', dry: 'true' } })).toEqual(['r1']);
    expect(await ids({ params: { 'no."such': 'x' } })).toEqual([]);
    expect(await ids({ text: 'MAIN' })).toEqual(['r2', 'r1']);
    expect(await ids({ text: 'night' })).toEqual(['r2', 'r1']);
    expect(await ids({ text: 'deploy' })).toEqual(['r3', 'r2', 'r1']);
    expect(await ids({ text: 'R3' })).toEqual(['r3']);
    expect(await ids({ text: '100%_' })).toEqual([]);
  });

  test('runs that may wait for a person are found, and not one that waits for time', async () => {
    const { store } = stage;
    const wait = (step: string, of: Wait): Activation => ({ ...createActivation(step), state: 'waiting', wait: of }) as Activation;
    const put = (run: string, activation: Activation): Promise<unknown> => store.commit(createFirst({ run, owner: 'me', activation }));
    await put('time', wait('build', { kind: 'delay', until: START_AT, polls: false }));
    await put('answer', wait('build', { kind: 'answer', questions: { digest: 'a'.repeat(64), bytes: 2 } }));
    await put('unknown', { ...createActivation('build'), state: 'unknown' } as Activation);
    expect((await ids({ mayAsk: true })).sort()).toEqual(['answer', 'unknown']);
  });

  test('a run is found by its id, and not one whose id begins with it', async () => {
    const { store } = stage;
    for (const run of ['a1', 'a10']) await add(store, run);
    expect(await ids({ id: 'a1' })).toEqual(['a1']);
    expect(await ids({ id: 'a' })).toEqual([]);
  });

  test('runs whose workflow names circuit breakers are found, and not the others', async () => {
    const { store } = stage;
    await add(store, 'plain');
    const definition = { ...createLine('limited', ['build']), breakers: { turns: 3 } };
    await store.commit(createFirst({ run: 'limited', owner: 'me', definition }));
    expect(await ids({ mayBreak: true })).toEqual(['limited']);
  });

  test('a page continues where the last one ended, whatever was added in the meantime', async () => {
    const { store } = stage;
    for (const run of ['a', 'b', 'c', 'd']) await add(store, run);
    const first = await store.list({ limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(['d', 'c']);
    await add(store, 'e');
    const below = first.at(-1)?.place as number;
    expect(await ids({ limit: 2, below })).toEqual(['b', 'a']);
    expect(await ids({ from: below })).toEqual(['e', 'd', 'c']);
    expect(await ids({ from: below - 1, below })).toEqual(['b']);
  });

  test('runs are found by the time of their start', async () => {
    const { store } = stage;
    for (const [index, run] of ['a', 'b', 'c'].entries()) await add(store, run, { at: START_AT + index });
    expect(await ids({ since: START_AT + 1 })).toEqual(['c', 'b']);
    expect(await ids({ since: START_AT + 1, before: START_AT + 2 })).toEqual(['b']);
  });
}

function describeHeads(stage: StoreStage): void {
  test('heads return the position of runs: driven ones, selected ones, or all in pages', async () => {
    const { store } = stage;
    const a = await add(store, 'a');
    await add(store, 'b');
    await store.commit(createNext(a, [], { release: true }));
    const status = 'running';
    const head = (run: string, seq: number, owner: string | undefined): object => ({ run, seq, status, owner, place: expect.any(Number) });
    expect(await store.heads({ of: 'owned' })).toEqual([head('b', 1, 'me')]);
    expect(await store.heads({ of: ['a', 'none'] })).toEqual([head('a', 2, undefined)]);
    const [first] = await store.heads({ of: 'all', after: 0, limit: 1 });
    expect(first).toEqual(head('a', 2, undefined));
    expect(await store.heads({ of: 'all', after: first?.place as number, limit: 10 })).toEqual([head('b', 1, 'me')]);
  });

  test('heads of all runs with some status are in pages too', async () => {
    const { store } = stage;
    for (const run of ['a', 'b', 'c']) {
      const first = await add(store, run);
      if (run === 'b') await store.commit(createNext(first, [createEnd('completed')], { release: true }));
    }
    const page = { of: 'all', status: ['running', 'waiting'], limit: 1 } as const;
    const [first] = await store.heads({ ...page, after: 0 });
    expect(first).toMatchObject({ run: 'a', status: 'running' });
    expect(await store.heads({ ...page, after: first?.place as number })).toMatchObject([{ run: 'c' }]);
    expect(await store.heads({ of: 'all', status: ['completed'], after: 0, limit: 9 })).toMatchObject([{ run: 'b', status: 'completed' }]);
  });
}

function describeOverviews(stage: StoreStage): void {
  test('an unconfirmed claim is counted in the attempt that rejected it', async () => {
    const { store } = stage;
    const [first, claim] = [await add(store, 'a'), createValue({ done: true })];
    const error = { code: 'POSTCONDITION_FAILED', message: 'no file', reason: 'contract' } as const;
    const refused = createAttempt('build', { claim: claim.ref, outcome: 'error', status: 'failed', error });
    const accepted = createAttempt('build', { attempt: 2, claim: claim.ref });
    const started = { run: 'a', path: refused.path, step: 'build', role: 'writer', account: 'it', at: START_AT };
    await store.beginUse({ ...started, attempt: 1 });
    await store.commit(createNext(first, [], { values: [claim], attempts: [refused, accepted] }));
    const buckets = await store.usageOver({ since: 0, until: START_AT + HOUR_MS, bucketMs: HOUR_MS });
    expect(buckets.filter(({ refusals }) => refusals > 0)).toMatchObject([{ role: 'writer', refusals: 1 }]);
  });

  test('usage over time counts the runs of a workflow and the usage of each role, per period', async () => {
    const { store } = stage;
    await add(store, 'a');
    await add(store, 'b', { at: START_AT + HOUR_MS });
    const use = { path: 'build#1', step: 'build', attempt: 1, role: 'dev', account: 'x' };
    await store.endUse(await store.beginUse({ ...use, run: 'a', at: START_AT }), { ms: 5, costUsd: 0.5, inputTokens: 10, outputTokens: 1 });
    await store.endUse(await store.beginUse({ ...use, run: 'a', at: START_AT }), { ms: 5 });
    const from = Math.floor(START_AT / HOUR_MS) * HOUR_MS;
    const none = { attempts: 0, costUsd: 0, unknownCost: 0, inputTokens: 0, outputTokens: 0, ms: 0, refusals: 0 };
    const span = { since: from, until: from + 24 * HOUR_MS, bucketMs: HOUR_MS };
    expect(await store.usageOver(span)).toEqual([
      { at: from, workflow: 'deploy', role: undefined, runs: 1, ...none },
      {
        at: from,
        workflow: 'deploy',
        role: 'dev',
        runs: 1,
        attempts: 2,
        costUsd: 0.5,
        unknownCost: 1,
        inputTokens: 10,
        outputTokens: 1,
        ms: 10,
        refusals: 0,
      },
      { at: from + HOUR_MS, workflow: 'deploy', role: undefined, runs: 1, ...none },
    ]);
    expect(await store.usageOver({ ...span, workflow: 'other' })).toEqual([]);
    expect(await store.usageOver({ ...span, until: from })).toEqual([]);
  });

  test('the semaphores that are held come before those that are waited for, in the order of the queue', async () => {
    const { store } = stage;
    const [a, b] = [await add(store, 'a'), await add(store, 'b')];
    const take = { take: [{ path: 'build#1', keys: [{ key: 'gpu', limit: 1 }] }], free: [] };
    await store.commit(createNext(a, [], { slots: take }));
    await store.commit(createNext(b, [], { slots: take }));
    const use = (run: string, isHeld: boolean): object => ({ key: 'gpu', run, path: 'build#1', isHeld });
    expect(await store.slots(10)).toEqual([use('a', true), use('b', false)]);
    expect(await store.slots(1)).toEqual([use('a', true)]);
  });
}
