// Owns what a new head of a pull request does to a run that works on an earlier one, where the trigger follows the head: the run
// ends, so that another can begin with the new head.
//
// - News of a head that is no longer the current one do nothing: the later one counts.
// - A run is not ended by its own push, nor by news of the head that it began with.

import type { Engine } from '../../api/engine.ts';
import type { ForgeEvent } from '../../forge/forge.ts';
import { PUSHED } from '../../steps/run-records.ts';
import type { RunSummary } from '../../store/store.ts';

/** Ends an open run for an earlier head. Returns why it continues, if it does. */
export async function endEarlierHead(
  engine: Engine,
  open: RunSummary,
  { event: { sha }, current }: { readonly event: ForgeEvent; readonly current: string | undefined },
): Promise<string | undefined> {
  const head = sha ?? current;
  if (current === undefined || head !== current) return 'the head of the pull request has changed again since';
  const pushed = PUSHED.read((await engine.store.data(open.id, [PUSHED.key])).get(PUSHED.key));
  if (open.origin.head?.from === head || pushed === head) return `run ${open.id} works on that head already`;
  await engine.run(open.id).cancel({ actor: 'pawl', reason: `the pull request has a new head, ${head.slice(0, 12)}` });
  return undefined;
}
