// Resumes runs: after a crash unchanged, after a halt with a choice, with a larger budget, or with changed code.

import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { type Json, toPlain } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type Budget, budgetFault } from '../../definition/budget.ts';
import type { Definition } from '../../definition/model.ts';
import { stepsPassed } from '../../definition/passage.ts';
import { isFinal, isHalted } from '../../definition/run-status.ts';
import { type Path, waitOf } from '../../kernel/activation.ts';
import type { ControlAction } from '../../kernel/input.ts';
import { type RunState, unknownAt } from '../../kernel/run-state.ts';
import type { StoredValue } from '../../store/store.ts';
import { RunDriver } from '../driver.ts';
import type { EngineCore } from '../engine.ts';
import type { Signer } from '../signature/signatures.ts';
import { storedValue } from '../values.ts';
import { requireActor } from './actor.ts';
import { runLockedError } from './owner-wait.ts';
import { checkChoice } from './request-shape.ts';
import { controlRun, finalRunError, undoneRunError } from './requests.ts';

/** How a run that was stopped continues. */
export type ResumeChoice<Step extends string = string, Place extends string = Path> =
  | { readonly how: 'retry'; readonly note?: string | undefined; readonly extend?: number | undefined }
  | { readonly how: 'accept'; readonly note?: string | undefined; readonly output?: Json | undefined }
  | { readonly how: 'goto'; readonly step: Step; readonly note?: string | undefined }
  /** `path` is the step, or the group if it covers all members whose end is unknown. */
  | {
      readonly how: 'rerun' | 'done' | 'failed';
      readonly path?: Place | undefined;
      readonly note?: string | undefined;
      readonly output?: Json | undefined;
    };

/**
 * How a run continues. After a crash it continues unchanged, and no actor is needed; work that waits for budget or
 * capacity then checks again only if an actor is named. Every choice, grant and acceptance is recorded with the actor.
 */
export type ResumeRequest<Step extends string = string, Place extends string = Path> =
  | {
      readonly actor?: string | undefined;
      readonly choice?: undefined;
      readonly budget?: undefined;
      readonly acceptChanges?: false | undefined;
      readonly sign?: Signer | undefined;
    }
  | {
      readonly actor: string;
      readonly choice?: ResumeChoice<Step, Place> | undefined;
      /** Lets the run use this much more than its budgets allow. */
      readonly budget?: Budget | undefined;
      /** Continues with the current code, although the run started with other code. */
      readonly acceptChanges?: boolean | undefined;
      /** Signs, as the actor, each override that requires a signature. */
      readonly sign?: Signer | undefined;
    };

/** Continues a run: after a crash unchanged, after a halt with a named person's choice. */
export async function resumeRun(core: EngineCore, run: string, options: ResumeRequest): Promise<void> {
  const { budget } = options;
  const isNamed = options.actor !== undefined;
  const decides = options.choice !== undefined || budget !== undefined || options.acceptChanges === true;
  const { state, definition } = await core.store.load(run);
  const actor = isNamed || decides ? requireActor(options, `resume run ${run}`) : undefined;
  if (isFinal(state.status)) throw finalRunError(state);
  if (state.status === 'failed' && state.undoing !== undefined) throw undoneRunError(state);
  const acceptedBy = options.acceptChanges === true ? actor : undefined;
  const accept = omitUndefined({ acceptedBy, sign: options.sign });
  if (options.choice !== undefined) checkChoice(run, options.choice);
  // A rejected choice must not leave its grant behind.
  const chosen = options.choice === undefined ? undefined : actionOf(state, definition, options.choice);
  if (budget !== undefined) await grantBudget(core, run, { budget, actor, ...accept });
  if (chosen === undefined) {
    if (isHalted(state.status) && budget === undefined) throw resumeRefusedError(state);
    if (state.paused) return controlRun(core, run, { action: { do: 'unpause' }, actor, ...accept });
    if (budget !== undefined) return;
    const waits = Object.values(state.live).map((activation) => waitOf(activation)?.kind);
    // A named actor says that there is capacity again. If there is not, the next agent finds out.
    if (isNamed && waits.includes('capacity')) await core.store.openAccounts();
    if (isNamed && (waits.includes('budget') || waits.includes('capacity')))
      return controlRun(core, run, { action: { do: 'recheck' }, actor, ...accept });
    const driver = await core.drive(run, accept);
    if (driver !== undefined && !(driver instanceof RunDriver))
      throw runLockedError(run, driver.heldBy, { at: state.at, isRecorded: false });
    return;
  }
  await controlRun(core, run, { ...chosen, actor, ...accept });
}

interface Grant {
  readonly budget: Budget;
  readonly actor: string | undefined;
  readonly acceptedBy?: string;
  readonly sign?: Signer | undefined;
}

