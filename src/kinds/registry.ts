// Owns the list of the built-in kinds of steps and gate checks. A new one is its folder and its lines here.

import type { Compilers, KindCompiler } from '../authoring/graph/work.ts';
import type { CheckForm } from '../authoring/yaml/schema/form.ts';
import { EngineError } from '../base/error.ts';
import type { CheckDeclaration } from '../definition/check.ts';
import type { StepKind } from '../definition/model.ts';
import type { OwnKind } from '../definition/own-kind.ts';
import type { GateCheck } from '../steps/check.ts';
import type { Executors, KindExecutor } from '../steps/work.ts';
import { action } from './action/compile.ts';
import { execute as executeAction } from './action/run.ts';
import { yaml as actionStage } from './action/yaml.ts';
import { agent } from './agent/compile.ts';
import { execute as executeAgent } from './agent/run.ts';
import { yaml as agentStage } from './agent/yaml.ts';
import { command } from './command/compile.ts';
import { execute as executeCommand } from './command/run.ts';
import { yaml as commandStage } from './command/yaml.ts';
import { delay } from './delay/compile.ts';
import { execute as executeDelay } from './delay/run.ts';
import { yaml as delayStage } from './delay/yaml.ts';
import { each } from './each/compile.ts';
import { anyOfCheck } from './gate/checks/any-of/declare.ts';
import { run as runAnyOf } from './gate/checks/any-of/run.ts';
import { yaml as anyOfForm } from './gate/checks/any-of/yaml.ts';
import { branchUpToDateCheck } from './gate/checks/branch-up-to-date/declare.ts';
import { run as runBranchUpToDate } from './gate/checks/branch-up-to-date/run.ts';
import { yaml as branchUpToDateForm } from './gate/checks/branch-up-to-date/yaml.ts';
import { ciStatusCheck } from './gate/checks/ci-status/declare.ts';
import { run as runCiStatus } from './gate/checks/ci-status/run.ts';
import { yaml as ciStatusForm } from './gate/checks/ci-status/yaml.ts';
import { commandCheck } from './gate/checks/command/declare.ts';
import { run as runCommand } from './gate/checks/command/run.ts';
import { yaml as commandForm } from './gate/checks/command/yaml.ts';
import { coverageCheck } from './gate/checks/coverage/declare.ts';
import { run as runCoverage } from './gate/checks/coverage/run.ts';
import { yaml as coverageForm } from './gate/checks/coverage/yaml.ts';
import { fileExistsCheck } from './gate/checks/file-exists/declare.ts';
import { run as runFileExists } from './gate/checks/file-exists/run.ts';
import { yaml as fileExistsForm } from './gate/checks/file-exists/yaml.ts';
import { humanApprovedCheck } from './gate/checks/human-approved/declare.ts';
import { run as runHumanApproved } from './gate/checks/human-approved/run.ts';
import { yaml as humanApprovedForm } from './gate/checks/human-approved/yaml.ts';
import { labelPresentCheck } from './gate/checks/label-present/declare.ts';
import { run as runLabelPresent } from './gate/checks/label-present/run.ts';
import { yaml as labelPresentForm } from './gate/checks/label-present/yaml.ts';
import { noChangesRequestedCheck } from './gate/checks/no-changes-requested/declare.ts';
import { run as runNoChangesRequested } from './gate/checks/no-changes-requested/run.ts';
import { yaml as noChangesRequestedForm } from './gate/checks/no-changes-requested/yaml.ts';
import { prApprovalCheck } from './gate/checks/pr-approval/declare.ts';
import { run as runPrApproval } from './gate/checks/pr-approval/run.ts';
import { yaml as prApprovalForm } from './gate/checks/pr-approval/yaml.ts';
import { prApprovalsMetCheck } from './gate/checks/pr-approvals-met/declare.ts';
import { run as runPrApprovalsMet } from './gate/checks/pr-approvals-met/run.ts';
import { yaml as prApprovalsMetForm } from './gate/checks/pr-approvals-met/yaml.ts';
import { webhookCheck } from './gate/checks/webhook/declare.ts';
import { run as runWebhook } from './gate/checks/webhook/run.ts';
import { yaml as webhookForm } from './gate/checks/webhook/yaml.ts';
import { gate } from './gate/compile.ts';
import { execute as executeGate } from './gate/run.ts';
import { yaml as gateStage } from './gate/yaml.ts';
import { generate } from './generate/compile.ts';
import { execute as executeGenerate } from './generate/run.ts';
import { human } from './human/compile.ts';
import { yaml as humanStage } from './human/yaml.ts';
import { own } from './own/compile.ts';
import { execute as executeOwn } from './own/run.ts';
import { parallel } from './parallel/compile.ts';
import { yaml as parallelStage } from './parallel/yaml.ts';
import { review } from './review/compile.ts';
import { execute as executeReview } from './review/run.ts';
import { yaml as reviewStage } from './review/yaml.ts';
import { signal } from './signal/compile.ts';
import { yaml as signalStage } from './signal/yaml.ts';
import { task } from './task/compile.ts';
import { execute as executeTask } from './task/run.ts';
import { validate } from './validate/compile.ts';
import { execute as executeValidate } from './validate/run.ts';
import { webhook } from './webhook/compile.ts';
import { execute as executeWebhook } from './webhook/run.ts';
import { yaml as webhookStage } from './webhook/yaml.ts';
import { workflow } from './workflow/compile.ts';
import { yaml as workflowStage } from './workflow/yaml.ts';

