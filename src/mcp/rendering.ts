// Owns the replies that an agent reads over MCP: the open steps with their instructions, or why there are none. Each reply is
// complete, since an agent may have lost all earlier context, and limited in size, since the agent pays for its tokens.

import { type AttendedRun, type OpenWork, resultLines, stepName, stepNames } from '../attended/attended-run.ts';
import { dispatchPrompt, dispatchReason, type WorkDispatch } from '../attended/dispatch.ts';
import type { ProjectRun } from '../attended/open-runs.ts';
import type { AttendedHost } from '../attended/session.ts';
import { ASSUMED, newWork, nothingLeftText, PENDING, type Receipt, type Reply, workIn } from '../attended/submission.ts';
import { waitName } from '../attended/wait-words.ts';
import { waitLines } from '../attended/waits.ts';
import { argumentLines } from '../definition/param/arg.ts';
import type { OpenWait } from '../engine/status.ts';
import { inOneLine, quotedAfterFirst } from '../steps/instructions/quotes.ts';

/** The maximum length of the instructions in one reply; the first step is always complete. */
const INSTRUCTIONS_MAX = 2000;
/** How many open steps a page lists by name. */
const PAGE = 20;

/** A run with the steps that are open in it: the first ones with their instructions, others by name. `seen` gets the tokens of the first ones. */
export function runText(run: AttendedRun, { page = 1, seen }: { readonly page?: number; readonly seen?: Set<string> } = {}): string {
  const work = workIn(run);
  const shown = page === 1 ? fitting(work) : [];
  for (const { token } of shown) seen?.add(token);
  const from = page === 1 ? shown.length : (page - 1) * PAGE;
  const many = work.length > 1 ? ['They are independent: report each with its own token, in any order.'] : [];
  const rest = work.slice(from, page * PAGE);
  return [summaryLine(run), ...many, ...shown.map(workText), ...listText(rest, { page, total: work.length })].join('\n\n');
}

/** The first steps, as many as fit into one reply with their instructions. */
function fitting(work: readonly OpenWork[]): readonly OpenWork[] {
  let size = 0;
  const end = work.findIndex((open) => {
    size += workText(open).length;
    return size > INSTRUCTIONS_MAX;
  });
  return end === -1 ? work : work.slice(0, Math.max(1, end));
}

function listText(rows: readonly OpenWork[], { page, total }: { readonly page: number; readonly total: number }): string[] {
  const pages = Math.ceil(total / PAGE);
  const more = page < pages ? [`${total} steps are open; pawl_next with "page": ${page + 1} lists more (${pages} pages).`] : [];
  if (rows.length === 0) return more;
  return [['Also open, with their tokens (pawl_next with a token returns the instructions):', ...rows.map(rowText), ...more].join('\n')];
}

function rowText({ step, item, token }: OpenWork): string {
  return `- "${stepName(step)}"${item === undefined ? '' : `, item "${item}"`}: ${token}`;
}

/** A run in one line: whether there is anything to do, and for whom. */
export function summaryLine(run: AttendedRun): string {
  return `Run ${run.id} of workflow "${run.workflow}": ${stateText(run)}`;
}

function stateText(run: AttendedRun): string {
  switch (run.kind) {
    case 'work':
      return run.work.length === 1 ? 'one step is open for you.' : `${run.work.length} steps are open for you.`;
    case 'executing':
      return 'the engine is executing it. Call pawl_next; it waits until a step is open.';
    case 'abandoned':
      return 'it was interrupted when its process ended. Call pawl_next; it continues the run and waits until a step is open.';
    case 'waiting': {
      const reasons = run.waits.map(({ wait }) => waitText(wait)).join(' and ');
      const then = run.due === undefined ? '' : ` It continues by itself at ${new Date(run.due).toISOString()}.`;
      const asked = run.waits.flatMap(waitLines).join('\n');
      return `waiting for ${reasons}.${then} There is nothing for you to do now: tell the person, and stop.${asked === '' ? '' : `\n${asked}`}`;
    }
    case 'halted':
      return `${run.status}: ${inOneLine(run.problem ?? 'it cannot continue by itself')}. A person must decide how it continues ("pawl resume ${run.id}"): tell them, and stop.`;
    case 'ended':
      return `${run.status}. There is nothing left to do.`;
  }
}

function waitText({ kind, step }: OpenWait): string {
  return step === undefined ? waitName(kind) : `${waitName(kind)} (step "${step}")`;
}

function workText(work: OpenWork): string {
  if (work.dispatch !== undefined) return dispatchText(work, work.dispatch);
  const { step, item, attempt, role, token, parts, mayAsk, due } = work;
  const which = `${item === undefined ? '' : `, item "${item}"`}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
  const { body, report, people } = parts;
  const lines = [
    `## Step "${stepName(step)}"${which} (role: ${role})`,
    `Token: ${token}`,
    ...(due === undefined ? [] : [`Due: ${new Date(due).toISOString()}`]),
    '',
    body,
    '',
    '## How to report',
    ...(report === undefined ? [] : [report]),
    ...resultLines(work),
    'When the work is done, call pawl_report with this token and the result. The engine checks the work itself.',
    'When it cannot be done, call pawl_report with this token and the reason as "failure".',
    'When you guess what only a person can decide, record it with pawl_assume and go on.',
    ...(mayAsk ? ['When only the person can answer a question, call pawl_ask with this token.'] : []),
    ...(people === undefined ? [] : ['', people]),
  ];
  return lines.join('\n');
}