/** Lets a run use more than its budgets allow. Runs that it started wait for the same budget, so they check again. */
async function grantBudget(core: EngineCore, run: string, { budget, ...options }: Grant): Promise<void> {
  const fault = budgetFault(budget);
  if (fault !== undefined) throw new EngineError('OPTION_INVALID', `the budget for run ${run} is invalid: ${fault}`);
  await controlRun(core, run, { action: { do: 'grant', budget }, ...options });
  await recheckChildren(core, run, options.actor);
}

async function recheckChildren(core: EngineCore, run: string, actor: string | undefined): Promise<void> {
  for (const { id, status } of await core.store.list({ parent: run })) {
    if (isFinal(status)) continue;
    const { state } = await core.store.load(id);
    const waits = Object.values(state.live).some((activation) => waitOf(activation)?.kind === 'budget');
    // A child that cannot be driven here checks again when another process drives it. The grant itself is done.
    if (waits) await controlRun(core, id, { action: { do: 'recheck' }, actor }).catch((error: unknown) => core.warn(error));
    await recheckChildren(core, id, actor);
  }
}

function actionOf(
  state: RunState,
  definition: Definition,
  choice: ResumeChoice,
): { action: ControlAction; values: readonly StoredValue[] } {
  const { note } = choice;
  const { output: accepted = null } = 'output' in choice ? choice : {};
  const value = accepted === null ? undefined : storedValue(toPlain(accepted, 'the accepted output'));
  const output = value?.ref;
  const values = value === undefined ? [] : [value];
  const ids = definition.steps.map(({ id }) => id);
  switch (choice.how) {
    case 'retry':
      if (!isHalted(state.status)) throw resumeRefusedError(state);
      if (state.halt?.reason === 'exhausted' && choice.extend === undefined) throw resumeRefusedError(state);
      return { values, action: { do: 'retry', note, extend: choice.extend } };
    case 'accept':
      if (!isHalted(state.status) || state.halt?.path === undefined || state.halt.reason === 'exhausted') throw resumeRefusedError(state);
      return { values, action: { do: 'accept', note, output } };
    case 'goto':
      if (!isHalted(state.status) || state.form === 'flow') throw resumeRefusedError(state);
      if (!ids.includes(choice.step))
        throw new EngineError('STEP_UNKNOWN', `workflow "${state.workflow}" has no step "${choice.step}"${didYouMean(choice.step, ids)}`);
      return { values, action: { do: 'goto', step: choice.step, passed: passedBy(state, definition, choice.step), note } };
    default:
      return { values, action: { do: 'resolve', path: unknownPath(state, choice), how: RESOLUTIONS[choice.how], note, output } };
  }
}

/** Returns the steps that a stopped run skips when it continues at another step. */
function passedBy({ halt }: RunState, definition: Definition, step: string): readonly string[] {
  return stepsPassed(definition, halt?.step ?? definition.entry, step);
}

const NAMED_MAX = 20;
const RESOLUTIONS = { rerun: 'rerun', done: 'accept', failed: 'fail' } as const;

function unknownPath(state: RunState, { path, output }: Extract<ResumeChoice, { readonly how: 'rerun' | 'done' | 'failed' }>): Path {
  const unknown = Object.values(state.live).filter((activation) => activation.state === 'unknown');
  const [only, another] = unknown;
  const named = path ?? (another === undefined ? only?.path : undefined);
  const found = named === undefined ? [] : unknownAt(state, named);
  if (found.length > 1 && output !== undefined)
    throw new EngineError('OPTION_INVALID', `an output belongs to one step, but ${named} has ${found.length}; name one of them`);
  if (named !== undefined && found.length > 0) return named;
  const groups = new Set(unknown.flatMap(({ member }) => member?.group ?? []));
  const names = [...groups, ...unknown.map((activation) => activation.path)];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  throw new EngineError(
    'WAIT_NOT_FOUND',
    unknown.length === 0
      ? `run ${state.id} has no step whose end is unknown${isHalted(state.status) ? '' : '; if its process died, resume it without a choice first: that finds out which steps were interrupted'}`
      : `run ${state.id} has steps whose end is unknown; name one${groups.size === 0 ? '' : ', or a group for all of its members'}: ${names.slice(0, NAMED_MAX).join(', ')}${more}`,
  );
}

function resumeRefusedError(state: RunState): EngineError {
  if (!isHalted(state.status))
    return new EngineError('RESUME_REFUSED', `run ${state.id} is ${state.status}, not stopped; resume it without a choice`);
  const { halt } = state;
  const exhausted = halt?.reason === 'exhausted';
  const choices = exhausted
    ? 'retry with extend: N to allow N more, goto another step, or cancel'
    : `retry (with a note), accept the step as done in your name, ${state.form === 'graph' ? 'goto another step, ' : ''}or cancel`;
  return new EngineError(
    'RESUME_REFUSED',
    `run ${state.id} stopped${halt?.step === undefined ? '' : ` at "${halt.step}"`}: ${halt?.message ?? 'no reason recorded'}; choose how it continues: ${choices}`,
    { details: { run: state.id, halt: halt as unknown as Record<string, unknown> } },
  );
}
