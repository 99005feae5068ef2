// `pawl resume` and `pawl retry`: continue a run after a crash or a pause, or after an escalation by a person's choice.

import type { Engine } from '../../api/engine.ts';
import { durationOf } from '../../base/duration.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { didYouMean } from '../../base/suggest.ts';
import { assertStoppedAt, assertUnknown, type ChoiceParts, choicesOf } from '../../control/resume-choice.ts';
import { type Amount, addBudgets, type Budget, budgetFault } from '../../definition/budget.ts';
import { isFinal, isHalted } from '../../definition/run-status.ts';
import type { ResumeChoice } from '../../engine/request/resume.ts';
import { isDriven, ownerText } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import { type CommandRun, commandError, type ParsedArgs } from '../command.ts';
import { driveRun, driveWithEngine, reportEnd } from '../drive.ts';
import { signingOf } from '../identity/signing.ts';
import { loadWorkflowOf } from '../load.ts';
import { readJson, wholeNumber } from '../params.ts';
import { demandRight } from '../right.ts';
import { type Setup, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs `pawl resume`. */
export const run: CommandRun = async (shell, args) => {
  const choices = choicesOf(partsOf(shell, args), (part) => `--${part}`);
  const budget = budgetOf(args.options('budget'));
  return withRun(shell, async ({ setup, store, id }) => {
    const { state } = await store.load(id);
    const needsChoice = choices.length === 0 && budget === undefined && isHalted(state.status) && !isFinal(state.status);
    if (needsChoice && !shell.isInteractive) return reportEnd(shell, { store, run: id });
    const { askChoice } = await import('../resumption/prompt.ts');
    if (needsChoice) await demandRight(shell, { demand: 'override', on: 'pawl resume' });
    const asked = needsChoice ? await askChoice(shell, state) : undefined;
    if (asked === 'leave') return reportEnd(shell, { store, run: id });
    const chosen = asked === undefined ? choices : [asked];
    return resumeAndDrive(shell, { setup, store, run: id, args, choices: chosen, ...omitUndefined({ budget }) });
  });
};

/** Runs `pawl retry`. */
export const retry: CommandRun = (shell, args) =>
  withRun(shell, async ({ setup, store, id }) => {
    assertStoppedAt((await store.load(id)).state, args.maybe('STEP'));
    const choice = { how: 'retry' as const, ...omitUndefined({ note: args.option('note'), extend: extendOf(args) }) };
    return resumeAndDrive(shell, { setup, store, run: id, args, choices: [choice] });
  });

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
async function resumeAndDrive(shell: Shell, { setup, store, run, args, choices, budget }: Resumption): Promise<number> {
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

function partsOf(shell: Shell, args: ParsedArgs): ChoiceParts {
  const json = args.option('output');
  return {
    ...{ retry: args.has('retry'), accept: args.has('accept'), to: args.option('to') },
    ...{ rerun: args.options('rerun'), done: args.options('done'), failed: args.options('failed') },
    ...omitUndefined({ note: args.option('note'), extend: extendOf(args) }),
    ...omitUndefined({ output: json === undefined ? undefined : readJson(shell, json, '--output') }),
  };
}

function extendOf(args: ParsedArgs): number | undefined {
  return wholeNumber(args, 'extend', { min: 1 });
}

const AMOUNTS: Readonly<Record<string, Amount>> = { tokens: 'tokens', cost_usd: 'costUsd', turns: 'turns', time: 'timeMs' };

/** The sum of the options `--budget cost_usd=5 --budget time=30m --budget unknown=count`; undefined without any. */
function budgetOf(texts: readonly string[]): Budget | undefined {
  return texts.length === 0 ? undefined : texts.map(parseBudget).reduce(addBudgets);
}

function parseBudget(text: string): Budget {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? '' : text.slice(equals + 1);
  if (name === 'unknown') {
    if (value !== 'count' && value !== 'stop') throw commandError('resume', `--budget unknown must be "count" or "stop", not "${value}"`);
    return { unknown: value };
  }
  const names = [...Object.keys(AMOUNTS), 'unknown'];
  const amount = Object.hasOwn(AMOUNTS, name) ? AMOUNTS[name] : undefined;
  if (amount === undefined)
    throw commandError('resume', `unknown budget "${name}"${didYouMean(name, names)}; it must be one of ${names.join(', ')}`);
  const budget = { [amount]: amount === 'timeMs' ? (durationOf(value) ?? Number.NaN) : parseNumber(value) };
  if (budgetFault(budget) !== undefined || !(Number(budget[amount]) > 0))
    throw commandError(
      'resume',
      `--budget ${name} must be a number above 0, such as ${name}=${amount === 'timeMs' ? '30m' : '5'}, not "${value}"`,
    );
  return budget;
}

function parseNumber(value: string): number {
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
}
