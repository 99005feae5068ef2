// `pawl inbox`: lists everything that waits for a person, oldest first.

import { NO_VERDICT } from '../../attended/wait-words.ts';
import { omitUndefined } from '../../base/fields.ts';
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
import type { AssumptionReport } from '../../control/schema/run.ts';
import { agoText, untilText } from '../../control/time-text.ts';
import { postedText } from '../../engine/request/approvals.ts';
import type { Store } from '../../store/store.ts';
import { assumptionLine, assumptionLines } from '../assumptions.ts';
import { questionLines } from '../attended/answer.ts';
import { type CommandRun, usageError } from '../command.ts';
import { approvalLines } from '../decision/decision.ts';
import { type ApprovalDiff, diffLines } from '../decision/diff-lines.ts';
import { findRun, findSetup, openExisting, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine, table } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const prefix = args.maybe('RUN');
  if (prefix === undefined && (args.has('diff') || args.has('new')))
    throw usageError('--diff and --new need the id of a run: "pawl inbox RUN --diff"');
  await using store = await openExisting(setup, prefix);
  const runs = store === undefined ? [] : prefix === undefined ? await openRuns(shell, store) : [await findRun(store, prefix, setup)];
  const inbox = store === undefined ? NOTHING : await fullInbox(shell, { setup, store, runs, isOne: prefix !== undefined });
  return shell.result(inboxJson(inbox), () => (prefix === undefined ? listLines(shell, inbox) : fullLines(shell, inbox)));
};

const NOTHING: FullInbox = { approvals: [], questions: [], stuck: [], pending: [], assumptions: [] };

interface InboxSource {
  readonly setup: Setup;
  readonly store: Store;
  readonly runs: readonly string[];
  /** Only one run is shown, in full. */
  readonly isOne: boolean;
}

async function fullInbox(shell: Shell, source: InboxSource): Promise<FullInbox> {
  const { store, runs, isOne } = source;
  const inbox = await readInbox(store, runs, isOne);
  const approvals = isOne ? await withViews(shell, source, inbox.approvals) : inbox.approvals;
  return { ...inbox, approvals, assumptions: await openAssumptions(store, isOne ? runs[0] : undefined) };
}

/** The approvals of one run with the changes since the person last looked, and with --diff or --new the diff. */
async function withViews(shell: Shell, { setup, store }: InboxSource, approvals: readonly Approval[]): Promise<readonly Approval[]> {
  const isDiff = shell.args.has('diff') || shell.args.has('new');
  if (approvals.length === 0 || (!isDiff && !shell.isInteractive)) return approvals;
  const [{ hasDiff, newSinceView, readDiff }, { lastView, recordView, contentOf }] = await Promise.all([
    import('../decision/diff.ts'),
    import('../decision/last-view.ts'),
  ]);
  const view = async (asked: Approval): Promise<Approval> => {
    const source = { shell, setup, store, asked };
    const isNew = await newSinceView(source);
    if (!isDiff) {
      recordView(shell, setup, { asked, content: contentOf(asked) });
      return { ...asked, ...omitUndefined({ isNew: isNew?.line }) };
    }
    const since = shell.args.has('new') ? lastView(shell, setup, asked) : undefined;
    const diff = (await hasDiff(source)) ? await readDiff(source, since) : NO_GIT;
    return { ...asked, ...omitUndefined({ isNew: isNew?.line }), diff };
  };
  return Promise.all(approvals.map(view));
}

const NO_GIT: ApprovalDiff = { title: 'there is no diff: the work is not in a git repository' };

async function openRuns(shell: Shell, store: Store): Promise<readonly string[]> {
  const runs = await store.list({ status: OPEN_STATUSES });
  for (const { id, damaged } of runs)
    if (damaged !== undefined) shell.warn(`run ${id} cannot be read, so what it waits for is not shown: ${oneLine(damaged)}`);
  return runs.filter(({ damaged }) => damaged === undefined).map(({ id }) => id);
}

function pendingText({ wait }: PendingGate): string {
  return wait.message ?? NO_VERDICT;
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
    ...approvals.map(({ run, workflow, approval }) => ({
      run,
      workflow,
      step: approval.path,
      since: approval.since,
      options:
        approval.posted === undefined ? approval.question.options.map(({ label }) => label).join(', ') : `(${postedText(approval.posted)})`,
    })),
    ...questions.map((asked) => ({
      ...asked,
      step: asked.path,
      options: `(an agent asks ${counted(asked.questions.length, 'question')})`,
    })),
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
  const lines = table(shell.display, [
    { title: 'RUN', cells: rows.map(({ run }) => run) },
    { title: 'STEP', cells: rows.map(({ step }) => oneLine(step)), shrinks: 'name' },
    { title: 'WORKFLOW', cells: rows.map(({ workflow }) => oneLine(workflow)), shrinks: 'name' },
    { title: 'WAITING', cells: rows.map(({ since }) => agoText(since)) },
    { title: 'OPTIONS', cells: rows.map(({ options }) => oneLine(options)), shrinks: 'text' },
  ]);
  const approval = approvals.find(({ approval }) => approval.posted === undefined)?.run;
  const decided = approvals.find(({ approval }) => approval.posted !== undefined)?.run;
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

function fullLines(shell: Shell, { approvals, questions, stuck, pending, assumptions }: FullInbox): string[] {
  const lines = [
    ...approvals.flatMap(({ run, approval, command, isNew, diff }) => [
      ...(approval.posted === undefined ? [] : [`Approval ${oneLine(approval.path)} is ${oneLine(postedText(approval.posted))}`]),
      ...approvalLines(shell, { run, approval, isNew }, Number.POSITIVE_INFINITY),
      '',
      ...(diff === undefined ? [] : [...diffLines(shell, diff, `pawl inbox ${run} --diff`), '']),
      // The inbox reads only the store, which has the state at the time of the request.
      ...(approval.subjects === undefined || approval.posted !== undefined
        ? []
        : [shell.style('dim', `This is the state when the approval was requested; "pawl decide ${run}" shows the current one.`)]),
      command,
      `digest ${approval.digest}`,
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
