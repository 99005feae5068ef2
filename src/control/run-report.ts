// Owns the report of a run: its status, the results and evidence of its steps, the decisions, and what it waits for with
// the commands that end each wait. It is the JSON of `pawl show` and of every command that ends with a run. Only reads
// the store; needs no engine.

import { commandFor } from '../attended/wait-command.ts';
import { present } from '../base/fields.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { createPath, modelNamed, parsePath } from '../definition/address.ts';
import type { Definition } from '../definition/model.ts';
import { REFUSED_ELSEWHERE } from '../definition/outcome.ts';
import { readSubjects, treeIn } from '../definition/question/subjects.ts';
import { isSettled, type RunStatus } from '../definition/run-status.ts';
import { type RunView, type StepView, type ValueFilter, viewRun } from '../engine/inspect.ts';
import { openApprovals, postedText, type WaitingApproval } from '../engine/request/approvals.ts';
import { readRunTree } from '../engine/run-tree.ts';
import type { OpenWait } from '../engine/status.ts';
import type { Halt } from '../kernel/run-state.ts';
import { isDriven } from '../process/owner.ts';
import type { RecordedAgentUse, Store } from '../store/store.ts';
import { type AssumptionReport, reportAssumptions } from './assumption-report.ts';
import { type DecisionReport, type History, type OverrideReport, readHistory } from './history.ts';
import { isReviewWorkflow, rejectionOf } from './review-round.ts';
import { type UsageReport, usageAt, usageOf } from './usage.ts';

type StepReportStatus = StepView['status'] | 'pending';

/** The run as a whole. */
export interface RunOverview extends Pick<RunView, 'id' | 'workflow' | 'status' | 'params' | 'output' | 'origin' | 'iterationCounts'> {
  readonly title: string;
  readonly currentStep: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly durationMs: number;
  readonly error: string | null;
  /** The cost of agents, including child runs; null if no agent ran or part of the cost is unknown. */
  readonly cost: number | null;
  /** What agents used, including child runs; null if no agent ran. */
  readonly usage: UsageReport | null;
  /** True while a live process drives it. */
  readonly isDriven: boolean;
  readonly parent: { readonly run: string; readonly path: string } | null;
  /** The run that this one was forked from, and the step the fork started at. */
  readonly forkOf: { readonly run: string; readonly step: string } | null;
  readonly children: readonly { readonly id: string; readonly workflow: string; readonly status: RunStatus }[];
}

/** One attempt of a step, ended or live; a member of a group has the group's path and its key. */
export interface StepReport {
  readonly path: string;
  readonly step: string;
  readonly title: string;
  readonly kind: string;
  readonly status: StepReportStatus;
  readonly outcome: string | null;
  readonly attempt: number;
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  readonly output: Json;
  readonly error: string | null;
  readonly claim?: Json;
  readonly evidence?: Json;
  /** The current tree, if this gate checked an earlier one; then its result no longer counts. */
  readonly staleSince?: string;
  /** What its agent used. */
  readonly usage?: UsageReport;
  readonly actor?: string;
  readonly group?: string;
  readonly key?: string;
  /** Why a reviewer or a round of a review rejects the work; the outcome of the step is no failure then. */
  readonly rejection?: string;
}

/** Something the run waits for. */
export type WaitReport = WithoutTimes<OpenWait> & WaitFacts;

/** A wait without its times, for each kind. */
type WithoutTimes<W> = W extends OpenWait ? Omit<W, 'since' | 'due'> : never;

/** What is known of every wait. */
interface WaitFacts {
  /** The path of the step that waits; a halt or a pause of the whole run has its kind. */
  readonly id: string;
  readonly since: string;
  readonly due: string | null;
  /** What it waits for in particular, why something is missing, or that a decision is recorded. */
  readonly message?: string;
  /** human: the question, what is shown with it, and the options. */
  readonly prompt?: string;
  readonly shown?: Json;
  readonly options?: readonly { readonly label: string; readonly requiresInput: boolean }[];
  /** The command that ends the wait; absent if only time or another run does. */
  readonly command?: string;
}

/** A step of the definition and its status; `pending` if it was not reached. */
export interface PlanReport extends Pick<StepReport, 'step' | 'title' | 'kind' | 'status'> {
  readonly visits: number;
  readonly attempts: number;
}

/** The counts of a fan-out or of parallel branches. */
export interface GroupReport extends Pick<StepReport, 'path' | 'step' | 'kind'> {
  readonly total: number;
  readonly ok: number;
  readonly failed: number;
  readonly skipped: number;
  readonly open: number;
  /** Reviewers that reject the work. */
  readonly rejected: number;
  /** Keys of the members that did not succeed. */
  readonly failures: readonly string[];
}

/** How the workflow file differs from the definition stored with the run. */
export type DefinitionChange =
  | { readonly kind: 'gone' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'changed'; readonly steps: readonly string[] };

