// `pawl retry`: runs only what failed again.

import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { CommandRun } from '../command.ts';
import { countOf, resumeAndDrive } from '../resumption/resumption.ts';
import { withRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) =>
  withRun(shell, async ({ place, store, id }) => {
    const { state } = await store.load(id);
    checkStep(state, given.maybe('STEP'));
    const choice = { how: 'retry' as const, ...present({ note: given.option('note') }), ...countOf(given, 'extend') };
    return resumeAndDrive(shell, { place, store, run: id, given, choices: [choice] });
  });

function checkStep({ id, halt }: RunState, step: string | undefined): void {
  if (step === undefined || halt === undefined || step === halt.step || step === halt.path) return;
  throw new EngineError(
    'STEP_UNKNOWN',
    `run ${id} stopped at "${halt.step ?? 'no step'}", not at "${step}"; "pawl resume ${id} --to ${step}" continues there, "pawl fork ${id} --from ${step}" starts a new run there`,
  );
}
