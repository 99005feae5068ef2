// Owns the list of the built-in step kinds and gate checks. To add one, create its folder, then add an import and an entry
// here and in `spec.ts`.

import type { CheckCompiler, Compilers, KindCompiler } from '../authoring/graph/work.ts';
import { EngineError } from '../base/error.ts';
import type { CheckDeclaration } from '../definition/check.ts';
import type { CustomKind } from '../definition/custom-kind.ts';
import type { StepKind } from '../definition/model.ts';
import type { GateCheck } from '../steps/check.ts';
import type { Executors, KindExecutor } from '../steps/work.ts';
import { actionKind } from './action/kind.ts';
import { agentKind } from './agent/kind.ts';
import { commandKind } from './command/kind.ts';
import { customKind } from './custom/kind.ts';
import { delayKind } from './delay/kind.ts';
import { eachKind } from './each/kind.ts';
import { anyOfCheck } from './gate/checks/any-of/check.ts';
import { branchUpToDateCheck } from './gate/checks/branch-up-to-date/check.ts';
import { ciStatusCheck } from './gate/checks/ci-status/check.ts';
import { commandCheck } from './gate/checks/command/check.ts';
import { coverageCheck } from './gate/checks/coverage/check.ts';
import { fileExistsCheck } from './gate/checks/file-exists/check.ts';
import { humanApprovedCheck } from './gate/checks/human-approved/check.ts';
import { labelPresentCheck } from './gate/checks/label-present/check.ts';
import { noChangesRequestedCheck } from './gate/checks/no-changes-requested/check.ts';
import { prApprovalCheck } from './gate/checks/pr-approval/check.ts';
import { prApprovalsMetCheck } from './gate/checks/pr-approvals-met/check.ts';
import { webhookCheck } from './gate/checks/webhook/check.ts';
import { gateKind } from './gate/kind.ts';
import { generateKind } from './generate/kind.ts';
import { humanKind } from './human/kind.ts';
import { parallelKind } from './parallel/kind.ts';
import { reviewKind } from './review/kind.ts';
import { signalKind } from './signal/kind.ts';
import { taskKind } from './task/kind.ts';
import { validateKind } from './validate/kind.ts';
import { webhookKind } from './webhook/kind.ts';
import { workflowKind } from './workflow/kind.ts';

/** All kinds and checks, with their compilers and executors. */
export interface Registry extends Compilers, Executors {
  readonly kinds: Readonly<Record<StepKind, KindCompiler & KindExecutor>>;
  readonly checks: Readonly<Record<string, CheckCompiler & GateCheck>>;
}

/** The built-in kinds and checks, by name, in the order of the reference of workflow files. */
export const REGISTRY: Registry = Object.freeze({
  kinds: Object.freeze({
    task: taskKind,
    agent: agentKind,
    gate: gateKind,
    parallel: parallelKind,
    delay: delayKind,
    webhook: webhookKind,
    human: humanKind,
    workflow: workflowKind,
    command: commandKind,
    action: actionKind,
    each: eachKind,
    validate: validateKind,
    review: reviewKind,
    generate: generateKind,
    signal: signalKind,
    custom: customKind,
  }),
  checks: Object.freeze({
    command: commandCheck,
    file_exists: fileExistsCheck,
    pr_approval: prApprovalCheck,
    ci_status: ciStatusCheck,
    webhook: webhookCheck,
    coverage: coverageCheck,
    branch_up_to_date: branchUpToDateCheck,
    human_approved: humanApprovedCheck,
    label_present: labelPresentCheck,
    no_changes_requested: noChangesRequestedCheck,
    pr_approvals_met: prApprovalsMetCheck,
    any_of: anyOfCheck,
  }),
});

/** Kinds of steps and checks that an application defined. */
interface CustomParts {
  readonly kinds?: Readonly<Record<string, CustomKind>> | undefined;
  readonly checks?: Readonly<Record<string, GateCheck>> | undefined;
}

/** The built-in kinds and checks with those of an application, so that workflow files can name them. */
export function registryWith({ kinds = {}, checks = {} }: CustomParts): Compilers {
  const customKinds = Object.fromEntries(Object.values(kinds).map((kind) => [kind.kind, kind]));
  const declared = Object.entries(checks).map(([name, check]): [string, CheckDeclaration] => [name, { validate() {}, ...check, name }]);
  const taken =
    Object.keys(customKinds).find((name) => name in REGISTRY.kinds) ?? Object.keys(checks).find((name) => name in REGISTRY.checks);
  if (taken !== undefined) throw new EngineError('USAGE', `"${taken}" is the name of a built-in kind or check; choose another name`);
  return { ...REGISTRY, checks: { ...REGISTRY.checks, ...Object.fromEntries(declared) }, customKinds };
}
