// `pawl next [RUN]`: prints what is open for the agent that does the run's work, again. It reads only the store. Without
// RUN it continues the run of the agent's session, or the only open one of the project that no session works on.

import { type AttendedRun, readAttendedRun, sourceOfFile } from '../../attended/attended-run.ts';
import { pickRun } from '../../attended/open-runs.ts';
import { onlyToken, withoutSubmission } from '../../attended/submission.ts';
import { EngineError } from '../../base/error.ts';
import type { Store } from '../../store/store.ts';
import { holdRun } from '../attended/hold-run.ts';
import { readProjectRuns } from '../attended/open-runs.ts';
import { openRunLines, printReply } from '../attended/rendering.ts';
import { pasteable } from '../caller.ts';
import type { CommandRun } from '../command.ts';
import { findPlace, findRun, openExisting, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  // An agent inside a run works on that run.
  const prefix = given.maybe('RUN') ?? shell.env.PAWL_RUN;
  await using store = prefix === undefined ? await openExisting(place) : await openForRun(place, prefix);
  if (store === undefined) throw noOpenRun();
  const id = prefix === undefined ? await chooseRun(shell, place, store) : await findRun(store, prefix, place);
  const found = await readAttendedRun(sourceOfFile(store, place.file), id);
  const token = given.option('token');
  if (token === undefined) await hold(shell, place, { store, found });
  return await printReply(shell, store, token === undefined ? withoutSubmission(found) : onlyToken(found, token));
};

/** A run that has ended belongs to nobody any more. */
async function hold(shell: Shell, place: Place, { store, found }: { readonly store: Store; readonly found: AttendedRun }): Promise<void> {
  if (found.kind !== 'ended') await holdRun(shell, place, { store, run: found.id, byName: true });
}

async function chooseRun(shell: Shell, place: Place, store: Store): Promise<string> {
  const open = await readProjectRuns(shell, place, { store });
  const picked = pickRun(open);
  if (picked !== undefined) return picked.run.id;
  if (open.length === 0) throw noOpenRun();
  const list = openRunLines(open).join('\n');
  throw new EngineError('RUN_AMBIGUOUS', `name one of the open attended runs, as in "${pasteable(shell, 'pawl next RUN')}":\n${list}`, {
    details: { runs: open.map(({ run: { id } }) => id) },
  });
}

function noOpenRun(): EngineError {
  return new EngineError('RUN_NOT_FOUND', 'no attended run is open in this project; "pawl runs" lists all runs');
}
