// Owns the text of the one comment that a run has at its issue or pull request: its state, its steps with their evidence, what
// it waits for, how to decide, its graph and its cost. The text changes only when one of these does, so it contains no relative
// times. It is bounded, and untrusted text in it is inert (`inert-text.ts`).

import type { WaitingQuestions } from '../../../attended/questions.ts';
import { waitName } from '../../../attended/wait-words.ts';
import { jsonText } from '../../../base/json.ts';
import { shownValues } from '../../../control/approval-change.ts';
import type { PendingApproval } from '../../../control/approvals.ts';
import type { RunReport, WaitReport } from '../../../control/schema/run.ts';
import { usageText } from '../../../control/usage.ts';
import type { RunStatus } from '../../../definition/run-status.ts';
import { areShownWhole, type DecisionLine, DIGEST_SHOWN, OPTION_MAX, QUESTION_MAX } from '../decision-lines.ts';
import { code, inertMarkdown } from '../inert-text.ts';
import { evidenceOf, markOf } from '../step/evidence.ts';

/** A pending approval, and the commands that decide it. */
interface ShownApproval extends PendingApproval {
  readonly lines: readonly DecisionLine[];
}

/** What a comment shows. */
export interface RunCommentView {
  readonly report: RunReport;
  /** The graph as Mermaid text. */
  readonly graph: string;
  readonly approvals: readonly ShownApproval[];
  readonly questions: readonly (WaitingQuestions & { readonly lines: readonly DecisionLine[] })[];
  /** The head of the pull request, if the run has one. */
  readonly head?: string;
  /** The address of the run in the dashboard. */
  readonly link?: string;
  readonly acceptsCommands: boolean;
}

const STEPS_MAX = 40;
const CELL_MAX = 200;
const PROMPT_MAX = 1000;
const SHOWN_MAX = 300;
const VALUES_MAX = 12;
const GRAPH_MAX = 8000;

const BODY_MAX = 40_000;

/** The text of the comment. */
export function runComment(view: RunCommentView): string {
  const { report, graph } = view;
  const parts = [headOf(view), waitsOf(view), stepsOf(report), costOf(report)];
  const drawn =
    graph.length > GRAPH_MAX ? '' : `<details><summary>Graph</summary>\n\n\`\`\`mermaid\n${graph.trimEnd()}\n\`\`\`\n\n</details>`;
  const whole = [...parts.slice(0, 3), drawn, ...parts.slice(3)].filter((part) => part !== '').join('\n\n');
  if (whole.length <= BODY_MAX) return whole;
  return [...parts.slice(0, 2), `The steps are too long for a comment; ${code(`pawl show ${report.run.id}`)} prints them.`].join('\n\n');
}

/** The text of the comment at the issue once the run has a comment at the pull request. */
export function movedComment({ run }: RunReport, pr: number): string {
  return `### ${markOf(run.status)} Pawl: ${inertMarkdown(run.title, CELL_MAX)}\n\nRun ${code(run.id)} continues at #${pr}; its state and its decisions are there.`;
}

const STATES: Readonly<Record<RunStatus, string>> = {
  pending: 'starts',
  running: 'is running',
  waiting: 'waits',
  completed: 'completed',
  overridden: 'completed; a person overrode part of it',
  rejected: 'was rejected',
  cancelled: 'was cancelled',
  failed: 'failed',
  escalated: 'needs a person: it stopped',
};

function headOf({ report: { run }, head, link }: RunCommentView): string {
  const at = head === undefined ? '' : `, at commit ${code(head.slice(0, DIGEST_SHOWN))}`;
  const open = link === undefined ? '' : ` · [dashboard](${link})`;
  const error = run.error === null ? '' : `\n\n${inertMarkdown(run.error, PROMPT_MAX)}`;
  return `### ${markOf(run.status)} Pawl: ${inertMarkdown(run.title, CELL_MAX)} ${STATES[run.status]}\n\nRun ${code(run.id)} of ${code(run.workflow)}${at}${open}${error}`;
}

function waitsOf(view: RunCommentView): string {
  const { report, approvals, questions } = view;
  const others = report.waits.filter(({ kind }) => kind !== 'human' && kind !== 'answer' && kind !== 'child');
  const texts = [
    ...approvals.map((approval) => approvalText(approval, view)),
    ...questions.map((asked) => questionText(asked, view)),
    ...others.map((wait) => waitText(wait, view)),
  ];
  return texts.join('\n\n');
}

