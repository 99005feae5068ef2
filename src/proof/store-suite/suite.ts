// Owns the contract suite of stores: a store that passes it fulfils T1 to T5 of `store/store.ts`. A store's test
// file calls it once per way to open the store.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { CommitResult, Delta, Store, SuccessfulClaim } from '../../store/store.ts';
import {
  COMMITTED,
  changeStep,
  createActivation,
  createAttempt,
  createFirst,
  createLine,
  createMember,
  createNext,
  createResumed,
  createSignal,
  createValue,
  openStep,
  PARKED,
  START_AT,
} from './deltas.ts';
import { describeLedger } from './ledger.ts';
import { describePrune } from './prune.ts';
import { describeSearching } from './searching.ts';
import { describeSlots, describeWaking } from './wakes.ts';

/** A store that was opened for one test. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again; undefined if its data does not outlive a close. */
  readonly reopen?: () => Promise<Store>;
}

/** Opens an empty store that treats the given owners as dead. */
export type OpenStore = (isDead: (owner: string) => boolean) => Promise<OpenedStore>;

const RELEASED: CommitResult = { result: 'committed', released: true };
const STALE: CommitResult = { result: 'stale' };

/** The store of one test, and the owners that it treats as dead. */
export interface StoreStage {
  store: Store;
  reopen: (() => Promise<Store>) | undefined;
  readonly dead: Set<string>;
}

/** Tests that a store fulfils the contract of `Store`. */
export function describeStore(name: string, open: OpenStore): void {
  const stage = { dead: new Set<string>() } as StoreStage;
  describe(`the store contract: ${name}`, () => {
    beforeEach(async () => {
      stage.dead.clear();
      const opened = await open((owner) => stage.dead.has(owner));
      stage.store = opened.store;
      stage.reopen = opened.reopen;
    });
    afterEach(() => stage.store.close());
    describeWhole(stage);
    describeStale(stage);
    describeOwner(stage);
    describeMail(stage);
    describeWithdrawal(stage);
    describeLog(stage);
    describeReading(stage);
    describeListing(stage);
    describeSearching(stage);
    describeSlots(stage);
    describeWaking(stage);
    describePrune(stage);
    describeLedger(stage);
    describeOrigin(stage);
  });
}

const settle = (path: string, more: Partial<RunEvent> = {}): RunEvent =>
  ({ type: 'step.settled', at: START_AT + 5, path, attempt: 1, outcome: 'ok', ...more }) as RunEvent;
const park = (before: Delta, more: Partial<Delta> = {}): Delta => createNext(before, [changeStep(PARKED)], { release: true, ...more });

async function claimed(store: Store, run: string, me: string): Promise<SuccessfulClaim> {
  const claim = await store.claim(run, me);
  if (!claim.claimed) throw new Error(`${run} is held by ${claim.owner}`);
  return claim;
}

function full(first: Delta): Delta {
  const output = createValue({ version: 3, note: 'ok' });
  const member = createMember('a');
  const checks = [{ type: 'ci', config: { name: 'unit' }, passed: true, result: { url: 'x' }, at: START_AT }];
  return createNext(
    first,
    [settle('build#1', { output: output.ref } as Partial<RunEvent>), openStep(member), openStep(createActivation('approve'))],
    {
      values: [output],
      attempts: [createAttempt('build', { output: output.ref, actor: 'builder', checks })],
      data: [{ key: 'version', text: '3' }],
    },
  );
}

