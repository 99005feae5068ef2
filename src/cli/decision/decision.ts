// Owns a decision at the terminal: shows an approval and asks the person. Every line of untrusted text is wrapped here and
// gets a bar in front, so that it cannot be mistaken for a prompt of Pawl. A decision is bound to the digest of what was
// shown.

import type { Engine } from '../../api/engine.ts';
import { EngineError, failureOf, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, jsonText } from '../../base/json.ts';
import { type PendingApproval, pendingApprovals } from '../../control/approvals.ts';
import { TOO_LATE } from '../../control/decision.ts';
import { RUN_ENDS, splitTexts, voterTexts } from '../../control/decision-words.ts';
import { agoText, untilText } from '../../control/time-text.ts';
import type { ApprovalOptionModel } from '../../definition/model.ts';
import { readSubjects, type SeenSubjects } from '../../definition/question/subjects.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import type { DecisionRequest } from '../../engine/request/requests.ts';
import type { Store } from '../../store/store.ts';
import type { Shell } from '../shell.ts';
import { counted, firstNames, oneLine, plain, shorten, slices, widthOf } from '../terminal.ts';
import type { DiffSource } from './diff.ts';
import { diffLines } from './diff-lines.ts';
import { type ApprovalSetup, type ApprovalView, contentOf, recordView } from './last-view.ts';
import { openPrompt, type Prompt } from './prompt.ts';

/** How many characters of a digest are shown, and how many at least identify one. */
export const DIGEST_SHOWN = 12;

const LINES_SHOWN = 20;
const FILES_SHOWN = 5;

/** An approval as people see it, its values truncated to `linesMax` lines. `isNew` is the line about what changed. */
export function approvalLines(
  shell: Shell,
  { run, approval, isNew }: { readonly run: string; readonly approval: OpenApproval; readonly isNew?: string | undefined },
  linesMax: number = LINES_SHOWN,
): string[] {
  const dot = ` ${shell.symbol('dot')} `;
  const about = [`approval ${agoText(approval.since)}`, ...(approval.due === undefined ? [] : [`due ${untilText(approval.due)}`])];
  return [
    heading(shell, `Your decision: ${shortened(shell, approval.step, 24)}`),
    shell.style('dim', `run ${run}${dot}${shortened(shell, approval.path, 24)}`),
    shell.style('dim', [...about, `digest ${approval.digest.slice(0, DIGEST_SHOWN)}`].join(dot)),
    ...[...voterLines(approval), ...subjectLines(approval)].map((line) => shell.style('dim', shortened(shell, line, 0))),
    ...(isNew === undefined ? [] : [shell.style('yellow', shortened(shell, isNew, 0))]),
    '',
    ...quotedLines(shell, approval.question.prompt),
    ...shownLines(shell, approval.shown, { run, linesMax }),
    '',
    ...optionLines(shell, approval.question.options),
  ];
}

function voterLines(approval: OpenApproval): string[] {
  const signed = approval.signed ? ['needs the signature of an enrolled key'] : [];
  return [voterTexts(approval).join(', '), ...splitTexts(approval), ...signed].filter((line) => line !== '');
}

/** The subjects outside the run: if one changes, the decision is void. */
function subjectLines({ subjects }: OpenApproval): string[] {
  const seen = readSubjects(subjects);
  if ('problem' in seen) return [`could not be read: ${seen.problem}`];
  const { pr, files = {}, tree } = seen;
  const head = pr === undefined ? [] : [`about pull request ${pr.number}${'head' in pr ? ` at ${pr.head.slice(0, DIGEST_SHOWN)}` : ''}`];
  const names = Object.keys(files);
  const listed = names.length === 0 ? [] : [`about ${counted(names.length, 'file')}: ${firstNames(names, FILES_SHOWN)}`];
  return [...head, ...listed, ...treeLines(tree)];
}

/** The workspace tree, and the checks that no longer count because files changed after them. */
function treeLines(tree: SeenSubjects['tree']): string[] {
  if (tree === undefined) return [];
  if ('problem' in tree) return [`the workspace could not be read: ${tree.problem}`];
  const { id, stale = [] } = tree;
  const lines = stale.map(({ step, files }) => {
    const listed = firstNames(files, FILES_SHOWN);
    return `stale: "${step}" checked other files${listed === '' ? '' : `; changed since: ${listed}`}; nothing is merged until it passes again`;
  });
  return [`about the workspace, tree ${id.slice(0, DIGEST_SHOWN)}`, ...lines];
}

/** Untrusted text on one line, leaving `free` columns. */
function shortened(shell: Shell, text: string, free: number): string {
  return shell.display.isTerminal ? shorten(shell.display, oneLine(text), Math.max(8, shell.display.columns - free)) : oneLine(text);
}

