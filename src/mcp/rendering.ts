// Owns the texts that an agent reads over MCP: the step that is open with all it needs, or why there is none. Each text
// is complete, since an agent may have forgotten everything before it.

import type { AttendedRun, OpenWork } from '../attended/attended-run.ts';
import type { AttendedHost } from '../attended/session.ts';
import { type Receipt, type Reply, workIn } from '../attended/submission.ts';
import type { OpenWait } from '../kernel/status.ts';

/** A run with the steps that are open in it. */
export function runText(run: AttendedRun): string {
  const work = workIn(run);
  const many = work.length > 1 ? ['They are independent: report each with its own token, in any order.'] : [];
  return [summaryLine(run), ...many, ...work.map(workText)].join('\n\n');
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
      return `waiting for ${reasons}.${then} There is nothing for you to do now: tell the person, and stop.`;
    }
    case 'halted':
      return `${run.status}: ${run.problem ?? 'it cannot continue by itself'}. A person has to decide how it continues: tell them, and stop.`;
    case 'ended':
      return `${run.status}. There is nothing left to do.`;
  }
}

const WAITS: Readonly<Record<OpenWait['kind'], string>> = {
  human: 'a person to decide',
  answer: 'a person to answer the questions',
  report: 'a report',
  child: 'another run',
  signal: 'a signal',
  checks: 'the forge',
  capacity: 'capacity',
  budget: 'a budget',
  delay: 'a delay to end',
  pause: 'a person to resume it after a pause',
  escalation: 'a person to decide how it continues',
  unknown: 'a person to say whether a step took effect',
};

function waitText({ kind, step }: OpenWait): string {
  return step === undefined ? WAITS[kind] : `${WAITS[kind]} (step "${step}")`;
}

function workText({ step, item, attempt, role, token, parts, schema, mayAsk, due }: OpenWork): string {
  const which = `${item === undefined ? '' : `, item "${item}"`}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
  const { body, report, people } = parts;
  const lines = [
    `## Step "${step}"${which} (role: ${role})`,
    `Token: ${token}`,
    ...(due === undefined ? [] : [`Due: ${new Date(due).toISOString()}`]),
    '',
    body,
    '',
    '## How to report',
    ...(report === undefined ? [] : [report]),
    ...(schema === undefined ? [] : [`The result must match this JSON Schema: ${JSON.stringify(schema)}`]),
    'When the work is done, call pawl_report with this token and the result. The engine checks the work itself.',
    'When it cannot be done, call pawl_report with this token and the reason as "failure".',
    ...(mayAsk ? ['When only the person can answer a question, call pawl_ask with this token.'] : []),
    ...(people === undefined ? [] : ['', people]),
  ];
  return lines.join('\n');
}

/** What became of a submission, and what the agent does next. */
export function replyText({ receipt, run }: Reply): string {
  return [...(receipt === undefined ? [] : [receiptText(receipt)]), runText(run)].join('\n\n');
}

function receiptText(receipt: Receipt): string {
  if (receipt.kind === 'asked') return 'The questions now wait for the person.';
  if (receipt.kind === 'pending') return 'The report is recorded and being verified. Call pawl_next; it waits for the verdict.';
  const { step, repeated } = receipt;
  const again = repeated ? ' (this report was already recorded)' : '';
  if (receipt.kind === 'accepted') return `Accepted: step "${step}" is done${again}.`;
  if (receipt.kind === 'gave-up') return `Recorded: step "${step}" failed${again}. ${receipt.message}`.trimEnd();
  return `NOT accepted: step "${step}" is not done${again}. ${receipt.message}`.trimEnd();
}

/** The workflows that can be started. Those that are not trusted are only counted. */
export function offersText({ workflows, untrusted }: Awaited<ReturnType<AttendedHost['offers']>>): string {
  const lines = workflows.map(({ name, about, params }) => {
    const takes = params.length === 0 ? '' : ` (parameters: ${params.join(', ')})`;
    return `- ${name}${takes}${about === undefined ? '' : `: ${about}`}`;
  });
  return [
    workflows.length === 0 ? 'No workflow can be started here.' : 'Workflows that can be started with pawl_start:',
    ...lines,
    ...(untrusted === 0 ? [] : [`${untrusted} more cannot be started: a person has to read and trust their files first ("pawl trust").`]),
  ].join('\n');
}
