// Owns taking a run up again: who drives it now, the workflow it belongs to, and the choice of a person.

import type { Engine } from '../../api/engine.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Budget } from '../../definition/budget.ts';
import type { ResumeChoice } from '../../engine/resume.ts';
import { isFinal } from '../../kernel/run-state.ts';
import { isDead, ownerText } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import type { Given } from '../command.ts';
import { driveRun, driveWithEngine } from '../drive.ts';
import { signingOf } from '../identity/signing.ts';
import { loadWorkflowOf } from '../load.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/** A run to take up again. */
export interface Resumption {
  readonly place: Place;
  readonly store: Store;
  readonly run: string;
  readonly given: Given;
  readonly choice?: ResumeChoice;
  /** What the run may use beyond its budgets. */
  readonly budget?: Budget;
}

/** Takes the run up, drives it and gives the exit code. */
export async function resumeAndDrive(shell: Shell, { place, store, run, given, choice, budget }: Resumption): Promise<number> {
  const frozen = await store.load(run);
  const { state, owner } = frozen;
  const wait = given.has('wait');
  const isHeld = owner !== undefined && !isDead(owner);
  if (isHeld && !wait && choice === undefined && budget === undefined) throw heldError(run, owner);
  // A run that has ended is refused by the engine, in its words; its code is not needed for that.
  const loaded = isFinal(state.status) ? undefined : await loadWorkflowOf(shell, place.project, frozen);
  const passes = choice !== undefined || budget !== undefined || given.has('accept-changes');
  const signing = signingOf(shell, { isSigned: state.signed === true && passes });
  const use = async (engine: Engine): Promise<number> => {
    try {
      await engine.run(run).resume({
        ...signing,
        ...(choice === undefined ? {} : { choice }),
        ...(budget === undefined ? {} : { budget }),
        ...(given.has('accept-changes') ? { acceptChanges: true } : {}),
      });
    } catch (error) {
      // Whoever was quicker drives it; we follow, and take over should that process die.
      if (!(wait && isEngineError(error) && error.code === 'RUN_LOCKED')) throw error;
      const { owner: now } = await store.load(run);
      shell.warn(`${ownerText(now ?? '')} drives run ${run}; this follows it`);
    }
    return driveRun(shell, { engine, run, wait });
  };
  return driveWithEngine(shell, place, { store, workflows: loaded === undefined ? [] : [loaded.workflow], use });
}

/** The error of a command that needs a run which another process drives. */
function heldError(run: string, owner: string): EngineError {
  return new EngineError(
    'RUN_LOCKED',
    `run ${run} is driven by ${ownerText(owner)}; "pawl watch ${run}" shows how it goes, "pawl resume ${run} --wait" takes over should that process die`,
    { details: { run, owner } },
  );
}

/** A whole number of an option, under its own name. */
export function countOf(given: Given, name: 'extend'): { readonly extend?: number } {
  const text = given.option(name);
  if (text === undefined) return {};
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new EngineError('USAGE', `--${name} is a whole number of at least 1, not "${text}"`);
  return { [name]: count };
}
