// Owns the look at a whole store with its signatures: what the store itself can prove, and that everything which takes a
// signature has one that counts here.

import { isEngineError } from '../base/error.ts';
import { proveRun } from '../engine/signature-proof.ts';
import type { Store, StoreReport } from '../store/store.ts';
import { keyListOf } from './identity.ts';
import type { Place } from './session.ts';
import type { Shell } from './shell.ts';

/** Verifies the store and the signatures of every run in it. */
export async function checkAll(shell: Shell, { project }: Place, store: Store): Promise<StoreReport> {
  const report = await store.check();
  const known = new Set(report.problems.flatMap(({ run }) => run ?? []));
  const keys = keyListOf(shell, project);
  const problems = [...report.problems];
  for (const { id, damaged } of await store.list({})) {
    // What the store found is the reason already.
    if (damaged === undefined && !known.has(id)) problems.push(...(await problemsOf(store, id, () => keys)));
  }
  return { ...report, ok: problems.length === 0, problems };
}

async function problemsOf(store: Store, run: string, keys: Parameters<typeof proveRun>[2]): Promise<StoreReport['problems']> {
  try {
    await proveRun(store, await store.load(run), keys);
    return [];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { seq } = error.details;
    return [{ run, what: error.message, ...(typeof seq === 'number' ? { seq } : {}) }];
  }
}
