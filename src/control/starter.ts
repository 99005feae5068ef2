// Finds the person who started a run. A child run counts as started by the person who started its topmost parent.

import type { Store } from '../store/store.ts';

/** Who started a run, or the topmost parent of a child run; undefined if that is not recorded. */
export async function starterOf(store: Pick<Store, 'load'>, run: string): Promise<string | undefined> {
  let { state, origin } = await store.load(run);
  while (state.parent !== undefined) ({ state, origin } = await store.load(state.parent.run));
  return origin.actor;
}

/** Describes a run by its starter, for messages. */
export function startedText(starter: string | undefined): string {
  return starter === undefined ? 'a run of unknown origin' : `a run that ${starter} started`;
}
