// `pawl inbox`: everything that waits for a person, oldest first. It reads the store alone.

import { readQuestions, type WaitingQuestions } from '../../attended/questions.ts';
import { commandFor } from '../../attended/wait-command.ts';
import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { shellWord } from '../../base/shell-word.ts';
import { postedText } from '../../engine/gates.ts';
import { readWaits } from '../../engine/inspect.ts';
import type { RunStatus } from '../../kernel/run-state.ts';
import type { OpenWait } from '../../kernel/status.ts';
import type { Store } from '../../store/store.ts';
import { questionLines } from '../attended/answer.ts';
import type { CommandRun } from '../command.ts';
import { type PendingApproval, pendingApprovals } from '../decision/approvals.ts';
import { approvalLines } from '../decision/decision.ts';
import { type ApprovalDiff, diffLines } from '../decision/diff-lines.ts';
import { findPlace, findRun, openExisting, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine, table } from '../terminal.ts';
import { agoText, untilText } from '../time.ts';

/** States in which a run can wait for a person. A run whose other branch still works is `running`. */
const OPEN: readonly RunStatus[] = ['waiting', 'running', 'escalated'];
/** Waits that only a person can end with "pawl resume". */
const STUCK: ReadonlySet<string> = new Set(['escalation', 'unknown']);

interface Approval extends PendingApproval {
  readonly command: string;
  /** What changed since the person last looked. */
  readonly isNew?: string;
  readonly diff?: ApprovalDiff;
}

interface StuckRun {
  readonly run: string;
  readonly workflow: string;
  readonly wait: OpenWait;
  readonly command: string;
}

/** A gate whose checks wait for somebody outside: for reviews, or for CI. */
interface PendingGate {
  readonly run: string;
  readonly workflow: string;
  readonly wait: OpenWait;
}

interface Inbox {
  readonly approvals: readonly Approval[];
  readonly questions: readonly WaitingQuestions[];
  readonly stuck: readonly StuckRun[];
  readonly pending: readonly PendingGate[];
}

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.maybe('RUN');
  if (prefix === undefined && (given.has('diff') || given.has('new')))
    throw new EngineError('USAGE', '--diff and --new need the id of a run: "pawl inbox RUN --diff"');
  const store = prefix === undefined ? await openExisting(place) : await openForRun(place, prefix, 'look');
  try {
    const runs = store === undefined ? [] : prefix === undefined ? await openRuns(shell, store) : [await findRun(store, prefix, place)];
    const inboxes = await Promise.all(runs.map((id) => inboxOf(store as Store, id, prefix !== undefined)));
    const approvals = inboxes.flatMap((one) => one.approvals).sort((a, b) => a.gate.since - b.gate.since);
    const inbox: Inbox = {
      approvals: prefix === undefined || store === undefined ? approvals : await withViews(shell, place, { store, approvals }),
      questions: inboxes.flatMap(({ questions }) => questions).sort((a, b) => a.since - b.since),
      stuck: inboxes.flatMap(({ stuck }) => stuck).sort((a, b) => a.wait.since - b.wait.since),
      pending: inboxes.flatMap(({ pending }) => pending).sort((a, b) => a.wait.since - b.wait.since),
    };
    const json = {
      gates: inbox.approvals.map(approvalJson),
      questions: inbox.questions.map(questionsJson),
      stuck: inbox.stuck.map(stuckJson),
      pending: inbox.pending.map(pendingJson),
    };
    return shell.result(json, () => (prefix === undefined ? listLines(shell, inbox) : wholeLines(shell, inbox)));
  } finally {
    await store?.close();
  }
};