/** The report of a run. */
export interface RunReport {
  readonly run: RunOverview;
  readonly plan: readonly PlanReport[];
  readonly steps: readonly StepReport[];
  readonly groups: readonly GroupReport[];
  readonly waits: readonly WaitReport[];
  readonly decisions: readonly DecisionReport[];
  /** What people overrode: checks, approvals or work that the definition requires and the run skipped. */
  readonly overrides: readonly OverrideReport[];
  /** What its workers assumed instead of asking, and how people answered. */
  readonly assumptions: readonly AssumptionReport[];
  /** How the workflow file differs from the definition stored with an open run; `pawl show` reads it. */
  readonly definitionChange?: DefinitionChange;
}

const SHOWN_BYTES_MAX = 64 * 1024;

/** The values that the short form of a report can print: large results of completed steps are not read. */
export const shownValues: ValueFilter = ({ status, kind }, { bytes }) =>
  bytes <= SHOWN_BYTES_MAX || status !== 'completed' || kind === 'gate';

const JSON_BYTES_MAX = 1024 * 1024;
const JSON_TOTAL_MAX = 32 * 1024 * 1024;

/** Selects the values of the JSON report: none that is very large, and in total no more than fit into memory. */
function jsonValues(): ValueFilter {
  let total = 0;
  return (_, { bytes }) => {
    const isWanted = bytes <= JSON_BYTES_MAX && total + bytes <= JSON_TOTAL_MAX;
    if (isWanted) total += bytes;
    return isWanted;
  };
}

