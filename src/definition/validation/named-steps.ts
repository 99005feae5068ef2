// Owns the check of steps that others name: one that asks a person, for a check that requires an approval, and one that
// opens a pull request, for a check or an action that is about it.

import { allChecks, checksIn, pullRequestOf } from '../check.ts';
import { type KindRegistry, traitsOf } from '../kind.ts';
import type { GraphDefinition, StepModel } from '../model.ts';
import type { ProblemList } from './problem.ts';
import type { StepPlace } from './validate-step.ts';

interface NamedStepOptions {
  readonly problems: ProblemList;
  readonly registry: KindRegistry;
}

/** A step as another names it: what names it, what that needs, and what the hint asks for. */
interface NamedStep {
  readonly named: string;
  readonly says: string;
  readonly isNot: string;
  readonly hint: string;
}

/** Adds a problem for each step that is named by another and cannot do what it is named for. */
export function checkNamedSteps(definition: GraphDefinition, places: readonly StepPlace[], { problems, registry }: NamedStepOptions): void {
  const ids = new Set(places.map(({ step }) => step.id));
  const asking = new Set(definition.steps.flatMap(({ id, question }) => (question === undefined ? [] : [id])));
  const opening = new Set(places.flatMap(({ step }) => (opensPullRequest(step) ? [step.id] : [])));
  const add = (at: string, { named, says, isNot, hint }: NamedStep, able: ReadonlySet<string>): void => {
    if (able.has(named)) return;
    const why = ids.has(named) ? isNot : `does not exist${problems.suggest(named, able)}`;
    problems.add({ step: at, code: 'KIND_INVALID', message: `${says} step "${named}", which ${why}`, hint });
  };
  for (const { step, at } of places) {
    if (problems.unread.has(at) || problems.refused.has(at)) continue;
    for (const check of allChecks(checksIn(step))) {
      const approval = registry.checks[check.check]?.approvalOf?.(check);
      const says = `the check "${check.check}" requires an approval at`;
      const hint = 'name a step of this workflow that asks a person';
      if (approval !== undefined) add(at, { named: approval, says, isNot: 'does not ask a person', hint }, asking);
    }
    for (const { by, named } of hasGivenNumbers(definition) ? [] : pullRequestsIn(step, registry)) {
      const says = `${by} is about the pull request of`;
      const hint = 'name a step of this workflow with an output of type "pr"';
      add(at, { named, says, isNot: 'opens none', hint }, opening);
    }
  }
}

function opensPullRequest({ outputs = [] }: StepModel): boolean {
  return outputs.some(({ type }) => type === 'pr');
}

/** Whether a run may get its pull requests by name when it is started. */
function hasGivenNumbers({ facts = [], context = [] }: GraphDefinition): boolean {
  return [...facts, ...context.map(({ name }) => name)].includes('pr_numbers');
}

/** The steps whose pull requests a step names; a template is known only in the run. */
function pullRequestsIn(step: StepModel, { kinds, checks }: KindRegistry): { readonly by: string; readonly named: string }[] {
  const found = [
    { by: 'it', named: traitsOf({ kinds }, step.kind).pullRequestOf?.(step) },
    ...allChecks(checksIn(step)).map((check) => ({
      by: `the check "${check.check}"`,
      named: pullRequestOf(check, checks[check.check]),
    })),
  ];
  return found.flatMap(({ by, named }) => (named === undefined || named.includes('{{') ? [] : [{ by, named }]));
}
