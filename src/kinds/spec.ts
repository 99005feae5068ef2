// Owns the list of the author-facing types of each step kind and gate check; `registry.ts` has the implementations. This file
// and the `spec.ts` of each kind have only types, so that `authoring` can import them without loading a kind.

import type { Targets } from '../authoring/spec/step.ts';
import type { ActionStep } from './action/spec.ts';
import type { AgentStep } from './agent/spec.ts';
import type { CommandStep } from './command/spec.ts';
import type { CustomStep } from './custom/spec.ts';
import type { DelayStep } from './delay/spec.ts';
import type { EachStep } from './each/spec.ts';
import type { AnyOfFields } from './gate/checks/any-of/spec.ts';
import type { BranchUpToDateCheck } from './gate/checks/branch-up-to-date/declare.ts';
import type { CiStatusCheck } from './gate/checks/ci-status/declare.ts';
import type { CommandCheckFields } from './gate/checks/command/spec.ts';
import type { CoverageFields } from './gate/checks/coverage/spec.ts';
import type { FileExistsCheck } from './gate/checks/file-exists/declare.ts';
import type { HumanApprovedCheck } from './gate/checks/human-approved/declare.ts';
import type { LabelPresentCheck } from './gate/checks/label-present/declare.ts';
import type { NoChangesRequestedCheck } from './gate/checks/no-changes-requested/declare.ts';
import type { PrApprovalCheck } from './gate/checks/pr-approval/declare.ts';
import type { PrApprovalsMetCheck } from './gate/checks/pr-approvals-met/declare.ts';
import type { WebhookCheckFields } from './gate/checks/webhook/spec.ts';
import type { GateStep } from './gate/spec.ts';
import type { GenerateStep } from './generate/spec.ts';
import type { HumanStep } from './human/spec.ts';
import type { ParallelStep } from './parallel/spec.ts';
import type { ReviewStep } from './review/spec.ts';
import type { SignalStep } from './signal/spec.ts';
import type { TaskStep } from './task/spec.ts';
import type { ValidateStep } from './validate/spec.ts';
import type { WebhookStep } from './webhook/spec.ts';
import type { WorkflowStep } from './workflow/spec.ts';

/**
 * The kinds of steps by the field that selects them. C is the context of its functions, X the step as written, Ids the ids
 * that it may name. A kind can have: `fields` of a step of `defineWorkflow`, those that it cannot do without (`needs`),
 * `list` (the same fields in a list of steps, which is checked less), `flow` (its methods of `step(name)`), its `result`,
 * and its own `outcomes`. A question adds its answers (`labels`), whether all of them have a target (`leads`), and the
 * targets (`targets`). `members` are the steps inside a group by id, `memberIds` the names that requests may use for them;
 * `signals` are the names that it waits for.
 */
export interface Kinds<C, X, Ids extends Targets> {
  handler: TaskStep<C, X>;
  command: CommandStep<C>;
  gate: GateStep<C, X, Ids>;
  human: HumanStep<C, X, Ids>;
  agent: AgentStep<C>;
  generate: GenerateStep<C>;
  delay: DelayStep<C>;
  workflow: WorkflowStep<C, X>;
  validate: ValidateStep<C, X, Ids>;
  review: ReviewStep;
  signal: SignalStep<X>;
  use: CustomStep<C, X>;
  webhook: WebhookStep<C>;
  forge: ActionStep<C, X, Ids>;
  each: EachStep<C, X, Ids>;
  parallel: ParallelStep<C, X, Ids>;
}

/**
 * The fields of each built-in check by its name. C is the context of its functions, Asks the ids of steps that ask a
 * person.
 */
export interface BuiltInChecks<C, Asks> {
  command: CommandCheckFields<C>;
  file_exists: FileExistsCheck;
  coverage: CoverageFields;
  webhook: WebhookCheckFields<C>;
  pr_approval: PrApprovalCheck;
  pr_approvals_met: PrApprovalsMetCheck;
  no_changes_requested: NoChangesRequestedCheck;
  label_present: LabelPresentCheck;
  branch_up_to_date: BranchUpToDateCheck;
  human_approved: HumanApprovedCheck<Asks>;
  ci_status: CiStatusCheck;
  any_of: AnyOfFields<C, Asks>;
}

type KindName = keyof Kinds<never, unknown, Targets>;
type PartOf<Row, Part> = Part extends keyof Row ? Row[Part] : never;
type Together<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void ? All : never;

/** One part of all kinds together: `list`, the fields of all kinds, or `flow`, the methods of all kinds. */
export type KindParts<Part extends 'list' | 'flow', C = never> = Together<
  { [Field in KindName]: PartOf<Kinds<C, unknown, Targets>[Field], Part> }[KindName]
>;