function describeWhole(stage: StoreStage): void {
  test('T1: a delta is stored completely: checkpoint, event row, attempts, values, data, members', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me', creation: { origin: { event: 'push', pr: 7 } } });
    const second = full(first);
    expect(await store.commit(first)).toEqual(COMMITTED);
    expect(await store.commit(second)).toEqual(COMMITTED);
    const after = stage.reopen === undefined ? store : await stage.reopen();
    stage.store = after;
    const loaded = await after.load('r1');
    expect(loaded).toMatchObject({
      status: 'running',
      owner: 'me',
      epoch: 1,
      codeHash: first.create?.codeHash,
      origin: { event: 'push', pr: 7 },
    });
    expect(loaded.state).toEqual(second.state);
    expect(loaded.definition).toEqual(first.create?.definition);
    const [attempt] = await after.attempts('r1');
    const { checks: _, ...written } = second.attempts[0] as (typeof second.attempts)[0];
    expect(attempt).toEqual({ ...written, id: attempt?.id, seq: 2 });
    const digest = second.values[0]?.ref.digest as string;
    expect(await after.values([digest])).toEqual(new Map([[digest, second.values[0]?.text]]));
    expect(await after.data('r1')).toEqual(new Map([['version', 3]]));
    expect((await after.events('r1', 0)).map((row) => row.events)).toEqual([first.events, second.events]);
  });

  test('T1: a rejected delta leaves nothing behind, and does not affect others of the same turn', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    const value = createValue('never written');
    const again = createFirst({
      run: 'r1',
      owner: 'you',
      more: { values: [value], post: [createSignal('r1', 'lost')], data: [{ key: 'k', text: '1' }] },
    });
    const results = await Promise.allSettled([
      store.commit(createFirst({ run: 'r0', owner: 'me' })),
      store.commit(again),
      store.commit(full(first)),
      store.commit(full(first)),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))).toEqual([
      COMMITTED,
      'RUN_EXISTS',
      COMMITTED,
      STALE,
    ]);
    expect(await store.inbox('r1', 0)).toEqual([]);
    expect([...(await store.data('r1')).keys()]).toEqual(['version']);
    await expect(store.values([value.ref.digest])).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  });

  test('a member that settled is no longer in the checkpoint, and its attempt is found by its group', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    const second = full(first);
    const third = createNext(second, [settle('each#1/a')], {
      attempts: [createAttempt('lint', { path: 'each#1/a', group: 'each#1', key: 'a', index: 0 })],
    });
    for (const delta of [first, second, third]) await store.commit(delta);
    expect((await store.load('r1')).state).toEqual(third.state);
    expect((await store.attempts('r1', 'each#1')).map(({ step, key, index }) => ({ step, key, index }))).toEqual([
      { step: 'lint', key: 'a', index: 0 },
    ]);
  });
}