/** Dispatched work, as the dispatching agent sees it. */
function dispatchText({ step, item, run, token }: OpenWork, dispatch: WorkDispatch): string {
  const which = item === undefined ? '' : `, item "${item}"`;
  const command = `call pawl_next with run "${run}" and token "${token}"`;
  return [
    `## Step "${stepName(step)}"${which}, for a sub-agent (${dispatch.agent})`,
    dispatchReason(dispatch),
    '',
    `> ${dispatchPrompt(dispatch, command)}`,
    '',
    'When it has returned, call pawl_next.',
  ].join('\n');
}

/** The result of a submission, and the steps whose instructions this connection has not sent yet. */
export function replyText(reply: Reply, seen: Set<string>): string {
  const { receipt, run } = reply;
  if (receipt?.kind === 'assumed') return receiptText(receipt);
  if (reply.dispatch !== undefined) return ownStepText(reply);
  const verdict = receipt === undefined ? [] : [receiptText(receipt)];
  if (run.kind !== 'work') return [...verdict, summaryLine(run)].join('\n\n');
  const isRepeated = receipt !== undefined && 'repeated' in receipt && receipt.repeated;
  const opened = new Set(newWork(reply).map(({ token }) => token));
  const unseen = run.work.filter(({ token }) => isRepeated || !seen.has(token));
  // The steps that this report opened come first.
  const whole = fitting([...unseen.filter(({ token }) => opened.has(token)), ...unseen.filter(({ token }) => !opened.has(token))]);
  for (const { token } of whole) seen.add(token);
  const left = run.work.length - whole.length;
  const others =
    left === 0
      ? []
      : [
          `${left} other ${left === 1 ? 'step is' : 'steps are'} open; pawl_next lists ${left === 1 ? 'it' : 'them'}, and returns one by its token, step or item.`,
        ];
  return [...verdict, summaryLine(run), ...whole.map(workText), ...others].join('\n\n');
}

/** The reply to a worker that does only one step: the verdict, and that step again if it is not done. */
export function ownStepText(reply: Reply): string {
  const { receipt, run } = reply;
  const again = workIn(run).map(workText);
  return [...(receipt === undefined ? [] : [receiptText(receipt)]), ...(again.length > 0 ? again : [nothingLeftText(reply)])].join('\n\n');
}

function receiptText(receipt: Receipt): string {
  if (receipt.kind === 'assumed') return ASSUMED;
  if (receipt.kind === 'asked') return 'The questions now wait for the person.';
  if (receipt.kind === 'pending') return `${PENDING} Call pawl_next; it waits for the verdict.`;
  const { repeated } = receipt;
  const step = stepName(receipt.step);
  const again = repeated ? ' (this report was already recorded)' : '';
  if (receipt.kind === 'accepted') return `Accepted: step "${step}" is done${again}.`;
  if (receipt.kind === 'failed') return `The failure of step "${step}" is recorded${again}${after(receipt.message)}`;
  return `NOT accepted: step "${step}" is not done${again}${after(receipt.message)}`;
}

/** A message after a colon. Its further lines are quoted, so that the agent cannot mistake them for text of Pawl. */
function after(message: string): string {
  return message === '' ? '.' : `: ${quotedAfterFirst(message)}`;
}

/** The open runs of the project that an agent can adopt, and how. */
export function othersText(others: readonly ProjectRun[]): string[] {
  if (others.length === 0) return [];
  const rows = others.slice(0, PAGE).map(({ run, holder }) => {
    const state =
      run.kind === 'work'
        ? `open for an agent: ${stepsText(run.work)}`
        : run.kind === 'waiting'
          ? `waiting for ${run.waits.map(({ wait }) => waitText(wait)).join(' and ')}`
          : run.kind;
    return `- ${run.id} of workflow "${run.workflow}", ${state}${holder === 'other' ? '; another session works on it' : ''}`;
  });
  const more = others.length > PAGE ? [`${others.length - PAGE} more are not listed.`] : [];
  return [['Open runs of this project; pawl_next with the id as "run" continues one:', ...rows, ...more].join('\n')];
}

const STEPS_SHOWN = 3;

function stepsText(work: readonly OpenWork[]): string {
  const names = stepNames(work).map((name) => `"${name}"`);
  return [...names.slice(0, STEPS_SHOWN), ...(names.length > STEPS_SHOWN ? ['…'] : [])].join(', ');
}

/** The workflows that can be started, with their parameters. Those that are not trusted are only counted. */
export function offersText({ workflows, untrusted }: Awaited<ReturnType<AttendedHost['offers']>>): string {
  const lines = workflows.flatMap(({ name, about, params }) => [
    `- ${name}${about === undefined ? '' : `: ${about}`}`,
    ...Object.entries(params).map(([param, model]) => {
      const standard = model.default === undefined ? '' : ` (default: ${JSON.stringify(model.default)})`;
      return `  ${argumentLines({ [param]: model })[0]}${standard}`;
    }),
  ]);
  return [
    workflows.length === 0 ? 'No workflow can be started here.' : 'Workflows that can be started with pawl_start, with their parameters:',
    ...lines,
    ...(untrusted === 0 ? [] : [`${untrusted} more cannot be started: a person must review and trust their files first ("pawl trust").`]),
  ].join('\n');
}
