// `pawl retry`: runs only what failed again.

import { present } from '../../base/fields.ts';
import { assertStoppedAt } from '../../control/resume-choice.ts';
import type { CommandRun } from '../command.ts';
import { extendOf, resumeAndDrive } from '../resumption/resumption.ts';
import { withRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) =>
  withRun(shell, async ({ place, store, id }) => {
    const { state } = await store.load(id);
    assertStoppedAt(state, given.maybe('STEP'));
    const choice = { how: 'retry' as const, ...present({ note: given.option('note') }), ...extendOf(given) };
    return resumeAndDrive(shell, { place, store, run: id, given, choices: [choice] });
  });
