// `pawl resume` and `pawl retry`: continue a run after a crash or a pause, or after an escalation by a person's choice.

import { durationOf } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { didYouMean } from '../../base/suggest.ts';
import { assertStoppedAt, type ChoiceParts, choicesOf } from '../../control/resume-choice.ts';
import { type Amount, addBudgets, type Budget, budgetFault } from '../../definition/budget.ts';
import { isFinal, isHalted } from '../../definition/run-status.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { reportEnd } from '../drive.ts';
import { readJson } from '../params.ts';
import { extendOf, resumeAndDrive } from '../resumption/resumption.ts';
import { demandRight } from '../right.ts';
import { withRun } from '../session.ts';
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
    const choice = { how: 'retry' as const, ...omitUndefined({ note: args.option('note') }), ...extendOf(args) };
    return resumeAndDrive(shell, { setup, store, run: id, args, choices: [choice] });
  });

function partsOf(shell: Shell, args: ParsedArgs): ChoiceParts {
  const json = args.option('output');
  return {
    ...{ retry: args.has('retry'), accept: args.has('accept'), to: args.option('to') },
    ...{ rerun: args.options('rerun'), done: args.options('done'), failed: args.options('failed') },
    ...extendOf(args),
    ...omitUndefined({ note: args.option('note'), output: json === undefined ? undefined : readJson(shell, json, '--output') }),
  };
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
    if (value !== 'count' && value !== 'stop') throw usage(`--budget unknown must be "count" or "stop", not "${value}"`);
    return { unknown: value };
  }
  const names = [...Object.keys(AMOUNTS), 'unknown'];
  const amount = Object.hasOwn(AMOUNTS, name) ? AMOUNTS[name] : undefined;
  if (amount === undefined) throw usage(`unknown budget "${name}"${didYouMean(name, names)}; it must be one of ${names.join(', ')}`);
  const budget = { [amount]: amount === 'timeMs' ? (durationOf(value) ?? Number.NaN) : parseNumber(value) };
  if (budgetFault(budget) !== undefined || !(Number(budget[amount]) > 0))
    throw usage(`--budget ${name} must be a number above 0, such as ${name}=${amount === 'timeMs' ? '30m' : '5'}, not "${value}"`);
  return budget;
}

function parseNumber(value: string): number {
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
}

function usage(message: string): EngineError {
  return new EngineError('USAGE', `${message}; "pawl resume --help" shows the usage`);
}
