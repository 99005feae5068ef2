// Owns the page of one decision: everything the decision is about, what changed since the link was created, and the options.
// It works without a script; only a decision that must be signed needs one, for the passkey.

import { type Json, jsonText } from '../../../base/json.ts';
import { type ApprovalChange, type ShownChange, shownValues } from '../../../control/approval-change.ts';
import { RUN_ENDS, splitTexts, voterTexts } from '../../../control/decision-words.ts';
import type { BoundedDiff } from '../../../control/run/diff.ts';
import type { DecisionReport } from '../../../control/schema/run.ts';
import type { ApprovalOptionModel } from '../../../definition/model.ts';
import { readSubjects, type SeenSubjects } from '../../../definition/question/subjects.ts';
import type { OpenApproval } from '../../../engine/request/approvals.ts';
import type { Page } from '../auth-routes.ts';
import { html, type Markup } from '../html.ts';

interface ShownApproval {
  readonly run: string;
  readonly workflow: string;
  readonly approval: OpenApproval;
  readonly person: string;
  readonly expiresAt: number;
  /** Where the form is sent. */
  readonly action: string;
  /** What the run changed in files, or why that cannot be shown. */
  readonly diff?: BoundedDiff | { readonly problem: string } | undefined;
  /** What changed since the person was asked, if anything did. */
  readonly change?: ApprovalChange | undefined;
  /** Why the last attempt to decide failed. */
  readonly problem?: string | undefined;
}

/** A value with more lines is shown in a box that scrolls. */
const LINES_LONG = 40;
const DIGEST_SHOWN = 12;

/** The page with the approval and its options. */
export function decidePage(asked: ShownApproval): Page {
  const { run, workflow, approval, person, change, problem, expiresAt } = asked;
  const facts = [`run ${run}`, approval.path, `requested ${timeText(approval.since)}`, `digest ${approval.digest.slice(0, DIGEST_SHOWN)}`];
  return {
    title: `${workflow}: ${approval.step}`,
    status: change === undefined && problem === undefined ? 200 : 409,
    body: html`<p class="quiet">${workflow}</p>
<h1>${approval.step}</h1>
${problem === undefined ? undefined : html`<p class="notice" role="alert">${problem}</p>`}
${change === undefined ? undefined : changeMarkup(change)}
<p class="text">${approval.question.prompt}</p>
<p class="quiet">${facts.join(' · ')}</p>
${whoMarkup(approval)}
${Object.entries(shownValues(approval.shown)).map(([name, value]) => html`<h2>${name}</h2>${valueMarkup(value)}`)}
${subjectsMarkup(approval.subjects)}
${diffMarkup(asked)}
${formMarkup(asked)}
<p class="quiet">You decide as ${person}. This link works once, until ${timeText(expiresAt)}.</p>`,
  };
}

/** The page after the decision. */
export function decidedPage(
  { approval, run, workflow }: Pick<ShownApproval, 'approval' | 'run' | 'workflow'>,
  option: string,
  person: string,
): Page {
  return {
    title: 'Decided',
    body: html`<p class="quiet">${workflow}</p><h1>Decided: ${option}</h1>
<p>Your decision at ${approval.step} of run ${run} is recorded, as ${person}. You can close this page.</p>`,
  };
}

/** The page of an approval that no longer waits. */
export function closedPage({
  run,
  step,
  decided,
}: {
  readonly run: string;
  readonly step: string;
  readonly decided: DecisionReport | undefined;
}): Page {
  return {
    title: 'Nothing to decide',
    status: 410,
    body: html`<h1>Nothing to decide</h1>${
      decided === undefined
        ? html`<p>${step} of run ${run} no longer waits for a decision.</p>`
        : html`<p>${step} of run ${run} was already decided: <strong>${decided.option}</strong>, by ${decided.actor} on ${decided.at}.</p>`
    }<p>Nothing was decided with this link.</p>`,
  };
}

function whoMarkup(approval: OpenApproval): Markup {
  const { due, signed } = approval;
  const lines = [
    ...[...voterTexts(approval), ...splitTexts(approval)],
    ...(due === undefined ? [] : [`due ${timeText(due)}`]),
    ...(signed ? ['the decision must be signed: you will be asked for your passkey'] : []),
  ];
  return html`${lines.map((line) => html`<p class="quiet">${line[0]?.toUpperCase()}${line.slice(1)}.</p>`)}`;
}

