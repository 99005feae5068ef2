// `pawl retry`: runs only what failed again.

import { EngineError } from '../../base/error.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { CommandRun } from '../command.ts';
import { countOf, resumeAndDrive } from '../resumption/resumption.ts';
import { findPlace, findRun, openForRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const id = await findRun(store, prefix, place);
    const { state } = await store.load(id);
    checkStep(state, given.maybe('STEP'));
    const note = given.option('note');
    const choice = { how: 'retry' as const, ...(note === undefined ? {} : { note }), ...countOf(given, 'extend') };
    return await resumeAndDrive(shell, { place, store, run: id, given, choice });
  } finally {
    await store.close();
  }
};

function checkStep({ id, halt }: RunState, step: string | undefined): void {
  if (step === undefined || halt === undefined || step === halt.step || step === halt.path) return;
  throw new EngineError(
    'STEP_UNKNOWN',
    `run ${id} stopped at "${halt.step ?? 'no step'}", not at "${step}"; "pawl resume ${id} --to ${step}" continues there, "pawl fork ${id} --from ${step}" starts a new run there`,
  );
}
