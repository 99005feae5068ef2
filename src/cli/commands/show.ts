// `pawl show RUN`: the whole story of a run.

import { provedStory } from '../check-signatures.ts';
import type { CommandRun } from '../command.ts';
import { findPlace, findRun, openForRun } from '../session.ts';
import { storyLines } from '../story.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix, 'look');
  try {
    const story = await provedStory(shell, place, { store, run: await findRun(store, prefix, place) });
    const { output } = story.run;
    if (given.has('output')) shell.result({ output }, () => [JSON.stringify(output, null, 2)]);
    else shell.result(story, () => storyLines(shell, story, given.has('steps') ? 'full' : 'short'));
    return 0;
  } finally {
    await store.close();
  }
};
