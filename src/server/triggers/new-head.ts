// Owns cancelling a run that works on an earlier head of a pull request, if its trigger follows the head: another run can then
// begin with the new head.
//
// - An event about a head that is no longer the current one does nothing.
// - Neither a run's own push nor an event about the head that it began with cancels it.

import type { Engine } from '../../api/engine.ts';
import type { ForgeEvent } from '../../forge/forge.ts';
import { PUSHED } from '../../steps/run-records.ts';
import type { RunSummary } from '../../store/store.ts';

/** Cancels an open run for an earlier head. Returns the reason if it continues. */
export async function cancelForNewHead(
  engine: Engine,
  open: RunSummary,
  { event: { sha }, current }: { readonly event: ForgeEvent; readonly current: string | undefined },
): Promise<string | undefined> {
  const head = sha ?? current;
  if (current === undefined || head !== current) return 'the head of the pull request has changed again since';
  const pushed = PUSHED.read((await engine.store.data(open.id, [PUSHED.key])).get(PUSHED.key));
  if (open.origin.head?.from === head || pushed === head) return `run ${open.id} already works on that head`;
  await engine.run(open.id).cancel({ actor: 'pawl', reason: `the pull request has a new head, ${head.slice(0, 12)}` });
  return undefined;
}
