// Finds the assumptions that block a merge: those of all runs of a tree, since they work in the same workspace.

import { EngineError } from '../base/error.ts';
import { topStepOf } from '../definition/address.ts';
import { holdingAssumptions } from '../definition/question/assumption-record.ts';
import type { BlockingAssumption } from '../steps/attempt.ts';
import { blockingText } from '../steps/workspace/merge-check.ts';
import type { Store } from '../store/store.ts';
import { readWholeTree } from './run-tree.ts';

/** Returns the assumptions in a run's tree that must be answered before anything is merged. */
export async function blockingAssumptionsIn(store: Store, run: string): Promise<readonly BlockingAssumption[]> {
  const blocking: BlockingAssumption[] = [];
  for (const { id, isReplaced } of await readWholeTree(store, run)) {
    const { state } = await store.load(id);
    // Such a run will not act on an answer any more, but its files may remain, so its open assumptions still count:
    // otherwise a worker could cancel or repeat a step to get rid of them.
    const isOver = isReplaced || state.status === 'cancelled';
    for (const { id: assumption, step, answer } of holdingAssumptions(state))
      if (answer === undefined || !isOver) blocking.push({ run: id, id: assumption, step, isAnswered: answer !== undefined });
  }
  return blocking;
}

/**
 * Rejects a fork that would reuse the work of child runs with open blocking assumptions: the fork is not part of their
 * tree, so nothing in it would wait for the answers.
 */
export async function assertForkable(store: Store, run: string, reused: ReadonlySet<string>): Promise<void> {
  const below: string[] = [];
  for (const { id } of await store.list({ parent: run })) {
    const { parent } = (await store.load(id)).state;
    if (parent !== undefined && reused.has(topStepOf(parent.path))) below.push(id);
  }
  const blocking: BlockingAssumption[] = [];
  for (const id of below) {
    const { state } = await store.load(id);
    const open = holdingAssumptions(state).filter(({ answer }) => answer === undefined);
    blocking.push(...open.map(({ id: assumption, step }) => ({ run: id, id: assumption, step, isAnswered: false })));
    below.push(...(await store.list({ parent: id })).map((child) => child.id));
  }
  if (blocking.length > 0) throw new EngineError('ASSUMPTION_OPEN', `a fork of run ${run} would reuse work, and ${blockingText(blocking)}`);
}

/** Rejects an approval that leads to a merge while an assumption blocks it. */
export async function assertMergeAllowed(store: Store, run: string, subject: string): Promise<void> {
  const holding = await blockingAssumptionsIn(store, run);
  if (holding.length === 0) return;
  throw new EngineError('ASSUMPTION_OPEN', `${subject} leads to a merge, and ${blockingText(holding)}`, {
    details: { assumptions: holding.map(({ run: of, id }) => ({ run: of, id })) },
  });
}
