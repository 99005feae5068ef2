// Owns the steps of a skill that sub-agents carry out, as steps of a workflow: a child run of the other skill, or one for
// each entry of a list, all at the same time. The list is fixed, or contains the names that a document defines when the step begins.

import { EngineError } from '../base/error.ts';
import { readTextWithin } from '../base/file-within.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { StepContext } from '../definition/code.ts';
import { namesMatching } from '../definition/contract/name-pattern.ts';
import { filled } from '../definition/contract/step-contract.ts';
import { type CustomKind, defineStepKind } from '../definition/custom-kind.ts';
import { withSource } from '../definition/hash.ts';
import { REVIEW_ROUNDS_MAX } from '../definition/review/review.ts';
import { lateItems, runContext } from './run-context.ts';
import type { Skill, SkillDispatch, SkillWorkStep } from './skill.ts';

/** How often one part of a step leads to another in a run, at most; people cannot raise it. */
export const VISITS_MAX = 100;

/** A dispatch step and its number in the skill. */
export interface NumberedDispatch {
  readonly skill: Skill;
  readonly step: SkillWorkStep & { readonly dispatch: SkillDispatch };
  readonly number: number;
}

/** The work of a step that sub-agents carry out, as fields of a workflow step. */
export function dispatchWork({ skill, step, number }: NumberedDispatch): object {
  const { dispatch } = step;
  const { agent, returns, each } = dispatch;
  const child = {
    workflow: dispatch.skill,
    input: withAuthorSource((ctx: StepContext) => inputOf(dispatch, valuesOf(skill, number, ctx)), dispatch),
    dispatch: { agent, returns },
  };
  if (each === undefined) return child;
  const items = 'document' in each ? `outputs[${JSON.stringify(itemsStepId(step.id))}].items` : JSON.stringify(each);
  return { each: { items, step: child } };
}

/**
 * Makes the author's part of a skill the source of a function in the digest of a workflow. So a run stops if its skill was
 * changed meanwhile, but not if it continues with a newer version of Pawl.
 */
export function withAuthorSource<F extends (...args: never[]) => unknown>(build: F, written: object): F {
  return withSource(
    build,
    JSON.stringify(written, (_, value: unknown) => (typeof value === 'function' ? value.toString() : value)),
  );
}

/** The same for a kind of step that is part of Pawl. */
export function withKindAsSource<K extends { readonly kind: string; run(job: never): unknown }>(kind: K): K {
  withSource(kind.run, kind.kind);
  return kind;
}

/** The values for the texts of a dispatch: parameters, the item, the round of the review, and its late items. */
function valuesOf(skill: Skill, number: number, ctx: StepContext): JsonObject {
  const { results } = ctx.checkpoint;
  const { qr } = runContext(skill, number, { params: ctx.params, visit: 1, results });
  const late = lateItems(skill, number, results);
  // A person can allow more rounds than skills support; those have the instructions of the last one.
  const round = Math.min(qr.iteration, REVIEW_ROUNDS_MAX);
  return { ...ctx.params, round, late, ...(ctx.item === undefined ? {} : { item: ctx.item as Json }) };
}

function inputOf({ params = {} }: SkillDispatch, values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, filled(text, values)]));
}

/** The id of the step that finds the entries of a list. */
export function itemsStepId(step: string): string {
  return `${step}.items`;
}

/** The step that reads the names of a document, before a step that is done for each of them. */
export function itemsStep({ dispatch, id }: NumberedDispatch['step']): [string, object][] {
  const { each } = dispatch;
  if (each === undefined || !('document' in each)) return [];
  return [
    [
      itemsStepId(id),
      {
        title: `${id}: the entries`,
        use: skillItems({ document: each.document, ids: each.ids }),
        next: { to: id, maxIterations: VISITS_MAX },
      },
    ],
  ];
}

interface ItemsConfig {
  readonly document: string;
  readonly ids: string;
}

const skillItems: CustomKind<ItemsConfig> = withKindAsSource(
  defineStepKind({
    kind: 'skill-items',
    recovery: 'rerun',
    parse: (config: unknown) => config as ItemsConfig,
    run({ config: { document, ids }, ctx, cwd }) {
      const path = filled(document, ctx.params);
      const items = namesMatching(ids, readTextWithin(cwd, path) ?? '');
      if (items.length === 0)
        throw new EngineError(
          'STEP_FAILED',
          `no name that matches ${ids} was found in ${path}, so there is no work for sub-agents; check the previous step`,
        );
      return { outcome: 'ok', output: { items } };
    },
  }),
);
