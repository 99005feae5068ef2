// Owns the part of the store contract about what agents used, and about accounts without capacity.

import { expect, test } from 'vitest';
import { omitUndefined } from '../../base/fields.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { type AgentUse, type Delta, NO_USAGE, type Store, type UsageQuery, type UsedAmounts } from '../../store/store.ts';
import { createFirst, createNext, START_AT } from './deltas.ts';
import type { StoreStage } from './suite.ts';

const DAY_MS = 86_400_000;

async function addRun(store: Store, run: string, parent?: string): Promise<Delta> {
  const started = parent === undefined ? {} : { started: { parent: { run: parent, path: 'build#1' }, depth: 1 } };
  const first = createFirst({ run, owner: 'me', ...started });
  await store.commit(first);
  return first;
}

async function spend(store: Store, use: Partial<AgentUse>, used?: UsedAmounts): Promise<void> {
  const plain = { run: 'r1', path: 'build#1', step: 'build', attempt: 1, role: 'developer', account: 'team', at: START_AT };
  const id = await store.beginUse({ ...plain, ...use });
  if (used !== undefined) await store.endUse(id, used);
}

/** Describes the ledger: what it sums up, and that it never takes unknown for nothing. */
export function describeLedger(stage: StoreStage): void {
  describeSums(stage);
  describeUnknown(stage);
  describeFamilies(stage);
  describeAccounts(stage);
}

function describeSums(stage: StoreStage): void {
  test('the ledger sums up known usage, and counts attempts with unknown usage', async () => {
    const { store } = stage;
    await addRun(store, 'r1');
    expect(await store.usage({})).toEqual(NO_USAGE);
    await spend(store, {}, { inputTokens: 10, outputTokens: 5, costUsd: 0.25, turns: 2, ms: 1000 });
    await spend(store, { attempt: 2 }, { inputTokens: 1, ms: 500 });
    await spend(store, { attempt: 3 });
    expect(await store.usage({ run: 'r1' })).toEqual({
      attempts: 3,
      inputTokens: 11,
      outputTokens: 5,
      costUsd: 0.25,
      turns: 2,
      ms: 1500,
      unknownCost: 2,
      unknownTokens: 1,
      unknownTurns: 2,
    });
    const plain = { path: 'build#1', step: 'build', role: 'developer', account: 'team', at: START_AT };
    expect(await store.uses('r1')).toEqual([
      { ...plain, attempt: 1, inputTokens: 10, outputTokens: 5, costUsd: 0.25, turns: 2, ms: 1000 },
      { ...plain, attempt: 2, inputTokens: 1, ms: 500 },
      { ...plain, attempt: 3 },
    ]);
  });

  test('the ledger can be queried by run, step, role and time', async () => {
    const { store } = stage;
    await addRun(store, 'r1');
    await addRun(store, 'r2');
    await spend(store, {}, { turns: 1, ms: 1 });
    await spend(store, { step: 'test', at: START_AT + DAY_MS }, { turns: 2, ms: 1 });
    await spend(store, { run: 'r2', role: 'reviewer' }, { turns: 4, ms: 1 });
    const turns = async (query: Parameters<Store['usage']>[0]): Promise<number> => (await store.usage(query)).turns;
    expect(await turns({})).toBe(7);
    expect(await turns({ run: 'r1' })).toBe(3);
    expect(await turns({ run: 'r1', step: 'test' })).toBe(2);
    expect(await turns({ role: 'reviewer' })).toBe(4);
    expect(await turns({ since: START_AT + DAY_MS })).toBe(2);
    expect(await turns({ run: 'nobody' })).toBe(0);
  });

  test('the ledger outlives the process', async () => {
    await addRun(stage.store, 'r1');
    await spend(stage.store, {}, { costUsd: 1.5, ms: 1 });
    if (stage.reopen !== undefined) stage.store = await stage.reopen();
    expect(await stage.store.usage({ run: 'r1' })).toMatchObject({ costUsd: 1.5 });
  });

  test('the recent usage of a removed run still counts for its day', async () => {
    const { store } = stage;
    const first = await addRun(store, 'r1');
    await spend(store, {}, { turns: 1, ms: 1 });
    await spend(store, { at: START_AT - 5 * DAY_MS }, { turns: 2, ms: 1 });
    const end: RunEvent[] = [
      { type: 'step.settled', at: START_AT, path: 'build#1', attempt: 1, outcome: 'ok' },
      { type: 'run.changed', at: START_AT, change: 'ended', status: 'completed' },
    ];
    await store.commit(createNext(first, end, { release: true, status: 'completed' }));
    await store.prune({ before: START_AT + 1, status: ['completed'] });
    expect(await store.usage({ run: 'r1' })).toEqual(NO_USAGE);
    expect(await store.usage({})).toMatchObject({ attempts: 1, turns: 1 });
  });
}

function describeUnknown(stage: StoreStage): void {
  test('the usage of a running agent is not unknown; that of an agent interrupted by a crash is', async () => {
    const { store } = stage;
    await addRun(store, 'r1');
    await addRun(store, 'r2');
    const open = { path: 'build#1', step: 'build', role: 'developer', account: 'team', at: START_AT, attempt: 1 };
    const row = await store.beginUse({ ...open, run: 'r1' });
    await store.beginUse({ ...open, run: 'r2' });
    const unknown = async (working?: UsageQuery['working']): Promise<number> => (await store.usage(omitUndefined({ working }))).unknownCost;
    expect(await unknown()).toBe(2);
    expect(await unknown({ run: 'r1', rows: [row] })).toBe(0);
    expect(await unknown({ run: 'r1', rows: [] })).toBe(1);
    await store.endUse(row, { ms: 5 });
    expect(await unknown({ run: 'r1', rows: [row] })).toBe(1);
  });
}

function describeFamilies(stage: StoreStage): void {
  test('what children used counts for their parents, but not vice versa', async () => {
    const { store } = stage;
    await addRun(store, 'r1');
    await addRun(store, 'child', 'r1');
    await addRun(store, 'grandchild', 'child');
    await addRun(store, 'stranger');
    for (const run of ['r1', 'child', 'grandchild', 'stranger']) await spend(store, { run }, { turns: 1, ms: 1 });
    const turns = async (run: string): Promise<number> => (await store.usage({ run, withChildren: true })).turns;
    expect([await turns('r1'), await turns('child'), await turns('grandchild')]).toEqual([3, 2, 1]);
    expect(await store.tree('grandchild')).toEqual({ ancestors: ['child', 'r1'], runs: 3 });
    expect(await store.tree('r1')).toEqual({ ancestors: [], runs: 3 });
    await expect(store.tree('nobody')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
}

function describeAccounts(stage: StoreStage): void {
  test('an account is closed until a time, for whoever opens the store', async () => {
    const { store } = stage;
    const closed = { account: 'team', until: START_AT + 10, why: 'limit reached' };
    await store.closeAccount(closed);
    expect(await store.closedAccounts(START_AT + 9)).toEqual([closed]);
    expect(await store.closedAccounts(START_AT + 10)).toEqual([]);
    await store.closeAccount({ ...closed, until: START_AT + 5, why: 'earlier' });
    expect(await store.closedAccounts(START_AT + 9)).toEqual([closed]);
    await store.closeAccount({ ...closed, until: START_AT + 20, why: 'later' });
    if (stage.reopen !== undefined) stage.store = await stage.reopen();
    expect(await stage.store.closedAccounts(START_AT + 19)).toMatchObject([{ why: 'later' }]);
    await stage.store.openAccounts();
    expect(await stage.store.closedAccounts(START_AT)).toEqual([]);
  });
}
