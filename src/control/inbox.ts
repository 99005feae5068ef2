// Owns the inbox: approvals, questions of agents, stopped runs, gates that wait for reviews or CI, and open assumptions. It
// is the JSON of `pawl inbox`. Only reads the store.

import { readQuestions, type WaitingQuestions } from '../attended/questions.ts';
import { commandFor } from '../attended/wait-command.ts';
import { omitUndefined } from '../base/fields.ts';
import { shellWord } from '../base/shell-word.ts';
import type { RunStatus } from '../definition/run-status.ts';
import { readWaits } from '../engine/inspect.ts';
import { readRunIds } from '../engine/run-tree.ts';
import type { OpenWait, WaitOf } from '../engine/status.ts';
import type { Store } from '../store/store.ts';
import { type PendingApproval, pendingApprovals } from './approvals.ts';
import { reportAll, reportRuns } from './assumption-report.ts';
import type { AssumptionReport } from './schema/run.ts';

/** States in which a run can wait for a person. A run whose other branch still works is `running`. */
export const OPEN_STATUSES: readonly RunStatus[] = ['waiting', 'running', 'escalated'];
/** A pending approval with the command that decides it. */
export interface Approval extends PendingApproval {
  readonly command: string;
  /** What changed since the person last looked. */
  readonly isNew?: string;
  readonly diff?: { readonly title: string; readonly text?: string };
}

/** A wait that only a person can end with "pawl resume". */
type StuckWait = Extract<OpenWait, { readonly kind: 'escalation' | 'unknown' }>;

/** A run that stopped, or a step whose outcome is unknown. */
export interface StuckRun {
  readonly run: string;
  readonly workflow: string;
  readonly wait: StuckWait;
  readonly command: string;
}

/** A gate whose checks wait for others: for reviews, or for CI. */
export interface PendingGate {
  readonly run: string;
  readonly workflow: string;
  readonly wait: WaitOf<'checks'>;
}

/** What waits for a person, by kind, oldest first. */
interface Inbox {
  readonly approvals: readonly Approval[];
  readonly questions: readonly WaitingQuestions[];
  readonly stuck: readonly StuckRun[];
  readonly pending: readonly PendingGate[];
}

/** The inbox together with the open assumptions. */
export interface FullInbox extends Inbox {
  readonly assumptions: readonly AssumptionReport[];
}

/** Reads what waits in some runs; with `below`, also in the child runs they wait for. */
export async function readInbox(store: Store, runs: readonly string[], below: boolean): Promise<Inbox> {
  const inboxes = await Promise.all(runs.map((id) => inboxOf(store, id, below)));
  return {
    approvals: inboxes.flatMap((inbox) => inbox.approvals).sort((a, b) => a.approval.since - b.approval.since),
    questions: inboxes.flatMap(({ questions }) => questions).sort((a, b) => a.since - b.since),
    stuck: inboxes.flatMap(({ stuck }) => stuck).sort((a, b) => a.wait.since - b.wait.since),
    pending: inboxes.flatMap(({ pending }) => pending).sort((a, b) => a.wait.since - b.wait.since),
  };
}

/** The assumptions without an answer, in a run and its child runs or, without a run, in all runs. */
export async function openAssumptions(store: Store, run: string | undefined): Promise<readonly AssumptionReport[]> {
  const all = run === undefined ? await reportAll(store) : await reportRuns(store, await readRunIds(store, run));
  return all.filter(({ state }) => state === 'open');
}

/** What waits for a person in one run; with `below`, also in the child runs it waits for. */
async function inboxOf(store: Store, id: string, below: boolean): Promise<Inbox> {
  const { state } = await store.load(id);
  const waits = await readWaits(store, state);
  const has = (kind: OpenWait['kind']): boolean => below || waits.some((wait) => wait.kind === kind);
  const isShown = ({ run }: { readonly run: string }): boolean => below || run === id;
  const approvals = has('human') ? (await pendingApprovals(store, id)).filter(isShown) : [];
  const questions = has('answer') ? (await readQuestions(store, id)).filter(isShown) : [];
  const { workflow } = state;
  return {
    questions,
    approvals: approvals.map((asked) => ({ ...asked, command: decideCommand(asked, approvals.length > 1) })),
    pending: waits.filter((wait) => wait.kind === 'checks').map((wait) => ({ run: id, workflow, wait })),
    stuck: waits.filter(isStuck).map((wait) => ({ run: id, workflow, wait, command: `pawl resume ${id}` })),
  };
}

function isStuck(wait: OpenWait): wait is StuckWait {
  return wait.kind === 'escalation' || wait.kind === 'unknown';
}

function decideCommand({ run, approval }: PendingApproval, several: boolean): string {
  const { path, step, since } = approval;
  const wait = { kind: 'human', path, step, since } as const;
  return commandFor(run, wait, { approval, several, halt: undefined }) ?? `pawl decide ${run}`;
}

/** The command that answers the questions of an agent. */
export function answerCommand({ run, path }: WaitingQuestions): string {
  return `pawl answer ${run} --step ${shellWord(path)}`;
}

/** The inbox as JSON. */
export function inboxJson({ approvals, questions, stuck, pending, assumptions }: FullInbox): object {
  return {
    approvals: approvals.map(approvalJson),
    questions: questions.map(questionsJson),
    stuck: stuck.map(stuckJson),
    pending: pending.map(pendingJson),
    assumptions,
  };
}

function approvalJson({ run, approval, workflow, command, diff }: Approval): object {
  const { path, step, digest, shown, since, due, question } = approval;
  return {
    run,
    workflow,
    approval: path,
    step,
    prompt: question.prompt,
    options: question.options.map(({ label, outcome, to, requiresInput }) => ({ label, outcome, to: to ?? null, requiresInput })),
    shown,
    from: question.from ?? null,
    count: question.count ?? 1,
    votes: approval.votes ?? [],
    split: approval.split ?? null,
    signed: approval.signed,
    decided: approval.posted ?? null,
    subjects: approval.subjects ?? null,
    ...omitUndefined({ diff: diff?.text }),
    digest,
    since: new Date(since).toISOString(),
    due: due === undefined ? null : new Date(due).toISOString(),
    command,
  };
}

function questionsJson(asked: WaitingQuestions): object {
  const { run, workflow, path, step, questions, digest, since } = asked;
  return { run, workflow, path, step, questions, digest, since: new Date(since).toISOString(), command: answerCommand(asked) };
}

function stuckJson({ run, workflow, wait, command }: StuckRun): object {
  const { kind, path, step, since } = wait;
  const of = { path: path ?? null, step: step ?? null, message: kind === 'escalation' ? wait.message : null };
  return { run, workflow, kind, ...of, since: new Date(since).toISOString(), command };
}

function pendingJson({ run, workflow, wait }: PendingGate): object {
  const { path, step, message, since, due } = wait;
  const times = { since: new Date(since).toISOString(), nextLook: due === undefined ? null : new Date(due).toISOString() };
  return { run, workflow, path, step, message: message ?? null, ...times, command: `pawl resume ${run}` };
}