/** What the decision is about outside the run: if it changes, the decision does not count. */
function subjectsMarkup(stored: Json | undefined): Markup | undefined {
  const subjects = readSubjects(stored);
  if ('problem' in subjects) return html`<h2>About</h2><p>It could not be read: ${subjects.problem}</p>`;
  const { tree, pr, files = {} } = subjects;
  const lines = [
    ...(pr === undefined ? [] : [`Pull request ${pr.number}${'head' in pr ? ` at ${pr.head}` : ''}`]),
    ...(tree === undefined ? [] : treeLines(tree)),
  ];
  const listed = Object.entries(files).map(([name, digest]) => {
    return `${name}  ${typeof digest === 'string' ? digest.slice(0, DIGEST_SHOWN) : digest.problem}`;
  });
  if (lines.length === 0 && listed.length === 0) return undefined;
  return html`<h2>About</h2>${lines.map((line) => html`<p>${line}</p>`)}${listed.length === 0 ? undefined : valueMarkup(listed.join('\n'))}`;
}

function treeLines(tree: NonNullable<SeenSubjects['tree']>): string[] {
  if ('problem' in tree) return [`The workspace could not be read: ${tree.problem}`];
  const stale = (tree.stale ?? []).map(({ step }) => `Stale: ${step} checked other files; nothing is merged until it passes again`);
  return [`The workspace, tree ${tree.id}`, ...stale];
}

function diffMarkup({ diff, run }: ShownApproval): Markup | undefined {
  if (diff === undefined) return undefined;
  if ('problem' in diff) return html`<h2>Changed files</h2><p>The changes cannot be shown: ${diff.problem}</p>`;
  if (diff.text === '') return html`<h2>Changed files</h2><p>No files changed.</p>`;
  const kilobytes = Math.ceil(diff.bytes / 1024);
  return html`<h2>Changed files</h2>${valueMarkup(diff.text)}${
    diff.truncated ? html`<p class="notice">Truncated: the diff has ${kilobytes} kB. "pawl diff ${run}" shows all of it.</p>` : undefined
  }`;
}

function changeMarkup({ isKnown, changes, note }: ApprovalChange): Markup {
  return html`<div class="notice" role="alert"><p><strong>The content changed</strong> since you were asked${
    note === undefined ? '' : `: ${note}`
  }. Nothing was decided. Read it again, then decide.</p>${isKnown ? undefined : html`<p>The log of the run does not have the content that you were shown.</p>`}</div>
${changes.map(changedMarkup)}`;
}

function changedMarkup({ name, before, after }: ShownChange): Markup {
  return html`<h2>Changed: ${name}</h2>
${before === undefined ? undefined : html`<p class="quiet">before</p>${valueMarkup(before, 'gone')}`}
${after === undefined ? html`<p class="quiet">no longer shown</p>` : html`<p class="quiet">now</p>${valueMarkup(after, 'new')}`}`;
}

function valueMarkup(value: Json, kind = ''): Markup {
  const text = jsonText(value, 2);
  return html`<pre class="${kind}${text.split('\n').length > LINES_LONG ? ' long' : ''}" tabindex="0">${text}</pre>`;
}

function formMarkup({ approval, action }: ShownApproval): Markup {
  const { options } = approval.question;
  const needInput = options.filter(({ requiresInput }) => requiresInput).map(({ label }) => label);
  const label = needInput.length === 0 ? 'Note (optional)' : `Text, required for: ${needInput.join(', ')}`;
  // The script sets `option` itself, once the passkey has signed it.
  const name = approval.signed ? 'choice' : 'option';
  const signing = approval.signed
    ? html`<input type="hidden" name="option" value=""><input type="hidden" name="passkey" value=""><p class="notice" data-error role="alert" hidden></p>`
    : undefined;
  const opening = approval.signed
    ? html`<form method="post" action="${action}" data-sign="${action}/sign">`
    : html`<form method="post" action="${action}">`;
  return html`${opening}
<input type="hidden" name="digest" value="${approval.digest}">${signing}
<label for="input">${label}</label>
<textarea id="input" name="input" rows="3"></textarea>
<div class="choices">${options.map((option) => buttonMarkup(option, name))}</div>
</form>`;
}

function buttonMarkup(option: ApprovalOptionModel, name: string): Markup {
  const kind = option.outcome === 'ok' ? 'main' : '';
  return html`<button type="submit" class="${kind}" name="${name}" value="${option.label}">${option.label}<small>${leadsTo(option)}</small></button>`;
}

function leadsTo({ to, outcome }: ApprovalOptionModel): string {
  if (to === undefined) return outcome === 'ok' ? '' : `outcome "${outcome}"`;
  return 'step' in to ? `continues at ${to.step}` : `the run ${RUN_ENDS[to.end]}`;
}

function timeText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d+Z$/, ' UTC');
}