function heading(shell: Shell, text: string): string {
  const rule = shell.symbol('rule');
  const room = Math.max(0, Math.min(shell.display.columns, 80) - widthOf(text) - 4);
  return shell.style('yellow', `${rule}${rule} ${text} ${rule.repeat(room)}`);
}

function shownLines(shell: Shell, shown: Json, { run, linesMax }: { readonly run: string; readonly linesMax: number }): string[] {
  const values: JsonObject = isJsonObject(shown) ? shown : { shown };
  return Object.entries(values).flatMap(([name, value]) => {
    const lines = quotedLines(shell, jsonText(value, 2));
    const more = lines.length - linesMax;
    const cut = more <= 0 ? [] : [shell.style('dim', `${shell.symbol('ellipsis')} ${more} more lines; "pawl inbox ${run}" shows them all`)];
    return ['', shell.style('bold', shortened(shell, name, 0)), ...lines.slice(0, linesMax), ...cut];
  });
}

/** Untrusted text with a bar in front of each line, also of those that the terminal would wrap. */
function quotedLines(shell: Shell, text: string): string[] {
  const bar = shell.style('yellow', shell.symbol('bar'));
  const width = shell.display.isTerminal ? Math.max(20, shell.display.columns - 3) : Number.POSITIVE_INFINITY;
  const lines = plain(text)
    .replaceAll('\t', '    ')
    .split(/[\n\u2028\u2029]/)
    .flatMap((line) => (widthOf(line) <= width ? [line] : slices(line, width)));
  return lines.map((line) => `${bar} ${line}`.trimEnd());
}

function optionLines(shell: Shell, options: readonly ApprovalOptionModel[]): string[] {
  const labels = options.map(({ label }) => shortened(shell, label, 40));
  const width = Math.max(...labels.map(widthOf));
  return options.map((option, index) => {
    const label = labels[index] ?? '';
    const effect = [effectOf(shell, option), option.requiresInput ? 'asks for a text' : ''].filter((text) => text !== '').join(', ');
    const padded = label + ' '.repeat(width - widthOf(label));
    return `  ${shell.style('bold', String(index + 1))}  ${padded}  ${shell.style('dim', shortened(shell, effect, width + 8))}`.trimEnd();
  });
}

function effectOf(shell: Shell, { to, outcome }: ApprovalOptionModel): string {
  if (to === undefined) return outcome === 'ok' ? '' : `outcome "${oneLine(outcome)}"`;
  if ('step' in to) return `${shell.symbol('arrow')} ${oneLine(to.step)}`;
  return `the run ${RUN_ENDS[to.end]}`;
}

/** The chosen option, with the text if it requires one. */
export interface Answer {
  readonly option: ApprovalOptionModel;
  readonly input?: string;
}

/**
 * Shows the oldest approval of a run, or of a child run it waits for, and asks the person at the terminal. Returns `later`
 * if it stays open, and `decided` also if someone else decided first, because the run continues either way.
 */
export async function decideOnTerminal(
  shell: Shell,
  engine: Engine,
  { run, setup }: { readonly run: string; readonly setup: ApprovalSetup },
): Promise<'decided' | 'later'> {
  for (;;) {
    // This also checks the subjects of the approvals again.
    await engine.run(run).approvals();
    const open = await pendingApprovals(engine.store, run);
    const me = shell.actor;
    // A person who has voted is not asked again while others have to vote.
    const asked = open.find(({ approval }) => approval.votes?.some(({ actor }) => actor.toLowerCase() === me.toLowerCase()) !== true);
    if (asked === undefined) return open.length === 0 ? 'decided' : 'later';
    shell.print();
    const problem = asked.approval.signed ? await failureOf(async () => (await loadIdentity()).identityFor(shell)) : undefined;
    if (problem !== undefined) {
      shell.print(shell.style('yellow', plain(`${asked.approval.path} needs a signature: ${problem.message}`)));
      return 'later';
    }
    const answer = await answerOnTerminal({ shell, setup, store: engine.store, asked });
    if (answer === 'later') {
      shell.print(`Nothing was decided; "pawl decide ${asked.run}" asks again.`);
      return 'later';
    }
    if (answer === 'superseded') continue;
    try {
      await decideAs(shell, engine, { asked, answer, me });
      return 'decided';
    } catch (error) {
      if (!isEngineError(error) || !TOO_LATE.has(error.code)) throw error;
      shell.print(shell.style('yellow', plain(error.message)));
    }
  }
}

async function decideAs(
  shell: Shell,
  engine: Engine,
  { asked, answer, me }: { readonly asked: PendingApproval; readonly answer: Answer; readonly me: string },
): Promise<void> {
  if (!asked.approval.signed && shell.right?.by !== 'signature') {
    await engine.run(asked.run).decide(decisionOf(asked, answer, me));
    return;
  }
  const [{ identityFor }, { signDecision }] = await Promise.all([loadIdentity(), import('../identity/signing.ts')]);
  const actor = identityFor(shell).name;
  const signature = await signDecision(shell, undefined, { asked, answer, actor });
  await engine.run(asked.run).decide({ ...decisionOf(asked, answer, actor), signature });
}

