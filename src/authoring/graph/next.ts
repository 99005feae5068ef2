// Reads `next`: all its forms become one table from outcome to edge, and every edge that leads back gets a limit, so that no
// run loops forever.

import type { Choice, Edge, NextTable, Target } from '../../definition/model.ts';
import { STRING_NEXT_COVERS } from '../../definition/outcome.ts';
import { isReservedId } from '../../definition/validation/validate-step.ts';
import type { BoundedNext, ConditionalTarget } from '../spec/part.ts';
import { defined, type StepReading } from './reading.ts';
import type { NextSpec, TargetSpec } from './spec.ts';

/** The order of the steps, which decides whether a transition leads back. */
export interface StepOrder {
  /** The position of the step that the transition leaves. */
  readonly from: number;
  readonly position: ReadonlyMap<string, number>;
  /** The bound of backward edges without one of their own; undefined if every bound must be written. */
  readonly maxIterations: number | undefined;
}

type EntrySpec = TargetSpec | BoundedNext | { readonly step: string } | ConditionalTarget;

/** The transition table of a `next`. */
export function readNext(next: NextSpec | undefined, order: StepOrder, step: StepReading): NextTable {
  if (next === undefined) return {};
  if (isEntry(next)) {
    const entry = readEntry(next, order, step);
    return Object.fromEntries(STRING_NEXT_COVERS.map((outcome) => [outcome, entry]));
  }
  return Object.fromEntries(Object.entries(next).map(([outcome, entry]) => [outcome, readEntry(entry as EntrySpec, order, step)]));
}

function isEntry(next: NextSpec): next is EntrySpec {
  if (next === null || typeof next === 'string') return true;
  return typeof next === 'object' && ('condition' in next || 'to' in next || 'step' in next);
}

function readEntry(entry: EntrySpec, order: StepOrder, step: StepReading): Edge | Choice {
  if (entry === null || typeof entry === 'string') return readEdge({ to: entry }, order);
  if (typeof entry === 'object' && 'condition' in entry) return readChoice(entry, order, step);
  if (typeof entry === 'object' && 'step' in entry) return readEdge({ to: entry.step }, order);
  if (typeof entry === 'object' && 'to' in entry) return readEdge(entry, order);
  step.fault(
    'FIELD_INVALID',
    `\`next\` must name a step, not ${JSON.stringify(entry)}`,
    'write a step id, null, or { to, maxIterations, onExhausted }',
  );
  return { to: { end: 'complete' } };
}

function readChoice(next: ConditionalTarget, order: StepOrder, step: StepReading): Choice {
  const { condition, onTrue, onFalse, maxIterations, onExhausted } = next;
  for (const [name, target] of Object.entries({ onTrue, onFalse })) {
    if (target === undefined) step.fault('FIELD_INVALID', `\`next.${name}\` is missing`, 'name a step, or write null to end the run');
  }
  const bound = defined<Omit<BoundedNext, 'to'>>({ maxIterations, onExhausted });
  const someLeadsBack = leadsBack(onTrue, order) || leadsBack(onFalse, order);
  return {
    condition,
    onTrue: readEdge({ to: onTrue, ...(leadsBack(onTrue, order) ? bound : {}) }, order),
    onFalse: readEdge({ to: onFalse, ...(leadsBack(onFalse, order) || !someLeadsBack ? bound : {}) }, order),
  };
}

function readEdge({ to, maxIterations, onExhausted, context }: BoundedNext, order: StepOrder): Edge {
  const max = maxIterations ?? (leadsBack(to, order) ? order.maxIterations : undefined);
  const data = context === undefined ? {} : { context };
  if (max === undefined) return { to: readTarget(to), ...data };
  return { to: readTarget(to), max, then: onExhausted === undefined ? { end: 'escalate' } : readTarget(onExhausted), ...data };
}

function leadsBack(target: TargetSpec, { from, position }: StepOrder): boolean {
  return typeof target === 'string' && (position.get(target) ?? Number.POSITIVE_INFINITY) <= from;
}

/** The target that a name stands for. */
export function readTarget(target: TargetSpec): Target {
  if (target === null || target === undefined) return { end: 'complete' };
  return isReservedId(target) ? { end: target } : { step: target };
}
