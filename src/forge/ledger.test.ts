import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ledger, openLedger } from './ledger.ts';

let folder: string;
let ledger: Ledger;

class Lost extends Error {}
class Denied extends Error {}

function open(): Ledger {
  return openLedger({
    file: join(folder, 'ledger.db'),
    now: () => 1000,
    classify: (error) => {
      if (error instanceof Lost) return { failure: { result: 'unavailable', message: 'lost' }, mayHaveHappened: true };
      if (error instanceof Denied) return { failure: { result: 'denied', message: 'no' }, mayHaveHappened: false };
      return undefined;
    },
  });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'));
  ledger = open();
});
afterEach(async () => {
  ledger.close();
  await rm(folder, { recursive: true, force: true });
});

const ACTION = { name: 'comment', key: 'k' };

/** An action that fails like this, and counts how often it was looked for and done. */
function failing(error: Error, found?: { readonly id: string }) {
  const calls = { adopted: 0, acted: 0 };
  const work = {
    adopt: async () => {
      calls.adopted += 1;
      return found;
    },
    act: async (): Promise<{ readonly id: string }> => {
      calls.acted += 1;
      throw error;
    },
  };
  return { calls, work };
}

test('an action whose response was lost is searched immediately, and again before it is repeated', async () => {
  const lost = failing(new Lost());
  expect(await ledger.once(ACTION, lost.work)).toMatchObject({ result: 'unavailable' });
  expect(lost.calls).toEqual({ adopted: 1, acted: 1 });
  const again = failing(new Lost(), { id: '7' });
  const other = open();
  expect(await other.once(ACTION, again.work)).toEqual({ result: 'ok', value: { id: '7' } });
  other.close();
  expect(again.calls).toEqual({ adopted: 1, acted: 0 });
  expect(ledger.done('')).toEqual([{ key: 'k', action: 'comment', at: 1000, value: { id: '7' } }]);
});

test('a refusal leaves no record, so the next attempt does not look for a result', async () => {
  expect(await ledger.once(ACTION, failing(new Denied()).work)).toMatchObject({ result: 'denied' });
  const next = failing(new Denied(), { id: '7' });
  expect(await ledger.once(ACTION, next.work)).toMatchObject({ result: 'denied' });
  expect(next.calls).toEqual({ adopted: 0, acted: 1 });
});

test('a key cannot be used for another action', async () => {
  await ledger.once(ACTION, { act: async () => ({ id: '1' }) });
  expect(await ledger.once({ name: 'merge', key: 'k' }, { act: async () => ({ id: '2' }) })).toMatchObject({ result: 'denied' });
});

test('a bug is thrown, and the action stays begun', async () => {
  await expect(ledger.once(ACTION, failing(new TypeError('bug')).work)).rejects.toThrow('bug');
  const next = failing(new Lost(), { id: '7' });
  expect(await ledger.once(ACTION, next.work)).toEqual({ result: 'ok', value: { id: '7' } });
});
