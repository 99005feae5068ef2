// Resumes a run: checks who drives it, loads its workflow and applies the person's choices.

import type { Engine } from '../../api/engine.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { assertUnknown } from '../../control/resume-choice.ts';
import type { Budget } from '../../definition/budget.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { ResumeChoice } from '../../engine/request/resume.ts';
import { isDriven, ownerText } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import type { ParsedArgs } from '../command.ts';
import { driveRun, driveWithEngine } from '../drive.ts';
import { signingOf } from '../identity/signing.ts';
import { loadWorkflowOf } from '../load.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';

interface Resumption {
  readonly setup: Setup;
  readonly store: Store;
  readonly run: string;
  readonly args: ParsedArgs;
  /** The person's choices: one to continue, or one for each step of unknown outcome. */
  readonly choices: readonly ResumeChoice[];
  readonly budget?: Budget;
}

/** Resumes the run, drives it and returns the exit code. */
export async function resumeAndDrive(shell: Shell, { setup, store, run, args, choices, budget }: Resumption): Promise<number> {
  const frozen = await store.load(run);
  const { state, owner } = frozen;
  const wait = args.has('wait');
  if (isDriven(owner) && !wait && choices.length === 0 && budget === undefined) throw lockedError(run, owner);
  // The engine rejects a run that has ended, without its code.
  const loaded = isFinal(state.status) ? undefined : await loadWorkflowOf(shell, setup.project, frozen);
  for (const choice of choices.slice(1)) assertUnknown(state, choice);
  const isDecision = choices.length > 0 || budget !== undefined || args.has('accept-changes');
  const signing = signingOf(shell, { isSigned: state.signed === true && isDecision });
  const use = async (engine: Engine): Promise<number> => {
    try {
      const [first, ...others] = choices;
      const acceptChanges = args.has('accept-changes') || undefined;
      await engine.run(run).resume({ ...signing, ...omitUndefined({ choice: first, budget, acceptChanges }) });
      for (const choice of others) await engine.run(run).resume({ ...signing, choice });
    } catch (error) {
      // Another process drives the run: follow it, and take over if it dies.
      if (!(wait && isEngineError(error) && error.code === 'RUN_LOCKED')) throw error;
      const { owner: now } = await store.load(run);
      shell.warn(`run ${run} is driven by ${ownerText(now ?? '')}; following it`);
    }
    return driveRun(shell, { engine, run, wait });
  };
  return driveWithEngine(shell, setup, { store, workflows: loaded === undefined ? [] : [loaded.workflow], use });
}

function lockedError(run: string, owner: string): EngineError {
  return new EngineError(
    'RUN_LOCKED',
    `run ${run} is driven by ${ownerText(owner)}; "pawl watch ${run}" follows it, "pawl resume ${run} --wait" also takes over if that process dies`,
    { details: { run, owner } },
  );
}

/** The value of --extend, if it is given. */
export function extendOf(args: ParsedArgs): { readonly extend?: number } {
  const text = args.option('extend');
  if (text === undefined) return {};
  const extend = Number(text);
  if (!Number.isInteger(extend) || extend < 1)
    throw new EngineError('USAGE', `--extend must be a whole number of at least 1, not "${text}"`);
  return { extend };
}
