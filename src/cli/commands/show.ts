// `pawl show RUN`: the whole story of a run.

import type { Store } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { findPlace, findRun, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { readStory, type Story, storyLines } from '../story/story.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix, 'look');
  try {
    const story = await proved(shell, place, { store, story: await readStory(store, await findRun(store, prefix, place)) });
    const { output } = story.run;
    if (given.has('output')) shell.result({ output }, () => [JSON.stringify(output, null, 2)]);
    else shell.result(story, () => storyLines(shell, story, given.has('steps') ? 'full' : 'short'));
    return 0;
  } finally {
    await store.close();
  }
};

/** The story with its signatures proved; where nobody signed, nothing is loaded for that. */
async function proved(shell: Shell, place: Place, { store, story }: { readonly store: Store; readonly story: Story }): Promise<Story> {
  if (story.decisions.every(({ signed }) => signed === null)) return story;
  const { provedStory } = await import('../trust/check-signatures.ts');
  return provedStory(shell, place, { store, story });
}
