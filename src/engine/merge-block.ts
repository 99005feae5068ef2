// Owns which assumptions block a merge: those of a run and of its family, since they all work in the same workspace.

import { EngineError } from '../base/error.ts';
import { topStepOf, withoutVisits } from '../definition/address.ts';
import { blockingAssumptions } from '../definition/question/assumption-record.ts';
import type { BlockingAssumption } from '../steps/attempt.ts';
import { blockingText } from '../steps/workspace/merge-check.ts';
import type { Store } from '../store/store.ts';

/** Returns the assumptions of a run and its family that must be answered before anything is merged. */
export async function blockingAssumptionsIn(store: Store, run: string): Promise<readonly BlockingAssumption[]> {
  const found: BlockingAssumption[] = [];
  for (const { id, isReplaced } of await readFamily(store, run)) {
    const { state } = await store.load(id);
    // Such a run will not act on an answer any more, but its files may remain, so its open assumptions still count:
    // otherwise a worker could cancel or repeat a step to get rid of them.
    const isGone = isReplaced || state.status === 'cancelled';
    for (const { id: assumption, step, answer } of blockingAssumptions(state))
      if (answer === undefined || !isGone) found.push({ run: id, id: assumption, step, isAnswered: answer !== undefined });
  }
  return found;
}

interface FamilyRun {
  readonly id: string;
  /** True if the step that started it, or one above it, has started a newer run. */
  readonly isReplaced: boolean;
}

/** Returns the runs of a family. Of several runs that one step started, the newest replaces the others. */
export async function readFamily(store: Store, run: string): Promise<readonly FamilyRun[]> {
  const { ancestors } = await store.family(run);
  const all: FamilyRun[] = [{ id: ancestors.at(-1) ?? run, isReplaced: false }];
  // The list grows during the loop: each run is followed by the runs it started.
  for (const parent of all) {
    const places = new Set<string>();
    for (const { id } of await store.list({ parent: parent.id })) {
      const { parent: by } = (await store.load(id)).state;
      if (by === undefined) continue;
      const place = withoutVisits(by.path);
      all.push({ id, isReplaced: parent.isReplaced || places.has(place) });
      places.add(place);
    }
  }
  return all;
}

/**
 * Rejects a fork that would reuse the work of child runs with open blocking assumptions: the fork is not part of their
 * family, so nothing in it would wait for the answers.
 */
export async function assertForkable(store: Store, run: string, reused: ReadonlySet<string>): Promise<void> {
  const below: string[] = [];
  for (const { id } of await store.list({ parent: run })) {
    const { parent } = (await store.load(id)).state;
    if (parent !== undefined && reused.has(topStepOf(parent.path))) below.push(id);
  }
  const found: BlockingAssumption[] = [];
  for (const id of below) {
    const { state } = await store.load(id);
    const open = blockingAssumptions(state).filter(({ answer }) => answer === undefined);
    found.push(...open.map(({ id: assumption, step }) => ({ run: id, id: assumption, step, isAnswered: false })));
    below.push(...(await store.list({ parent: id })).map((one) => one.id));
  }
  if (found.length > 0) throw new EngineError('ASSUMPTION_OPEN', `a fork of run ${run} would reuse work, and ${blockingText(found)}`);
}

/** Rejects an approval that leads to a merge while an assumption blocks it. */
export async function assertMergeAllowed(store: Store, run: string, what: string): Promise<void> {
  const holding = await blockingAssumptionsIn(store, run);
  if (holding.length === 0) return;
  throw new EngineError('ASSUMPTION_OPEN', `${what} leads to a merge, and ${blockingText(holding)}`, {
    details: { assumptions: holding.map(({ run: of, id }) => ({ run: of, id })) },
  });
}