/** The approvals of one run with what is new since the person last looked, and with their diff if it was asked for. */
async function withViews(
  shell: Shell,
  place: Place,
  { store, approvals }: { readonly store: Store; readonly approvals: readonly Approval[] },
): Promise<readonly Approval[]> {
  const isDiff = shell.given.has('diff') || shell.given.has('new');
  if (approvals.length === 0 || (!isDiff && !shell.isInteractive)) return approvals;
  const [{ hasDiff, newSinceLook, readDiff }, { lastLook, recordLook, seenOf }] = await Promise.all([
    import('../decision/diff.ts'),
    import('../decision/looks.ts'),
  ]);
  const view = async (asked: Approval): Promise<Approval> => {
    const source = { shell, place, store, asked };
    const isNew = await newSinceLook(source);
    if (!isDiff) {
      recordLook(shell, place, { asked, seen: seenOf(asked) });
      return { ...asked, ...present({ isNew: isNew?.line }) };
    }
    const look = shell.given.has('new') ? lastLook(shell, place, asked) : undefined;
    const diff = (await hasDiff(source)) ? await readDiff(source, look) : NO_GIT;
    return { ...asked, ...present({ isNew: isNew?.line }), diff };
  };
  return Promise.all(approvals.map(view));
}

const NO_GIT: ApprovalDiff = { title: 'there is no diff: the work is not in a git repository', text: '' };

async function openRuns(shell: Shell, store: Store): Promise<readonly string[]> {
  const runs = await store.list({ status: OPEN });
  for (const { id, damaged } of runs)
    if (damaged !== undefined) shell.warn(`run ${id} cannot be read, so what it waits for is not shown: ${oneLine(damaged)}`);
  return runs.filter(({ damaged }) => damaged === undefined).map(({ id }) => id);
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
    approvals: approvals.map((approval) => ({ ...approval, command: decideCommand(approval, approvals.length > 1) })),
    pending: waits.filter(({ kind }) => kind === 'checks').map((wait) => ({ run: id, workflow, wait })),
    stuck: waits.filter(({ kind }) => STUCK.has(kind)).map((wait) => ({ run: id, workflow, wait, command: `pawl resume ${id}` })),
  };
}

function decideCommand({ run, gate }: PendingApproval, several: boolean): string {
  const wait: OpenWait = { kind: 'human', path: gate.path, since: gate.since };
  return commandFor(run, wait, { gate, several, halt: undefined }) ?? `pawl decide ${run}`;
}

function answerCommand({ run, path }: WaitingQuestions): string {
  return `pawl answer ${run} --step ${shellWord(path)}`;
}

