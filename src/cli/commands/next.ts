// `pawl next RUN`: prints what is open for the agent that does the run's work, again. It reads only the store.

import { readAttendedRun, sourceOfFile } from '../../attended/attended-run.ts';
import { withoutSubmission } from '../../attended/submission.ts';
import { printReply } from '../attended/rendering.ts';
import type { CommandRun } from '../command.ts';
import { withRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = (shell) =>
  withRun(shell, async ({ place, store, id }) =>
    printReply(shell, store, withoutSubmission(await readAttendedRun(sourceOfFile(store, place.file), id))),
  );