/** Reads the report of a run from the store, with the values of its steps that are wanted; by default all but very large ones. */
export async function readRunReport(store: Store, run: string, isWanted: ValueFilter = jsonValues()): Promise<RunReport> {
  const core = { store };
  const [view, approvals, { state, definition }, history, children, total, uses] = await Promise.all([
    viewRun(core, run, isWanted),
    openApprovals(core, run),
    store.load(run),
    readHistory(store, run),
    store.list({ parent: run }),
    store.usage({ run, withChildren: true }),
    store.uses(run),
  ]);
  const usage = usageOf(total) ?? null;
  const now = Date.now();
  const usesByPath = Map.groupBy(uses, ({ path }) => path);
  const steps = withStale(
    view.steps.map((step) =>
      stepOf(step, {
        title: titleOf(definition, step.step),
        now,
        uses: usesByPath.get(step.path) ?? [],
        isReview: isReviewWorkflow(definition),
      }),
    ),
    approvals,
  );
  const { id, workflow, status, currentStep = null, createdAt, updatedAt, params, output, error = null, origin, iterationCounts } = view;
  return {
    run: {
      ...{ id, workflow, status, currentStep, startedAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) },
      durationMs: (isSettled(status) ? updatedAt : Math.max(now, updatedAt)) - createdAt,
      ...{ params, output, error, origin, iterationCounts },
      cost: usage === null || usage.unknownCost > 0 ? null : usage.costUsd,
      usage,
      title: definition.title,
      isDriven: isDriven(view.owner),
      parent: state.parent ?? null,
      forkOf: history.forkOf ?? null,
      children: children.toReversed().map(({ id, workflow, status }) => ({ id, workflow, status })),
    },
    plan: planOf(definition, steps),
    steps,
    groups: groupsOf(steps, history),
    waits: await Promise.all(
      view.waits.map(async (wait) => ({
        ...waitOf(wait, { run: view.id, approvals, halt: state.halt, steps }),
        ...present({ command: await commandBelow(store, wait) }),
      })),
    ),
    decisions: history.decisions,
    overrides: history.overrides,
    assumptions: await reportAssumptions(store, state),
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** The title that the author gave a step; else its name, which for a member of a group begins with that of the group. */
function titleOf(definition: Definition, name: string): string {
  const { id, title } = modelNamed(definition, name) ?? { id: name, title: name };
  return title === id ? name : title;
}

interface StepContext {
  readonly title: string;
  readonly now: number;
  readonly uses: readonly RecordedAgentUse[];
  readonly isReview: boolean;
}

function stepOf(view: StepView, { title, now, uses, isReview }: StepContext): StepReport {
  const { path, step, kind, status, outcome, attempt, startedAt, durationMs, output, error, claim, evidence, actor } = view;
  const member = memberOf(path);
  const usage = usageAt(uses, path, attempt);
  const reviewed = { outcome: outcome ?? '', isMember: member !== undefined };
  const rejection = rejectionOf(reviewed, output ?? null, isReview);
  const lasted = durationMs ?? (startedAt === undefined ? null : Math.max(0, now - startedAt));
  return {
    path,
    step,
    title,
    kind,
    status: outcome !== undefined && REFUSED_ELSEWHERE.has(outcome) ? 'failed' : status,
    outcome: outcome ?? null,
    attempt,
    startedAt: startedAt === undefined ? null : isoTime(startedAt),
    durationMs: lasted,
    output: output ?? null,
    error: error ?? null,
    ...present({ claim, evidence, usage, actor, rejection }),
    ...member,
  };
}

/** The group and the key of a member's path, `group#visit/key`; undefined for a step outside a group. */
function memberOf(path: string): { readonly group: string; readonly key: string } | undefined {
  const { step, visit, key } = parsePath(path) ?? {};
  return step === undefined || visit === undefined || key === undefined ? undefined : { group: createPath(step, visit), key };
}

/** The steps, with `staleSince` on gates that checked an earlier tree than the latest. */
function withStale(steps: readonly StepReport[], approvals: readonly WaitingApproval[]): StepReport[] {
  const latest =
    approvals.map(treeAsked).findLast((tree) => tree !== undefined) ?? steps.map(treeOf).findLast((tree) => tree !== undefined);
  return steps.map((step) => {
    const tree = treeOf(step);
    const isStale = step.kind === 'gate' && step.outcome === 'ok' && tree !== undefined && latest !== undefined && tree !== latest;
    return isStale ? { ...step, staleSince: latest } : step;
  });
}

function treeOf({ evidence }: StepReport): string | undefined {
  return isJsonObject(evidence) && typeof evidence.tree === 'string' ? evidence.tree : undefined;
}

function treeAsked({ subjects }: WaitingApproval): string | undefined {
  return treeIn(readSubjects(subjects))?.id;
}

function planOf(definition: Definition, steps: readonly StepReport[]): PlanReport[] {
  const own = steps.filter(({ group }) => group === undefined);
  const declared = definition.steps.map(({ id, title, kind }) => ({ step: id, title, kind: kind as string }));
  // A flow's definition names no steps; they become known as the flow runs.
  const known = new Map([...declared, ...own].map(({ step, title, kind }) => [step, { step, title, kind }]));
  const byStep = Map.groupBy(own, ({ step }) => step);
  return [...known.values()].map((row) => {
    const attempts = byStep.get(row.step) ?? [];
    return {
      ...row,
      status: attempts.at(-1)?.status ?? 'pending',
      visits: new Set(attempts.map(({ path }) => path)).size,
      attempts: attempts.length,
    };
  });
}

function groupsOf(steps: readonly StepReport[], { totals }: History): GroupReport[] {
  const members = Map.groupBy(
    steps.filter(({ group }) => group !== undefined),
    ({ group }) => group as string,
  );
  // A fork's log has the members of a copied group, but not the group itself.
  const last = new Map(steps.map((step) => [step.path, step]));
  return [...new Set([...members.keys(), ...totals.keys()])].flatMap((path) => {
    const own = last.get(path);
    if (own === undefined) return [];
    const latest = new Map((members.get(path) ?? []).map((member) => [member.key, member]));
    const ended = [...latest.values()].filter(({ outcome }) => outcome !== null);
    const total = totals.get(path) ?? latest.size;
    const skipped = ended.filter(({ status }) => status === 'skipped').length;
    const failures = ended.filter(({ outcome }) => !SUCCEEDED.has(outcome ?? '')).map(({ key }) => key ?? '');
    const rejecting = ended.filter(({ rejection }) => rejection !== undefined).map(({ key }) => key ?? '');
    const ok = ended.length - skipped - failures.length - rejecting.length;
    const { step, kind } = own;
    const counts = { total, ok, failed: failures.length, rejected: rejecting.length, skipped, open: total - ended.length };
    return [{ path, step, kind, ...counts, failures: [...failures, ...rejecting] }];
  });
}

const SUCCEEDED: ReadonlySet<string> = new Set(['ok', 'iterate', 'skip']);

interface WaitContext {
  readonly run: string;
  readonly approvals: readonly WaitingApproval[];
  readonly halt: Halt | undefined;
  readonly steps: readonly StepReport[];
}

function waitOf(wait: OpenWait, { run, approvals, halt, steps }: WaitContext): WaitReport {
  const { since, due, ...rest } = wait;
  const { path } = wait;
  const approval = approvals.find((candidate) => candidate.path === path);
  const command = commandFor(run, wait, { approval, several: approvals.length > 1, halt });
  const options = approval?.question.options.map(({ label, requiresInput }) => ({ label, requiresInput }));
  return {
    id: path ?? wait.kind,
    ...rest,
    ...shortageOf(wait, steps),
    ...present({ message: approval?.posted && postedText(approval.posted) }),
    since: isoTime(since),
    due: due === undefined ? null : isoTime(due),
    ...present({ prompt: approval?.question.prompt, shown: approval?.shown, options, command }),
  };
}

/** The command for a run that waits for its child: the command for the child's own wait. */
async function commandBelow(store: Store, wait: OpenWait): Promise<string | undefined> {
  if (wait.kind !== 'child' || (await store.resolve(wait.child, 1)).length === 0) return undefined;
  const { waits } = await readRunTree(store, wait.child);
  const alone = { approval: undefined, several: false, halt: undefined };
  return waits.map(({ run, wait }) => commandFor(run, wait, alone)).find((command) => command !== undefined);
}

/** Why budget or capacity is missing: the error of the attempt before the wait. */
function shortageOf({ kind, path }: OpenWait, steps: readonly StepReport[]): Pick<WaitFacts, 'message'> {
  if (kind !== 'budget' && kind !== 'capacity') return {};
  const error = steps.findLast((step) => step.path === path && step.error !== null)?.error;
  return error === undefined || error === null ? {} : { message: error };
}
