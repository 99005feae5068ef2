// Owns parsing budgets on the command line: `--budget cost_usd=5 --budget time=30m --budget unknown=count`.

import { durationOf } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type Amount, addBudgets, type Budget, budgetFault } from '../../definition/budget.ts';

const AMOUNTS: Readonly<Record<string, Amount>> = { tokens: 'tokens', cost_usd: 'costUsd', turns: 'turns', time: 'timeMs' };

/** The sum of the --budget options; undefined without any. */
export function budgetOf(texts: readonly string[]): Budget | undefined {
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

function usage(what: string): EngineError {
  return new EngineError('USAGE', `${what}; "pawl resume --help" shows the usage`);
}
