// Owns what an agent reads: the step that is open with all it needs, or why there is none. A text stands alone, since an
// agent may have forgotten everything before it.

import type { Handout } from '../engine/reports.ts';
import { isFinal } from '../kernel/run-state.ts';
import type { OpenWait } from '../kernel/status.ts';
import type { OfferedWorkflow, Taken } from './desk.ts';
import type { Standing } from './standing.ts';

/** How a run stands, for the agent that works on it. */
export function tellStanding(standing: Standing): string {
  const { run, workflow, handouts } = standing;
  const head = `Run ${run} of workflow "${workflow}": ${tellState(standing)}`;
  const many = handouts.length > 1 ? ['They are independent: report each with its own token, in any order.'] : [];
  return [head, ...many, ...handouts.map(tellHandout)].join('\n\n');
}

/** Whether there is anything to do, and for whom, in one sentence or two. */
export function tellState({ status, handouts, waits, isAtWork, problem, due }: Standing): string {
  if (handouts.length > 0) return handouts.length === 1 ? 'one step is open for you.' : `${handouts.length} steps are open for you.`;
  if (isFinal(status)) return `${status}. There is nothing left to do.`;
  if (status === 'failed' || status === 'escalated')
    return `${status}: ${problem ?? 'it cannot go on by itself'}. A person decides how it goes on; tell them, and stop.`;
  if (isAtWork) return 'the engine is at work on it. Call pawl_next again; it waits until a step is open.';
  const reasons = waits.map(tellWait);
  const then = due === undefined ? '' : ` It goes on by itself at ${new Date(due).toISOString()}.`;
  return `waiting for ${reasons.length === 0 ? 'something outside' : reasons.join(' and ')}.${then} There is nothing for you to do now; tell the person, and stop.`;
}

const WAITS: Readonly<Record<OpenWait['kind'], string>> = {
  human: 'a decision of a person',
  answer: 'answers of a person to the questions that were asked',
  report: 'a report',
  child: 'another run',
  signal: 'a signal',
  checks: 'the forge',
  capacity: 'a free place',
  budget: 'a budget',
  delay: 'its time',
  pause: 'a person who paused it to resume it',
  escalation: 'a person who says how it goes on',
  unknown: 'a person who says whether a step took effect',
};

function tellWait({ kind, step }: OpenWait): string {
  return step === undefined ? WAITS[kind] : `${WAITS[kind]} (step "${step}")`;
}

function tellHandout({ step, item, attempt, role, token, prompt, schema, mayAsk, due }: Handout): string {
  const which = `${item === undefined ? '' : `, item "${item}"`}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
  const lines = [
    `## Step "${step}"${which} (role: ${role})`,
    `Token: ${token}`,
    ...(due === undefined ? [] : [`Due: ${new Date(due).toISOString()}`]),
    '',
    prompt,
    '',
    ...(schema === undefined ? [] : [`The result must fit this JSON Schema: ${JSON.stringify(schema)}`]),
    'When the work is done, call pawl_report with this token and the result. The engine looks for itself whether it is done.',
    'When it cannot be done, call pawl_report with this token and "failure": why.',
    ...(mayAsk ? ['When only the person can know something, call pawl_ask with this token.'] : []),
  ];
  return lines.join('\n');
}

/** How a report was taken. */
export function tellTaken(taken: Taken): string {
  if (taken === 'pending') return 'The report is on record and being verified. Call pawl_next; it waits for the verdict.';
  const { accepted, repeated, step, message } = taken;
  const again = repeated ? ' (it was reported before; this is what came of it then)' : '';
  return accepted
    ? `Accepted: step "${step}" is done${again}.`
    : `NOT accepted: step "${step}" is not done${again}. ${message ?? ''}`.trimEnd();
}

/** What can be started. Of what is not trusted nothing is told but that it is there. */
export function tellOffers(workflows: readonly OfferedWorkflow[], untrusted: number): string {
  const lines = workflows.map(({ name, about, params }) => {
    const takes = params.length === 0 ? '' : ` (parameters: ${params.join(', ')})`;
    return `- ${name}${takes}${about === undefined ? '' : `: ${about}`}`;
  });
  return [
    workflows.length === 0 ? 'No workflow can be started here.' : 'Workflows that can be started with pawl_start:',
    ...lines,
    ...(untrusted === 0 ? [] : [`${untrusted} more cannot: a person has to read and trust their files first ("pawl trust").`]),
  ].join('\n');
}
