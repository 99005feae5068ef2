// Owns what a run gets past by not beginning at its entry: the steps that a person lets pass by hand, which is put on
// record, and the questions to people that lie before, which are asked again first. A fork reuses what the original
// had done, so only the checks it does not repeat are passed by hand.

import { EngineError } from '../base/error.ts';
import type { Definition } from '../definition/model.ts';
import { asksPerson, checksWork, questionsPassed, stepsAfter, stepsBetween } from '../definition/passage.ts';
import type { Override } from '../kernel/event.ts';
import type { Detour } from '../kernel/run-state.ts';
import { requireActor } from './actor.ts';
import type { Past, StartOptions } from './birth.ts';

/** How a run begins elsewhere than at its entry. */
export interface Beginning {
  readonly override?: Override;
  readonly detour?: Detour;
}

/** What is to be known of a start to tell what it gets past. */
export type StartPlace = Pick<StartOptions, 'from' | 'outputs' | 'origin'> & { readonly past?: Pick<Past, 'done'> };

/** What a run gets past by beginning as it is told to. */
export function beginningOf(definition: Definition, options: StartPlace): Beginning {
  const { from, past, outputs = {} } = options;
  const given = Object.keys(outputs);
  refuseDecisions(definition, given);
  if (from === undefined) return given.length === 0 ? {} : withOverride(options, given);
  if (definition.form === 'flow')
    return withOverride(options, [...given, ...(past?.done ?? []).flatMap(({ step, kind }) => (CHECKS.has(kind) ? [step] : []))]);
  const before = past === undefined ? stepsBetween(definition, definition.entry, from).filter((step) => step !== from) : pastSteps(options);
  const asks = questionsPassed(definition, from, before);
  const again = new Set([from, ...stepsAfter(definition, from), ...asks.map(({ step }) => step)]);
  const isPassed = past === undefined ? () => true : checkIn(definition);
  const passed = before.filter((step) => !again.has(step) && isPassed(step));
  const detour = asks.length === 0 ? {} : { detour: { asks, to: from } };
  return { ...withOverride(options, [...new Set([...passed, ...given])]), ...detour };
}

const CHECKS: ReadonlySet<string> = new Set(['gate', 'validate']);

function pastSteps({ past }: StartPlace): string[] {
  return [...new Set((past?.done ?? []).map(({ step }) => step))];
}

function checkIn({ steps }: Definition): (step: string) => boolean {
  const checks = new Set(steps.filter(checksWork).map(({ id }) => id));
  return (step) => checks.has(step);
}

function withOverride({ origin, past, from }: StartPlace, passed: readonly string[]): Beginning {
  if (passed.length === 0) return {};
  const actor = requireActor(origin, `begins a run behind ${passed.join(', ')}`);
  return { override: { how: past === undefined ? 'from' : 'fork', actor, passed, ...(from === undefined ? {} : { to: from }) } };
}

/** The decision of a person is theirs: nobody else can give it as the result of a step. */
function refuseDecisions({ steps }: Definition, given: readonly string[]): void {
  const asking = steps.find((step) => asksPerson(step) && given.includes(step.id));
  if (asking === undefined) return;
  throw new EngineError(
    'OPTION_INVALID',
    `the result of step "${asking.id}" cannot be given: it is the decision of a person, and they are asked; leave it out`,
  );
}