/** A decision that is bound to the shown content. */
export function decisionOf({ approval }: PendingApproval, { option, input }: Answer, actor: string): DecisionRequest {
  return { option: option.label, approval: approval.path, digest: approval.digest, actor, ...omitUndefined({ input }) };
}

/** Shows an approval and asks for the answer; returns `superseded` if another process decided in the meantime. */
export async function answerOnTerminal(source: DiffSource): Promise<Answer | 'later' | 'superseded'> {
  const { shell, store, asked } = source;
  const seen = await showApproval(source);
  const superseded = new AbortController();
  const check = async (): Promise<void> => {
    if (!(await isStillPending(store, asked))) superseded.abort();
  };
  const unfollow = store.follow(() => void check().catch(() => undefined));
  try {
    using prompt = openPrompt(shell, superseded.signal);
    const answer = await askOption(source, prompt, { seen, hasDiff: await (await loadDiff()).hasDiff(source) });
    if (!superseded.signal.aborted) return answer ?? 'later';
    shell.print('This approval is no longer pending: it was decided or changed in the meantime.');
    return 'superseded';
  } finally {
    unfollow();
  }
}

/** Loaded lazily: listing approvals needs neither git nor keys. */
const loadDiff = () => import('./diff.ts');
const loadIdentity = () => import('../identity/identity.ts');

/** Prints an approval and records that this user saw it. Returns what they saw before, if it has changed since. */
export async function showApproval(source: DiffSource): Promise<ApprovalView | undefined> {
  const { shell, setup, asked } = source;
  const changes = await (await loadDiff()).newSinceView(source);
  for (const line of [...approvalLines(shell, { ...asked, isNew: changes?.line }), '']) shell.print(line);
  recordView(shell, setup, { asked, content: contentOf(asked) });
  return changes?.view;
}

async function isStillPending(store: Store, { run, approval }: PendingApproval): Promise<boolean> {
  const open = await pendingApprovals(store, run);
  return open.some((other) => other.run === run && other.approval.path === approval.path && other.approval.digest === approval.digest);
}

interface AvailableDiffs {
  readonly hasDiff: boolean;
  /** What the person saw before, if it has changed since. */
  readonly seen: ApprovalView | undefined;
}

async function askOption(source: DiffSource, prompt: Prompt, { hasDiff, seen }: AvailableDiffs): Promise<Answer | undefined> {
  const { shell, asked } = source;
  const { options } = asked.approval.question;
  const hasNew = seen?.tree !== undefined;
  const question = hasDiff
    ? `Your answer (number or name, d: diff,${hasNew ? ' c: what is new,' : ''} Enter: decide later)`
    : 'Your answer, by number or name (Enter: decide later)';
  for (;;) {
    const typed = (await prompt.ask(question))?.trim();
    if (typed === undefined || typed === '') return undefined;
    const option = options[Number(typed) - 1] ?? findOption(options, typed);
    if (option !== undefined) return askInput(prompt, option);
    if (hasDiff && /^d(iff)?$/i.test(typed)) await printDiff(source);
    else if (hasDiff && hasNew && /^c$/i.test(typed)) await printDiff(source, seen);
    else shell.print(`There is no option "${oneLine(typed)}".`);
  }
}

async function printDiff(source: DiffSource, since?: ApprovalView): Promise<void> {
  const lines = diffLines(source.shell, await (await loadDiff()).readDiff(source, since), `pawl inbox ${source.asked.run} --diff`);
  for (const line of [...lines, '']) source.shell.print(line);
}

/** Asks for the text that the option requires, if any; undefined if the person decides later. */
export async function askInput(prompt: Prompt, option: ApprovalOptionModel): Promise<Answer | undefined> {
  if (!option.requiresInput) return { option };
  const input = (await prompt.ask(`Your text for "${oneLine(option.label)}" (Enter: decide later)`))?.trim();
  return input === undefined || input === '' ? undefined : { option, input };
}

function findOption(options: readonly ApprovalOptionModel[], typed: string): ApprovalOptionModel | undefined {
  const similar = options.filter(({ label }) => label.toLowerCase() === typed.toLowerCase());
  return options.find(({ label }) => label === typed) ?? (similar.length === 1 ? similar[0] : undefined);
}

/** The option with this label, ignoring case; otherwise an error that lists the options. */
export function optionNamed(approval: OpenApproval, label: string): ApprovalOptionModel {
  const option = findOption(approval.question.options, label);
  if (option !== undefined) return option;
  const labels = approval.question.options.map((known) => `"${known.label}"`).join(', ');
  throw new EngineError('OPTION_INVALID', `approval "${approval.step}" has no option "${label}"; its options are ${labels}`);
}