function approvalText({ approval, run, lines }: ShownApproval, { acceptsCommands, head }: RunCommentView): string {
  const { step, digest, shown, signed, votes = [], posted } = approval;
  const { prompt, from, count = 1 } = approval.question;
  const about = `**Waits for a decision at ${inertMarkdown(step, CELL_MAX)}:** ${inertMarkdown(prompt, PROMPT_MAX)}`;
  if (posted !== undefined) return `${about}\n\nDecided: ${inertMarkdown(`"${posted.option}" by ${posted.actor}`, CELL_MAX)}.`;
  const who = [
    ...(from === undefined ? [] : [`only ${from.map((group) => code(group)).join(' or ')} can decide`]),
    ...(count > 1 ? [`${votes.length} of ${count} people have decided`] : []),
  ].join('; ');
  const values = Object.entries(shownValues(shown)).slice(0, VALUES_MAX);
  const list = values.map(([name, value]) => `- ${inertMarkdown(name, CELL_MAX)}: ${inertMarkdown(jsonText(value), SHOWN_MAX)}`).join('\n');
  const bound = `This is about the content with the digest ${code(digest.slice(0, DIGEST_SHOWN))}${head === undefined ? '' : ` and commit ${code(head.slice(0, DIGEST_SHOWN))}`}; ${code(`pawl inbox ${run}`)} shows all of it.`;
  return [
    about,
    list,
    [bound, who === '' ? '' : `${who[0]?.toUpperCase()}${who.slice(1)}.`].join(' ').trim(),
    howText({ lines, acceptsCommands, signed, run }),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

interface DecisionText {
  readonly lines: readonly DecisionLine[];
  readonly acceptsCommands: boolean;
  readonly signed: boolean;
  readonly run: string;
}

function howText({ lines, acceptsCommands, signed, run }: DecisionText): string {
  if (signed)
    return `The decision must be signed: ${code(`pawl decide ${run}`)} at a terminal, or the dashboard. A comment cannot decide it.`;
  if (!acceptsCommands || lines.length === 0) return `To decide: ${code(`pawl decide ${run}`)}, or the dashboard.`;
  return `To decide, write a comment with one of these as its first line:\n\n\`\`\`\n${lines.map(({ line }) => line).join('\n')}\n\`\`\``;
}

function questionText({ step, questions, run, lines }: RunCommentView['questions'][number], { acceptsCommands }: RunCommentView): string {
  const asked = questions.map(({ question, options }, index) => {
    const choices = options.length === 0 ? '' : ` (${options.map(({ label }) => inertMarkdown(label, OPTION_MAX)).join(' / ')})`;
    return `${index + 1}. ${inertMarkdown(question, QUESTION_MAX)}${choices}`;
  });
  const isWhole = areShownWhole({ questions });
  const how = !isWhole
    ? `These questions are too long for a comment: read and answer them with ${code(`pawl answer ${run}`)}, or in the dashboard.`
    : acceptsCommands && lines.length > 0
      ? `To answer, write a comment with this as its first line:\n\n\`\`\`\n${lines.map(({ line }) => line).join('\n')}\n\`\`\``
      : `To answer: ${code(`pawl answer ${run}`)}, or the dashboard.`;
  return [`**${inertMarkdown(step, CELL_MAX)} asks:**`, asked.join('\n'), how].join('\n\n');
}

function waitText(wait: WaitReport, { report, acceptsCommands }: RunCommentView): string {
  const { kind } = wait;
  const step = 'step' in wait ? wait.step : undefined;
  const message = 'message' in wait ? wait.message : undefined;
  const label = `**Waits for ${waitName(kind)}**${step === undefined ? '' : ` at ${inertMarkdown(step, CELL_MAX)}`}`;
  const why = message === undefined ? '' : `: ${inertMarkdown(message, PROMPT_MAX)}`;
  const retry = kind === 'escalation' && acceptsCommands ? `\n\n\`\`\`\n/pawl retry ${report.run.id}\n\`\`\`` : '';
  return `${label}${why}${retry}`;
}

function stepsOf({ plan, steps, decisions }: RunReport): string {
  const reached = plan.filter(({ status }) => status !== 'pending');
  const shown = plan.length <= STEPS_MAX ? plan : reached.slice(-STEPS_MAX);
  if (shown.length === 0) return '';
  const left = plan.length - shown.length;
  const rows = shown.map(({ step, title, status, visits }) => {
    const last = steps.findLast((row) => row.step === step && row.group === undefined);
    const decided = decisions.findLast((decision) => decision.step === step);
    const evidence = last === undefined ? '' : evidenceOf(last, steps, decided);
    const times = visits > 1 ? ` ×${visits}` : '';
    return `| ${inertMarkdown(title, CELL_MAX)}${times} | ${markOf(status)} ${status} | ${inertMarkdown(evidence, CELL_MAX)} |`;
  });
  const more = left > 0 ? `\n\n${left} more steps are not shown.` : '';
  return `| step | state | evidence |\n|---|---|---|\n${rows.join('\n')}${more}`;
}

function costOf({ run: { usage } }: RunReport): string {
  return usage === null ? '' : `Agents used ${usageText(usage)}.`;
}
