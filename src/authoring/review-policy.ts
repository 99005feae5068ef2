// Compiles review policies: each rule is shorthand for a workflow file and runs as one, so there is no second engine for
// reviews.
//
// - A rule with a sequence becomes its roles as agent stages, in that order.
// - A rule without one becomes one parallel stage that needs all of its reviews.
// - The default requirements become a workflow for pull requests to branches that no rule names.
// - Reviews begin when a pull request is opened, reopened or no longer a draft. A new head starts them again.

import type { Json } from '../base/json.ts';
import type { TriggerModel } from '../definition/trigger/trigger.ts';

/** A role that reviews, and how many agents of it do. */
export interface ReviewRequirement {
  readonly role: string;
  readonly count?: number;
}

/** Who reviews the pull requests to a branch. */
export interface ReviewRule {
  readonly name: string;
  readonly match?: { readonly base_branch?: string };
  /** Without any, the default requirements. */
  readonly requirements?: readonly ReviewRequirement[];
  /** The roles in the order in which they review. */
  readonly sequence?: readonly string[];
}

/** A review policy in the settings. */
export interface ReviewPolicy {
  readonly enabled?: boolean;
  readonly default_requirements?: readonly ReviewRequirement[];
  readonly rules?: readonly ReviewRule[];
}

/** A workflow file as data. */
export interface GeneratedWorkflow {
  readonly apiVersion: 'pawl.dev/v1';
  readonly kind: 'Workflow';
  readonly metadata: { readonly name: string; readonly description: string };
  readonly trigger: { readonly event: string; readonly conditions?: Readonly<Record<string, string>> };
  readonly context?: Readonly<Record<string, string>>;
  readonly stages: readonly Readonly<Record<string, Json>>[];
}

/** The name of the workflow that the default requirements become. */
export const DEFAULT_REVIEW = 'default-review';

/** The further events that start the reviews of a pull request, in addition to `pull_request.opened`. */
const REVIEWED_EVENTS = ['pull_request.reopened', 'pull_request.ready_for_review', 'pull_request.synchronize'];

/** The trigger of a workflow of a policy. */
export function reviewTrigger({ rules = [] }: ReviewPolicy, { metadata: { name } }: GeneratedWorkflow): TriggerModel {
  const named = rules.flatMap(({ match }) => match?.base_branch ?? []);
  const own = rules.find((rule) => rule.name === name)?.match?.base_branch;
  const base = {
    ...({ labels: [], baseBranches: own === undefined ? [] : [own], skipsDrafts: true, followsHead: true, fromRuns: true } as const),
    ...(name === DEFAULT_REVIEW ? { exceptBaseBranches: named } : {}),
  };
  return { event: 'pull_request.opened', ...base, or: REVIEWED_EVENTS.map((event) => ({ event, ...base })) };
}

/** The workflows of a valid policy. */
export function compileReviewPolicy({ enabled = true, default_requirements = [], rules = [] }: ReviewPolicy): GeneratedWorkflow[] {
  if (!enabled) return [];
  const ruled = rules.map((rule) => ruleWorkflow(rule, default_requirements));
  // A rule without a branch is for all pull requests, so that none is left for the default.
  if (default_requirements.length === 0 || rules.some(({ match }) => match?.base_branch === undefined)) return ruled;
  const branches = rules.flatMap(({ match }) => match?.base_branch ?? []);
  const stage = { ...parallelStage('reviews', default_requirements), ...elsewhere(branches) };
  return [...ruled, workflow({ name: DEFAULT_REVIEW, stages: [stage] })];
}

function ruleWorkflow({ name, match, requirements, sequence }: ReviewRule, standard: readonly ReviewRequirement[]): GeneratedWorkflow {
  const needed = requirements ?? standard;
  const ordered = (sequence ?? []).flatMap((role) => needed.filter((requirement) => requirement.role === role));
  const stages = sequence === undefined ? [parallelStage('reviews', needed)] : ordered.map(sequenceStage);
  return workflow({ name, branch: match?.base_branch, stages });
}

function workflow(of: {
  readonly name: string;
  readonly branch?: string | undefined;
  readonly stages: GeneratedWorkflow['stages'];
}): GeneratedWorkflow {
  return {
    apiVersion: 'pawl.dev/v1',
    kind: 'Workflow',
    metadata: { name: of.name, description: 'Generated from the review policy' },
    trigger: { event: 'pull_request.opened', ...(of.branch === undefined ? {} : { conditions: { base_branch: of.branch } }) },
    stages: of.stages,
  };
}

function sequenceStage(requirement: ReviewRequirement): Readonly<Record<string, Json>> {
  const { role, count = 1 } = requirement;
  return count === 1 ? { id: role, type: 'agent', agent: role, action: 'review' } : parallelStage(role, [requirement]);
}

function parallelStage(id: string, requirements: readonly ReviewRequirement[]): Readonly<Record<string, Json>> {
  const branches = requirements.flatMap(({ role, count = 1 }) =>
    Array.from({ length: count }, (_, index) => ({ id: count === 1 ? role : `${role}-${index + 1}`, agent: role, action: 'review' })),
  );
  return { id, type: 'parallel', join: 'all', branches };
}

/** A condition that skips branches with a rule of their own: trigger conditions can include branches but not exclude them. */
function elsewhere(branches: readonly string[]): { readonly condition?: string } {
  if (branches.length === 0) return {};
  const tests = branches.map((branch) => `(context.base_branch ?? '') != ${JSON.stringify(branch)}`);
  return { condition: tests.join(' && ') };
}
