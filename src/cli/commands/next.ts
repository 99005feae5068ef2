// `pawl next RUN`: prints what is open for the agent that does the run's work, again. It reads only the store.

import { readAttendedRun, sourceOfFile } from '../../attended/attended-run.ts';
import { withoutSubmission } from '../../attended/submission.ts';
import { printReply } from '../attended/rendering.ts';
import type { CommandRun } from '../command.ts';
import { findPlace, findRun, openForRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const found = await readAttendedRun(sourceOfFile(store, place.file), await findRun(store, prefix, place));
    return await printReply(shell, store, withoutSubmission(found));
  } finally {
    await store.close();
  }
};
