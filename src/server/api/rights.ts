// Owns the right of a caller to do something to a run, by the same rules as on the command line: `src/authority` decides.

import { isOthersRun, type Right, type RightRequest, rightOf } from '../../authority/right.ts';
import { startedText, starterOf } from '../../control/starter.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../caller.ts';

/** The right of a caller, or an error that says which one is missing. */
export function demandRight(caller: Caller, request: Pick<RightRequest, 'demand' | 'on' | 'about'>): Right {
  return rightOf(caller, request);
}

/** Checks that a caller may control a run: their own, or with the right to override one that someone else started. */
export async function demandSteering(
  store: Store,
  caller: Caller,
  { run, on }: { readonly run: string; readonly on: string },
): Promise<Right> {
  const starter = await starterOf(store, run);
  if (!isOthersRun(caller, starter)) return demandRight(caller, { demand: 'steer', on });
  return demandRight(caller, { demand: 'override', on, about: startedText(starter) });
}