/** All kinds and checks: how they are written, validated and executed. */
export interface Registry extends Compilers, Executors {
  readonly kinds: Readonly<Record<StepKind, KindCompiler & KindExecutor>>;
  readonly checks: Readonly<Record<string, CheckDeclaration & GateCheck & { readonly yaml?: CheckForm }>>;
}

/** The built-in kinds and checks, by name, in the order of the reference of workflow files. */
export const REGISTRY: Registry = Object.freeze({
  kinds: Object.freeze({
    task: { ...task, execute: executeTask },
    agent: { ...agent, execute: executeAgent, yaml: agentStage },
    gate: { ...gate, execute: executeGate, yaml: gateStage },
    parallel: { ...parallel, yaml: parallelStage },
    delay: { ...delay, execute: executeDelay, yaml: delayStage },
    webhook: { ...webhook, execute: executeWebhook, yaml: webhookStage },
    human: { ...human, yaml: humanStage },
    workflow: { ...workflow, yaml: workflowStage },
    command: { ...command, execute: executeCommand, yaml: commandStage },
    action: { ...action, execute: executeAction, yaml: actionStage },
    each,
    validate: { ...validate, execute: executeValidate },
    review: { ...review, execute: executeReview, yaml: reviewStage },
    generate: { ...generate, execute: executeGenerate },
    signal: { ...signal, yaml: signalStage },
    own: { ...own, execute: executeOwn },
  }),
  checks: Object.freeze({
    command: { ...commandCheck, run: runCommand, yaml: commandForm },
    file_exists: { ...fileExistsCheck, run: runFileExists, yaml: fileExistsForm },
    pr_approval: { ...prApprovalCheck, run: runPrApproval, yaml: prApprovalForm },
    ci_status: { ...ciStatusCheck, run: runCiStatus, yaml: ciStatusForm },
    webhook: { ...webhookCheck, run: runWebhook, yaml: webhookForm },
    coverage: { ...coverageCheck, run: runCoverage, yaml: coverageForm },
    branch_up_to_date: { ...branchUpToDateCheck, run: runBranchUpToDate, yaml: branchUpToDateForm },
    human_approved: { ...humanApprovedCheck, run: runHumanApproved, yaml: humanApprovedForm },
    label_present: { ...labelPresentCheck, run: runLabelPresent, yaml: labelPresentForm },
    no_changes_requested: { ...noChangesRequestedCheck, run: runNoChangesRequested, yaml: noChangesRequestedForm },
    pr_approvals_met: { ...prApprovalsMetCheck, run: runPrApprovalsMet, yaml: prApprovalsMetForm },
    any_of: { ...anyOfCheck, run: runAnyOf, yaml: anyOfForm },
  }),
});

/** Kinds of steps and checks that an application defined. */
interface OwnParts {
  readonly kinds?: Readonly<Record<string, OwnKind>> | undefined;
  readonly checks?: Readonly<Record<string, GateCheck>> | undefined;
}

/** The built-in kinds and checks with those of an application, so that workflow files can name them. */
export function registryWith({ kinds = {}, checks = {} }: OwnParts): Compilers {
  const ownKinds = Object.fromEntries(Object.values(kinds).map((kind) => [kind.kind, kind]));
  const declared = Object.entries(checks).map(([name, check]): [string, CheckDeclaration] => [name, { validate() {}, ...check, name }]);
  const taken = Object.keys(ownKinds).find((name) => name in REGISTRY.kinds) ?? Object.keys(checks).find((name) => name in REGISTRY.checks);
  if (taken !== undefined) throw new EngineError('USAGE', `"${taken}" is the name of a built-in kind or check; choose another name`);
  return { ...REGISTRY, checks: { ...REGISTRY.checks, ...Object.fromEntries(declared) }, ownKinds };
}
