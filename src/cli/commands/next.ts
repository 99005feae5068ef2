// `pawl next RUN`: what is open for the agent that does the run's work, again. It reads the store alone.

import { tellAgent } from '../attended/attended.ts';
import { readStanding } from '../attended/standing.ts';
import type { CommandRun } from '../command.ts';
import { findPlace, findRun, openForRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const standing = await readStanding(store, place.file, await findRun(store, prefix, place));
    return await tellAgent(shell, store, { standing });
  } finally {
    await store.close();
  }
};
