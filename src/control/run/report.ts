// Owns the report of a run: its status, the results and evidence of its steps, the decisions, and what it waits for with
// the commands that end each wait. It is the JSON of `pawl show` and of every command that ends with a run. Only reads
// the store; needs no engine.

import { commandFor } from '../../attended/wait-command.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject } from '../../base/json.ts';
import { createPath, modelNamed, parsePath } from '../../definition/address.ts';
import type { Definition } from '../../definition/model.ts';
import { REFUSED_ELSEWHERE } from '../../definition/outcome.ts';
import { readSubjects, treeIn } from '../../definition/question/subjects.ts';
import { isSettled } from '../../definition/run-status.ts';
import { type StepView, type ValueFilter, viewRun } from '../../engine/inspect.ts';
import { openApprovals, postedText, type WaitingApproval } from '../../engine/request/approvals.ts';
import { readRunTree } from '../../engine/run-tree.ts';
import type { OpenWait } from '../../engine/status.ts';
import type { Halt } from '../../kernel/run-state.ts';
import { isDriven } from '../../process/owner.ts';
import type { RecordedAgentUse, Store } from '../../store/store.ts';
import { reportAssumptions } from '../assumption-report.ts';
import { type History, readHistory } from '../history.ts';
import { isReviewWorkflow, rejectionOf } from '../review-round.ts';
import type { GroupReport, PlanReport, RunReport, StepReport, WaitReport } from '../schema/run.ts';
import { usageAt, usageOf } from '../usage.ts';

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
        ...omitUndefined({ command: await commandBelow(store, wait) }),
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
    ...omitUndefined({ claim, evidence, usage, actor, rejection }),
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
  const id = path ?? wait.kind;
  const ending = {
    since: isoTime(since),
    due: due === undefined ? null : isoTime(due),
    ...omitUndefined({ command: commandFor(run, wait, { approval, several: approvals.length > 1, halt }) }),
  };
  switch (rest.kind) {
    case 'human': {
      const message = approval?.posted && postedText(approval.posted);
      const options = approval?.question.options.map(({ label, requiresInput }) => ({ label, requiresInput }));
      return { id, ...rest, ...omitUndefined({ message, prompt: approval?.question.prompt, shown: approval?.shown, options }), ...ending };
    }
    case 'capacity':
    case 'budget':
      return { id, ...rest, ...omitUndefined({ message: shortageAt(rest.path, steps) }), ...ending };
    default:
      return { id, ...rest, ...ending };
  }
}

/** The command for a run that waits for its child: the command for the child's own wait. */
async function commandBelow(store: Store, wait: OpenWait): Promise<string | undefined> {
  if (wait.kind !== 'child' || (await store.resolve(wait.child, 1)).length === 0) return undefined;
  const { waits } = await readRunTree(store, wait.child);
  const alone = { approval: undefined, several: false, halt: undefined };
  return waits.map(({ run, wait }) => commandFor(run, wait, alone)).find((command) => command !== undefined);
}

/** Why budget or capacity is missing: the error of the attempt before the wait. */
function shortageAt(path: string, steps: readonly StepReport[]): string | undefined {
  return steps.findLast((step) => step.path === path && step.error !== null)?.error ?? undefined;
}
