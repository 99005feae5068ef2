// Owns the report on hostile runs.

import { shortLine } from '../../base/short-text.ts';
import type { HostileResult } from './hostile.ts';

const WHY_MAX = 160;

/** The outcome as text: a line per step, and the counts that must be zero. */
export function formatHostileReport({ workflow, steps, falseCompletions, breaches, runs }: Omit<HostileResult, 'report'>): string {
  const width = Math.max(0, ...steps.map(({ step }) => step.length));
  const enforced = steps.filter((step) => step.enforced).length;
  const lines = steps.map(
    ({ step, enforced: is, why }) => `  ${is ? 'enforced' : 'advised '}  ${step.padEnd(width)}  ${shortLine(why, WHY_MAX)}`,
  );
  const head = steps.length === 0 ? 'no step is done by an agent' : `${enforced} of ${steps.length} steps of agents enforced`;
  return [
    `${workflow}: ${head}`,
    ...lines,
    `  ${runs} runs, false completions: ${falseCompletions.length}, breaches: ${breaches.length}`,
    ...falseCompletions.map(({ agent, step, how }) => `  FALSE COMPLETION: "${agent}" (${how}) got away with step "${step}"`),
    ...breaches.map((breach) => `  BREACH: ${breach}`),
  ].join('\n');
}
