// `pawl inbox`: everything that waits for a person, oldest first. It reads the store alone.

import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import type { AssumptionReport } from '../../control/assumption-report.ts';
import {
  type Approval,
  answerCommand,
  type FullInbox,
  inboxJson,
  OPEN_STATUSES,
  openAssumptions,
  type PendingGate,
  readInbox,
} from '../../control/inbox.ts';
import { agoText, untilText } from '../../control/time-text.ts';
import { postedText } from '../../engine/request/approvals.ts';
import type { Store } from '../../store/store.ts';
import { assumptionLine, assumptionLines } from '../assumptions.ts';
import { questionLines } from '../attended/answer.ts';
import type { CommandRun } from '../command.ts';
import { approvalLines } from '../decision/decision.ts';
import { type ApprovalDiff, diffLines } from '../decision/diff-lines.ts';
import { findPlace, findRun, openExisting, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine, table } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.maybe('RUN');
  if (prefix === undefined && (given.has('diff') || given.has('new')))
    throw new EngineError('USAGE', '--diff and --new need the id of a run: "pawl inbox RUN --diff"');
  await using store = prefix === undefined ? await openExisting(place) : await openForRun(place, prefix, 'look');
  const runs = store === undefined ? [] : prefix === undefined ? await openRuns(shell, store) : [await findRun(store, prefix, place)];
  const inbox: FullInbox =
    store === undefined
      ? { approvals: [], questions: [], stuck: [], pending: [], assumptions: [] }
      : await fullInbox(shell, place, { store, runs, only: prefix === undefined ? undefined : runs[0] });
  return shell.result(inboxJson(inbox), () => (prefix === undefined ? listLines(shell, inbox) : wholeLines(shell, inbox)));
};

async function fullInbox(
  shell: Shell,
  place: Place,
  { store, runs, only }: { readonly store: Store; readonly runs: readonly string[]; readonly only: string | undefined },
): Promise<FullInbox> {
  const inbox = await readInbox(store, runs, only !== undefined);
  const { approvals } = inbox;
  return {
    ...inbox,
    approvals: only === undefined ? approvals : await withViews(shell, place, { store, approvals }),
    assumptions: await openAssumptions(store, only),
  };
}

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
  const runs = await store.list({ status: OPEN_STATUSES });
  for (const { id, damaged } of runs)
    if (damaged !== undefined) shell.warn(`run ${id} cannot be read, so what it waits for is not shown: ${oneLine(damaged)}`);
  return runs.filter(({ damaged }) => damaged === undefined).map(({ id }) => id);
}

function pendingText({ wait }: PendingGate): string {
  return wait.message ?? 'its checks have no verdict yet';
}

function listLines(shell: Shell, inbox: FullInbox): string[] {
  const waiting = waitingLines(shell, inbox);
  const { assumptions } = inbox;
  if (assumptions.length === 0) return waiting;
  return [...waiting, '', ...openAssumptionLines(shell, assumptions)];
}

function openAssumptionLines(shell: Shell, assumptions: readonly AssumptionReport[]): string[] {
  const shown = assumptions.slice(0, ASSUMPTIONS_SHOWN).map((one) => `  ${one.run}  ${assumptionLine(shell, one)}`);
  const more = assumptions.length - shown.length;
  const first = assumptions[0] as AssumptionReport;
  return [
    assumedHeading(assumptions),
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
    shell.style('dim', `"pawl assumptions" shows all of them, "${first.command}" answers one.`),
  ];
}

function assumedHeading(assumptions: readonly AssumptionReport[]): string {
  return assumptions.some(({ severity }) => severity === 'MUST')
    ? 'Assumed without asking; merges wait until each MUST is answered:'
    : 'Assumed without asking; nothing waits for an answer:';
}

const ASSUMPTIONS_SHOWN = 10;

function waitingLines(shell: Shell, { approvals, questions, stuck, pending, assumptions }: FullInbox): string[] {
  const rows = [
    ...approvals.map(({ run, workflow, gate }) => ({
      run,
      workflow,
      step: gate.path,
      since: gate.since,
      options: gate.posted === undefined ? gate.question.options.map(({ label }) => label).join(', ') : `(${postedText(gate.posted)})`,
    })),
    ...questions.map((asked) => ({ ...asked, step: asked.path, options: countText(asked.questions.length) })),
    ...stuck.map(({ run, workflow, wait }) => ({
      run,
      workflow,
      step: wait.path ?? wait.step ?? '',
      since: wait.since,
      options: wait.kind === 'unknown' ? '(outcome unknown)' : '(stopped)',
    })),
    ...pending.map((gate) => ({ ...gate, step: gate.wait.path, since: gate.wait.since, options: `(pending) ${pendingText(gate)}` })),
  ].sort((a, b) => a.since - b.since);
  if (rows.length === 0) return [assumptions.length === 0 ? 'Nothing is waiting for you.' : 'No decision is waiting for you.'];
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
    ...(open === undefined ? [] : [`"pawl inbox ${open}" shows what the checks wait for, "pawl resume ${open}" checks again.`]),
  ];
  return [...lines, '', ...hints.map((line) => shell.style('dim', line))];
}

function countText(count: number): string {
  return count === 1 ? '(an agent asks a question)' : `(an agent asks ${count} questions)`;
}

/** The inbox only reads the store, so it cannot tell whether something has changed since. */
function asAskedText(run: string): string {
  return `What it is about was looked at when it was asked; "pawl decide ${run}" looks again.`;
}

function wholeLines(shell: Shell, { approvals, questions, stuck, pending, assumptions }: FullInbox): string[] {
  const lines = [
    ...approvals.flatMap(({ run, gate, command, isNew, diff }) => [
      ...(gate.posted === undefined ? [] : [`Approval ${oneLine(gate.path)} is ${oneLine(postedText(gate.posted))}`]),
      ...approvalLines(shell, { run, gate, isNew }, Number.POSITIVE_INFINITY),
      '',
      ...(diff === undefined ? [] : [...diffLines(shell, diff, `pawl inbox ${run} --diff`), '']),
      ...(gate.subjects === undefined || gate.posted !== undefined ? [] : [shell.style('dim', asAskedText(run))]),
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
      `Run ${run} stopped${wait.step === undefined ? '' : ` at ${oneLine(wait.step)}`}: ${oneLine(wait.kind === 'escalation' ? wait.message : 'the outcome of the step is unknown')}`,
      command,
      '',
    ]),
    ...pending.flatMap((gate) => [
      `Gate ${oneLine(gate.wait.path)} of run ${gate.run} is pending: ${oneLine(pendingText(gate))}`,
      ...(gate.wait.due === undefined ? [] : [`next check ${untilText(gate.wait.due)}, while a process drives the run`]),
      `pawl resume ${gate.run}`,
      '',
    ]),
    ...(assumptions.length === 0 ? [] : [assumedHeading(assumptions), ...assumptionLines(shell, assumptions), '']),
  ].slice(0, -1);
  return lines.length === 0 ? ['This run is not waiting for you.'] : lines;
}
