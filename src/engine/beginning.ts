// Computes what a run skips when it does not start at its entry: the steps that a person overrides, which is recorded, and
// earlier questions to people, which are asked first. A fork reuses the original's results, so only checks that it does
// not repeat count as overridden.

import { EngineError } from '../base/error.ts';
import { type KindFacts, traitsOf } from '../definition/kind.ts';
import type { Definition } from '../definition/model.ts';
import type { Detour, Override } from '../definition/passage.ts';
import { asksPerson, checksWork, questionsPassed, stepsAfter, stepsBetween } from '../definition/passage.ts';
import { requireActor } from './request/actor.ts';
import type { ForkHistory, StartOptions } from './run-start.ts';

/** The overrides and detours of a run that does not start at its entry. */
export interface Beginning {
  readonly override?: Override;
  readonly detour?: Detour;
}

/** The start options that decide which steps are skipped. */
export type StartPlace = Pick<StartOptions, 'from' | 'outputs' | 'origin'> & { readonly past?: Pick<ForkHistory, 'done'> };

/** Computes what a run skips when it is started with these options. */
export function beginningOf(facts: KindFacts, definition: Definition, options: StartPlace): Beginning {
  const { from, past, outputs = {} } = options;
  const supplied = Object.keys(outputs);
  assertNoDecision(definition, supplied);
  if (from === undefined) return supplied.length === 0 ? {} : withOverride(options, supplied);
  if (definition.form === 'flow')
    return withOverride(options, [
      ...supplied,
      ...(past?.done ?? []).flatMap(({ step, kind }) => (traitsOf(facts, kind).checksWork === true ? [step] : [])),
    ]);
  const before = past === undefined ? stepsBetween(definition, definition.entry, from).filter((step) => step !== from) : pastSteps(options);
  const asks = questionsPassed(definition, from, before);
  const again = new Set([from, ...stepsAfter(definition, from), ...asks.map(({ step }) => step)]);
  const isPassed = past === undefined ? () => true : checkIn(facts, definition);
  const passed = before.filter((step) => !again.has(step) && isPassed(step));
  const detour = asks.length === 0 ? {} : { detour: { asks, to: from } };
  return { ...withOverride(options, [...new Set([...passed, ...supplied])]), ...detour };
}

function pastSteps({ past }: StartPlace): string[] {
  return [...new Set((past?.done ?? []).map(({ step }) => step))];
}

function checkIn(facts: KindFacts, { steps }: Definition): (step: string) => boolean {
  const checks = new Set(steps.filter((step) => checksWork(facts, step)).map(({ id }) => id));
  return (step) => checks.has(step);
}

function withOverride({ origin, past, from }: StartPlace, passed: readonly string[]): Beginning {
  if (passed.length === 0) return {};
  const actor = requireActor(origin, `start a run after ${passed.join(', ')}`);
  return { override: { how: past === undefined ? 'from' : 'fork', actor, passed, ...(from === undefined ? {} : { to: from }) } };
}

/** Rejects a person's decision that is supplied as the result of a step. */
function assertNoDecision({ steps }: Definition, supplied: readonly string[]): void {
  const asking = steps.find((step) => asksPerson(step) && supplied.includes(step.id));
  if (asking === undefined) return;
  throw new EngineError(
    'OPTION_INVALID',
    `the result of step "${asking.id}" cannot be supplied: only a person can decide it, and they will be asked; leave it out`,
  );
}
