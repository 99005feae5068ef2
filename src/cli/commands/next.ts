// `pawl next [RUN]`: prints the open step again for the agent that does the run's work. Without RUN it uses the run of the
// agent's session, or the only open run of the project that no session works on.

import { readAttendedRun, sourceOfFile } from '../../attended/attended-run.ts';
import { selectRun } from '../../attended/open-runs.ts';
import { onlyToken, withoutSubmission } from '../../attended/submission.ts';
import { EngineError } from '../../base/error.ts';
import type { Store } from '../../store/store.ts';
import { openRunLines } from '../attended/rendering.ts';
import { printReply } from '../attended/reply.ts';
import { bindToCaller, readProjectRuns } from '../attended/session-runs.ts';
import type { CommandRun } from '../command.ts';
import { findRun, findSetup, openExisting, openForRun, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  // An agent inside a run works on that run.
  const prefix = args.maybe('RUN') ?? shell.env.PAWL_RUN;
  await using store = prefix === undefined ? await openExisting(setup) : await openForRun(setup, prefix);
  if (store === undefined) throw noOpenRun();
  const id = prefix === undefined ? await chooseRun(shell, setup, store) : await findRun(store, prefix, setup);
  const found = await readAttendedRun(sourceOfFile(store, setup.file), id);
  const token = args.option('token');
  // A run that has ended belongs to no session.
  if (token === undefined && found.kind !== 'ended') await bindToCaller(shell, setup, { store, run: found.id, isNamed: true });
  return await printReply(shell, store, token === undefined ? withoutSubmission(found) : onlyToken([found], token));
};

async function chooseRun(shell: Shell, setup: Setup, store: Store): Promise<string> {
  const open = await readProjectRuns(shell, setup, { store });
  const picked = selectRun(open);
  if (picked !== undefined) return picked.run.id;
  if (open.length === 0) throw noOpenRun();
  const list = openRunLines(open).join('\n');
  throw new EngineError('RUN_AMBIGUOUS', `name one of the open attended runs, as in "${shell.pasteable('pawl next RUN')}":\n${list}`, {
    details: { runs: open.map(({ run: { id } }) => id) },
  });
}

function noOpenRun(): EngineError {
  return new EngineError('RUN_NOT_FOUND', 'no attended run is open in this project; "pawl runs" lists all runs');
}