function describeStale(stage: StoreStage): void {
  test('T2: a delta at a past position changes nothing', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    await store.commit(full(first));
    await store.post(createSignal('r1', 'a'));
    const [mail] = await store.inbox('r1', 0);
    const late = park(first, { consumed: [mail?.id as number], data: [{ key: 'version', text: '"late"' }] });
    expect(await store.commit(late)).toEqual(STALE);
    expect(await store.data('r1')).toEqual(new Map([['version', 3]]));
    expect(await store.inbox('r1', 0)).toHaveLength(1);
    expect((await store.load('r1')).owner).toBe('me');
  });

  test('T2: a delta of an owner that was fenced off changes nothing', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'old' });
    await store.commit(first);
    stage.dead.add('old');
    const claim = await claimed(store, 'r1', 'new');
    expect(await store.commit(full(first))).toEqual(STALE);
    expect(await store.release('r1', { owner: 'old', epoch: 1 }, 0)).toBe('stale');
    expect((await store.load('r1')).state).toEqual(claim.state);
    expect(await store.commit(createResumed(claim, [settle('build#1')]))).toEqual(COMMITTED);
  });

  test('T2: a delta of an owner that released the run changes nothing', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    expect(await store.release('r1', { owner: 'me', epoch: 1 }, 0)).toBe('released');
    expect(await store.commit(full(first))).toEqual(STALE);
    expect(await store.release('r1', { owner: 'me', epoch: 1 }, 0)).toBe('stale');
  });

  test('a delta of a run that does not exist is RUN_NOT_FOUND', async () => {
    await expect(stage.store.commit(full(createFirst({ run: 'nobody', owner: 'me' })))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(stage.store.load('nobody')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(stage.store.claim('nobody', 'me')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
}

function describeOwner(stage: StoreStage): void {
  test('T3: the creator of a run owns it until it is released', async () => {
    const { store } = stage;
    await store.commit(createFirst({ run: 'r1', owner: 'me' }));
    expect(await store.claim('r1', 'you')).toEqual({ claimed: false, owner: 'me' });
    expect(await store.release('r1', { owner: 'me', epoch: 1 }, 0)).toBe('released');
    expect(await store.claim('r1', 'you')).toMatchObject({ claimed: true, epoch: 2 });
    expect(await store.claim('r1', 'me')).toEqual({ claimed: false, owner: 'you' });
  });

  test('T3: only the owner of a run can release it, even if others have its epoch', async () => {
    const { store } = stage;
    await store.commit(createFirst({ run: 'r1', owner: 'me' }));
    expect(await store.release('r1', { owner: 'you', epoch: 1 }, 0)).toBe('stale');
    expect(await store.claim('r1', 'you')).toEqual({ claimed: false, owner: 'me' });
  });

  test('T3: one of two concurrent claims wins', async () => {
    const { store } = stage;
    await store.commit(createFirst({ run: 'r1', owner: 'me', more: { release: true } }));
    const claims = await Promise.all(['a', 'b', 'c'].map((me) => store.claim('r1', me)));
    expect(claims.map(({ claimed: won }) => won)).toEqual([true, false, false]);
  });

  test('T3: a claim returns everything that a host needs to continue, including members and mail', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    const second = full(first);
    await store.commit(first);
    await store.commit(second);
    await store.post(createSignal('r1', 'hello'));
    stage.dead.add('me');
    const claim = await claimed(store, 'r1', 'you');
    expect(claim.state).toEqual(second.state);
    expect(claim.mail.map(({ dedupe, input }) => ({ dedupe, input }))).toEqual([
      { dedupe: 'hello', input: createSignal('r1', 'hello').input },
    ]);
    expect(claim.definition).toEqual(first.create?.definition);
  });
}

function describeMail(stage: StoreStage): void {
  test('T4: mail is unique per run and dedupe key, also after it was consumed', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    expect(await store.post(createSignal('r1', 'a'))).toBe('posted');
    expect(await store.post(createSignal('r1', 'a'))).toBe('duplicate');
    const [mail] = await store.inbox('r1', 0);
    await store.commit(createNext(first, [settle('build#1')], { consumed: [mail?.id as number] }));
    expect(await store.inbox('r1', 0)).toEqual([]);
    expect(await store.post(createSignal('r1', 'a'))).toBe('duplicate');
    await expect(store.post(createSignal('nobody', 'a'))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('T4: mail carries its values, in order, and is read after a position', async () => {
    const { store } = stage;
    await store.commit(createFirst({ run: 'r1', owner: 'me' }));
    const value = createValue({ reply: 'yes' });
    await store.post({ ...createSignal('r1', 'a'), values: [value] });
    await store.post(createSignal('r1', 'b'));
    const all = await store.inbox('r1', 0);
    expect(all.map(({ dedupe }) => dedupe)).toEqual(['a', 'b']);
    expect((await store.inbox('r1', all[0]?.id as number)).map(({ dedupe }) => dedupe)).toEqual(['b']);
    expect((await store.values([value.ref.digest])).get(value.ref.digest)).toBe(value.text);
  });

  test('T4: a run is not released while it has unread mail', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    await store.post(createSignal('r1', 'a'));
    const [mail] = await store.inbox('r1', 0);
    expect(await store.release('r1', { owner: 'me', epoch: 1 }, 0)).toBe('mail');
    const second = park(first);
    expect(await store.commit(second)).toEqual(COMMITTED);
    const third = createNext(second, [settle('build#1')], { consumed: [mail?.id as number], release: true });
    expect(await store.commit(third)).toEqual(RELEASED);
    expect((await store.load('r1')).owner).toBeUndefined();
  });

  test('T4: a delta posts to another run in the same transaction; a deleted run gets nothing', async () => {
    const { store } = stage;
    await store.commit(createFirst({ run: 'parent', owner: 'me' }));
    const child = createFirst({ run: 'child', owner: 'me', started: { parent: { run: 'parent', path: 'build#1' }, depth: 1 } });
    await store.commit(child);
    expect(
      await store.commit(
        createNext(child, [settle('build#1')], { post: [createSignal('parent', 'ended'), createSignal('gone', 'ended')] }),
      ),
    ).toEqual(COMMITTED);
    expect((await store.inbox('parent', 0)).map(({ dedupe }) => dedupe)).toEqual(['ended']);
    expect((await store.list({ parent: 'parent' })).map(({ id }) => id)).toEqual(['child']);
  });
}

function describeWithdrawal(stage: StoreStage): void {
  test('T4: unprocessed mail can be withdrawn, and its key is free again', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    await store.post(createSignal('r1', 'a'));
    await store.post(createSignal('r1', 'b'));
    expect(await store.withdraw({ run: 'r1', dedupe: 'a' }, 'me')).toBe('withdrawn');
    expect((await store.inbox('r1', 0)).map(({ dedupe }) => dedupe)).toEqual(['b']);
    expect(await store.withdraw({ run: 'r1', dedupe: 'a' }, 'me')).toBe('gone');
    expect(await store.post(createSignal('r1', 'a'))).toBe('posted');
    const [b] = await store.inbox('r1', 0);
    await store.commit(createNext(first, [settle('build#1')], { consumed: [b?.id as number] }));
    expect(await store.withdraw({ run: 'r1', dedupe: 'b' }, 'me')).toBe('gone');
    expect(await store.post(createSignal('r1', 'b'))).toBe('duplicate');
    await expect(store.withdraw({ run: 'nobody', dedupe: 'a' }, 'me')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('T4: mail that a live owner may have read cannot be withdrawn; that of a dead one can, and it can no longer act on it', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    await store.post(createSignal('r1', 'a'));
    expect(await store.withdraw({ run: 'r1', dedupe: 'a' }, 'you')).toBe('held');
    expect(await store.inbox('r1', 0)).toHaveLength(1);
    stage.dead.add('me');
    expect(await store.withdraw({ run: 'r1', dedupe: 'a' }, 'you')).toBe('withdrawn');
    expect(await store.inbox('r1', 0)).toEqual([]);
    expect(await store.commit(createNext(first, [settle('build#1')], { consumed: [1] }))).toEqual({ result: 'stale' });
    expect(await store.claim('r1', 'you')).toMatchObject({ claimed: true, state: { seq: 1 } });
  });
}

function describeLog(stage: StoreStage): void {
  test('T5: each event row has its own hash; the log is read after a position and up to a limit', async () => {
    const { store } = stage;
    let last = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(last);
    for (let n = 0; n < 5; n += 1) {
      last = createNext(last, [
        { type: 'step.changed', at: START_AT + n, activation: createActivation('build', { feedback: `try ${n}` }) },
      ]);
      await store.commit(last);
    }
    const all = await store.events('r1', 0);
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(all.map(({ hash }) => hash)).size).toBe(6);
    expect(all.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
    expect(await store.events('r1', 2, 3)).toEqual(all.slice(2, 5));
    expect(await store.events('r1', 6)).toEqual([]);
  });

  test('T5: a store that only deltas wrote passes its check', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    await store.commit(full(first));
    expect(await store.check()).toMatchObject({ ok: true, problems: [] });
  });

  test('a fork has the history of the other run up to a row, and nothing later', async () => {
    const { store } = stage;
    const first = createFirst({ run: 'r1', owner: 'me' });
    const second = full(first);
    const third = createNext(second, [settle('approve#1')], { attempts: [createAttempt('approve')] });
    for (const delta of [first, second, third]) await store.commit(delta);
    await store.commit(createFirst({ run: 'r2', owner: 'me', creation: { fork: { run: 'r1', seq: 2 } } }));
    expect((await store.attempts('r2')).map(({ step, output }) => ({ step, output }))).toEqual([
      { step: 'build', output: second.values[0]?.ref },
    ]);
    expect(await store.check()).toMatchObject({ ok: true });
  });
}

function describeReading(stage: StoreStage): void {
  test('the latest result of a step is found among many: a verdict that failed has one, an error has none', async () => {
    const { store } = stage;
    let last = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(last);
    const rows = [
      ...[1, 2].map((visit) => createAttempt('build', { path: `build#${visit}` })),
      createAttempt('build', { path: 'build#3', outcome: 'fail', status: 'failed' }),
    ];
    const error = { code: 'STEP_FAILED', message: 'no', reason: 'error' } as const;
    const { outcome: _, ...failed } = createAttempt('build', { path: 'build#4', status: 'failed', error });
    for (const attempt of [...rows, failed, createAttempt('approve')]) {
      last = createNext(last, [changeStep()], { attempts: [attempt] });
      await store.commit(last);
    }
    expect((await store.latest('r1', ['build', 'build', 'never'])).map(({ path }) => path)).toEqual(['build#3']);
    expect((await store.latest('r1')).map(({ path }) => path)).toEqual(['build#3', 'approve#1']);
    expect((await store.attempts('r1')).map(({ status }) => status)).toEqual(['completed', 'completed', 'failed', 'failed', 'completed']);
    expect((await store.attempts('r1'))[3]?.error).toEqual(error);
  });

  test('data is plain: keys such as __proto__ and class-like envelopes are read back unchanged', async () => {
    const { store } = stage;
    const texts = ['{"__proto__":{"polluted":true}}', '{"lc":1,"type":"constructor","id":["x"]}', '{"$type":"Date"}'];
    const data = [...texts.map((text, index) => ({ key: `k${index}`, text })), { key: '__proto__', text: '{"a":1}' }];
    const first = createFirst({ run: 'r1', owner: 'me', more: { data } });
    await store.commit(first);
    const read = await store.data('r1');
    expect([...read].filter(([key]) => key !== '__proto__').map(([, value]) => JSON.stringify(value))).toEqual(texts);
    expect(read.get('__proto__')).toEqual({ a: 1 });
    expect(await store.data('r1', ['k2', 'none'])).toEqual(new Map<string, Json>([['k2', { $type: 'Date' }]]));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('long data and control characters survive', async () => {
    const { store } = stage;
    const long = JSON.stringify('\u0001\u001fé𝄞"'.repeat(20_000));
    const odd = 'say \u0000\u0001\u001f "kind":"human" , "step":" \\';
    const first = createFirst({ run: 'r1', owner: 'me', more: { data: [{ key: 'long', text: long }] } });
    const second = park(first, { events: [], state: { ...first.state, seq: 2 }, release: false });
    await store.commit(first);
    await store.commit({ ...second, state: { ...second.state, halt: { reason: 'error', message: odd } }, release: true });
    expect((await store.load('r1')).state.halt?.message).toBe(odd);
    expect(JSON.stringify((await store.data('r1')).get('long'))).toBe(long);
  });
}

function describeListing(stage: StoreStage): void {
  test('lists show the newest first and filter; a prefix finds full ids', async () => {
    const { store } = stage;
    for (const [index, run] of ['ab1', 'ab2', 'b1'].entries()) {
      await store.commit(
        createFirst({
          run,
          owner: 'me',
          more: { at: START_AT + index },
          definition: createLine(run === 'b1' ? 'other' : 'deploy', ['build', 'approve']),
        }),
      );
    }
    const ids = async (query: Parameters<Store['list']>[0]): Promise<string[]> => (await store.list(query)).map(({ id }) => id);
    expect(await ids({})).toEqual(['b1', 'ab2', 'ab1']);
    expect(await ids({ workflow: 'deploy', limit: 1 })).toEqual(['ab2']);
    expect(await ids({ idPrefix: 'ab' })).toEqual(['ab2', 'ab1']);
    expect(await ids({ before: START_AT + 2 })).toEqual(['ab2', 'ab1']);
    expect(await ids({ status: ['waiting', 'failed'] })).toEqual([]);
    expect(await store.list({ idPrefix: 'b' })).toMatchObject([
      { workflow: 'other', status: 'running', currentStep: 'build', owner: 'me', createdAt: START_AT + 2 },
    ]);
    expect([...(await store.statusCounts())]).toEqual([['running', 3]]);
    expect([await store.resolve('ab', 10), await store.resolve('ab', 1)]).toEqual([['ab1', 'ab2'], ['ab1']]);
  });

  test('lists find the runs with assumptions, but not one that only mentions them', async () => {
    const { store } = stage;
    const value = createValue([{ question: 'Which?', assumed: 'this', severity: 'MUST' }]);
    const place = { path: 'build#1', step: 'build', attempt: 1, at: START_AT };
    const assumption = { id: 'a1', ...place, severity: 'MUST' as const, digest: value.ref.digest, list: value.ref, index: 0 };
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    await store.commit(
      createNext(first, [{ type: 'run.changed', at: START_AT, change: 'assumed', assumptions: [assumption] }], { values: [value] }),
    );
    const other = createFirst({ run: 'r2', owner: 'me' });
    await store.commit(other);
    const note = '"assumptions":';
    await store.commit(
      createNext(other, [
        { type: 'run.changed', at: START_AT, change: 'noted', notes: [{ by: 'note', actor: 'ann', path: '', text: note }] },
      ]),
    );
    expect((await store.list({ assumes: true })).map(({ id }) => id)).toEqual(['r1']);
  });
}

function describeOrigin(stage: StoreStage): void {
  test('a store has no owner until it is bound, and then belongs to the first', async () => {
    const { store } = stage;
    expect(await store.origin()).toBeUndefined();
    expect([await store.bind('mine'), await store.bind('yours'), await store.origin()]).toEqual(['mine', 'mine', 'mine']);
  });
}
