// Prints the assumptions of agents. Their text comes from agents, so control characters are removed.

import type { AssumptionReport } from '../control/schema/run.ts';
import { agoText } from '../control/time-text.ts';
import type { Shell } from './shell.ts';
import { oneLine } from './terminal.ts';

/** Assumptions as lines for people. */
export function assumptionLines(shell: Shell, assumptions: readonly AssumptionReport[]): string[] {
  return assumptions.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...linesOf(shell, one)]);
}

/** An assumption on one line. */
export function assumptionLine(shell: Shell, { id, severity, step, question, assumed, state }: AssumptionReport): string {
  const mark = state === 'open' ? shell.style(severity === 'MUST' ? 'red' : 'yellow', severity) : shell.style('dim', state);
  return `${id}  ${mark}  ${oneLine(step)}: ${oneLine(question)} Assumed: ${oneLine(assumed)}`;
}

function linesOf(shell: Shell, one: AssumptionReport): string[] {
  const { run, answer, options, command, digest, state, at, path } = one;
  const others = options.length === 0 ? [] : [`  options: ${options.map((option) => oneLine(option)).join(', ')}`];
  const head = [assumptionLine(shell, one), ...others, shell.style('dim', `  run ${run}, ${oneLine(path)}, ${agoText(Date.parse(at))}`)];
  const todo = command === null ? [] : [`  ${shell.pasteable(command)}`];
  if (answer === null) return [...head, ...todo, `  digest ${digest}`];
  const action = state === 'confirmed' ? 'confirmed it' : `answered ${JSON.stringify(oneLine(answer.text))}`;
  const unmet = answer.unmet ? ['  the run had ended, so nothing ran again; a fork uses the answer:', ...todo] : [];
  return [...head, `  ${oneLine(answer.actor)} ${action}, ${agoText(Date.parse(answer.at))}`, ...unmet];
}