function approvalJson({ run, gate, workflow, command, diff }: Approval): object {
  const { path, step, digest, shown, since, due, gate: question } = gate;
  return {
    run,
    workflow,
    gate: path,
    step,
    prompt: question.prompt,
    options: question.options.map(({ label, outcome, to, requiresInput }) => ({ label, outcome, to: to ?? null, requiresInput })),
    shown,
    from: question.from ?? null,
    count: question.count ?? 1,
    votes: gate.votes ?? [],
    split: gate.split ?? null,
    signed: gate.signed,
    decided: gate.posted ?? null,
    subjects: gate.subjects ?? null,
    ...(diff === undefined ? {} : { diff: diff.text }),
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
  const { kind, path, step, message, since } = wait;
  const of = { path: path ?? null, step: step ?? null, message: message ?? null };
  return { run, workflow, kind, ...of, since: new Date(since).toISOString(), command };
}

function pendingJson({ run, workflow, wait }: PendingGate): object {
  const { path, step, message, since, due } = wait;
  const times = { since: new Date(since).toISOString(), nextLook: due === undefined ? null : new Date(due).toISOString() };
  return { run, workflow, path, step, message: message ?? null, ...times, command: `pawl resume ${run}` };
}

function pendingText({ wait }: PendingGate): string {
  return wait.message ?? 'its checks have no verdict yet';
}

function listLines(shell: Shell, { approvals, questions, stuck, pending }: Inbox): string[] {
  const rows = [
    ...approvals.map(({ run, workflow, gate }) => ({
      run,
      workflow,
      step: gate.path,
      since: gate.since,
      options: gate.posted === undefined ? gate.gate.options.map(({ label }) => label).join(', ') : `(${postedText(gate.posted)})`,
    })),
    ...questions.map((asked) => ({ ...asked, step: asked.path, options: countText(asked.questions.length) })),
    ...stuck.map(({ run, workflow, wait }) => ({
      run,
      workflow,
      step: wait.path ?? wait.step ?? '',
      since: wait.since,
      options: wait.kind === 'unknown' ? '(outcome unknown)' : '(stopped)',
    })),
    ...pending.map((gate) => ({ ...gate, step: gate.wait.path ?? '', since: gate.wait.since, options: `(pending) ${pendingText(gate)}` })),
  ].sort((a, b) => a.since - b.since);
  if (rows.length === 0) return ['Nothing is waiting for you.'];
  const lines = table(shell.look, [
    { title: 'RUN', cells: rows.map(({ run }) => run) },
    { title: 'STEP', cells: rows.map(({ step }) => oneLine(step)), shrinks: 'name' },
    { title: 'WORKFLOW', cells: rows.map(({ workflow }) => oneLine(workflow)), shrinks: 'name' },
    { title: 'WAITING', cells: rows.map(({ since }) => agoText(since)) },
    { title: 'OPTIONS', cells: rows.map(({ options }) => oneLine(options)), shrinks: 'text' },
  ]);
  const approval = approvals.find(({ gate }) => gate.posted === undefined)?.run;
  const decided = approvals.find(({ gate }) => gate.posted !== undefined)?.run;
  const [asked, stopped, open] = [questions[0]?.run, stuck[0]?.run, pending[0]?.run];
  const hints = [
    ...(decided === undefined ? [] : [`"pawl resume ${decided}" applies the decision that was recorded.`]),
    ...(approval === undefined ? [] : [`"pawl inbox ${approval}" shows the details, "pawl decide ${approval}" decides.`]),
    ...(asked === undefined ? [] : [`"pawl answer ${asked}" shows the agent's questions and asks for your answers.`]),
    ...(stopped === undefined ? [] : [`"pawl resume ${stopped}" shows how the stopped run can continue.`]),
    ...(open === undefined ? [] : [`"pawl inbox ${open}" shows what the checks wait for, "pawl resume ${open}" looks again.`]),
  ];
  return [...lines, '', ...hints.map((line) => shell.style('dim', line))];
}

function countText(count: number): string {
  return count === 1 ? '(an agent asks a question)' : `(an agent asks ${count} questions)`;
}

function wholeLines(shell: Shell, { approvals, questions, stuck, pending }: Inbox): string[] {
  const lines = [
    ...approvals.flatMap(({ run, gate, command, isNew, diff }) => [
      ...(gate.posted === undefined ? [] : [`Approval ${oneLine(gate.path)} is ${oneLine(postedText(gate.posted))}`]),
      ...approvalLines(shell, { run, gate, isNew }, Number.POSITIVE_INFINITY),
      '',
      ...(diff === undefined ? [] : [...diffLines(shell, diff, `pawl inbox ${run} --diff`), '']),
      command,
      `digest ${gate.digest}`,
      '',
    ]),
    ...questions.flatMap((asked) => [
      ...[...asked.questions.keys()].flatMap((index) => [...questionLines(shell, asked, index), '']),
      answerCommand(asked),
      `digest ${asked.digest}`,
      '',
    ]),
    ...stuck.flatMap(({ run, wait, command }) => [
      `Run ${run} stopped${wait.step === undefined ? '' : ` at ${oneLine(wait.step)}`}: ${oneLine(wait.message ?? 'the outcome of the step is unknown')}`,
      command,
      '',
    ]),
    ...pending.flatMap((gate) => [
      `Gate ${oneLine(gate.wait.path ?? '')} of run ${gate.run} is pending: ${oneLine(pendingText(gate))}`,
      ...(gate.wait.due === undefined ? [] : [`next look ${untilText(gate.wait.due)}, while a process drives the run`]),
      `pawl resume ${gate.run}`,
      '',
    ]),
  ].slice(0, -1);
  return lines.length === 0 ? ['This run is not waiting for you.'] : lines;
}
