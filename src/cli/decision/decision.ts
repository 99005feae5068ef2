// Owns a decision at the terminal: how an approval is shown, and how the person is asked. Every line of untrusted text is
// wrapped here and gets a bar in front, so that it cannot pass for a prompt of Pawl. A decision is bound to the digest of
// what was on the screen.

import type { Engine } from '../../api/engine.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, jsonText } from '../../base/json.ts';
import { type PendingApproval, pendingApprovals } from '../../control/approvals.ts';
import { TOO_LATE } from '../../control/decision.ts';
import { agoText, untilText } from '../../control/time-text.ts';
import type { ApprovalOptionModel } from '../../definition/model.ts';
import { readSubjects, type SeenSubjects } from '../../definition/question/subjects.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import type { DecisionRequest } from '../../engine/request/requests.ts';
import type { Store } from '../../store/store.ts';
import { userActor } from '../actor.ts';
import type { Shell } from '../shell.ts';
import { oneLine, plain, shorten, slices, widthOf } from '../terminal.ts';
import type { DiffSource } from './diff.ts';
import { diffLines } from './diff-lines.ts';
import { type ApprovalLook, type ApprovalPlace, recordLook, seenOf } from './looks.ts';
import { openPrompt, type Prompt } from './prompt.ts';

/** How many characters of a digest are shown, and the minimum to identify one. */
export const DIGEST_SHOWN = 12;

const LINES_SHOWN = 20;
const FILES_SHOWN = 5;

/** An approval as people see it; longer values are truncated to `linesMax` lines. `isNew` says what changed since the last look. */
export function approvalLines(
  shell: Shell,
  { run, gate, isNew }: { readonly run: string; readonly gate: OpenApproval; readonly isNew?: string | undefined },
  linesMax: number = LINES_SHOWN,
): string[] {
  const dot = ` ${shell.symbol('dot')} `;
  const about = [`asked ${agoText(gate.since)}`, ...(gate.due === undefined ? [] : [`due ${untilText(gate.due)}`])];
  return [
    heading(shell, `Your decision: ${fitted(shell, gate.step, 24)}`),
    shell.style('dim', `run ${run}${dot}${fitted(shell, gate.path, 24)}`),
    shell.style('dim', [...about, `digest ${gate.digest.slice(0, DIGEST_SHOWN)}`].join(dot)),
    ...[...whoLines(gate), ...subjectLines(gate)].map((line) => shell.style('dim', fitted(shell, line, 0))),
    ...(isNew === undefined ? [] : [shell.style('yellow', fitted(shell, isNew, 0))]),
    '',
    ...barred(shell, gate.question.prompt),
    ...shownLines(shell, gate.shown, { run, linesMax }),
    '',
    ...optionLines(shell, gate.question.options),
  ];
}

/** Who may decide, how many people are needed, and who has voted. */
function whoLines({ question: gate, votes = [], split, signed }: OpenApproval): string[] {
  const { from, count = 1 } = gate;
  const votesText = (all: typeof votes): string => all.map(({ actor, option }) => `${actor}: ${option}`).join(', ');
  const asked = from === undefined ? [] : [`for ${from.join(' or ')}`];
  const several = count > 1 ? [`needs ${count} people`, `votes so far: ${votesText(votes) || 'none'}`] : [];
  const parts = [...asked, ...several];
  const before = split === undefined ? [] : [`the last vote was split, so it does not count: ${votesText(split.votes)}`];
  const signs = signed ? ['needs the signature of an enrolled key'] : [];
  return [...(parts.length === 0 ? [] : [parts.join(', ')]), ...before, ...signs];
}

/** What the approval is about outside the run. If it changes, a decision is void. */
function subjectLines({ subjects }: OpenApproval): string[] {
  const seen = readSubjects(subjects);
  if ('problem' in seen) return [`could not be read: ${seen.problem}`];
  const { pr, files = {}, tree } = seen;
  const head = pr === undefined ? [] : [`about pull request ${pr.number}${'head' in pr ? ` at ${pr.head.slice(0, DIGEST_SHOWN)}` : ''}`];
  const names = Object.keys(files);
  const listed = names.length === 0 ? [] : [`about ${names.length} ${names.length === 1 ? 'file' : 'files'}: ${someOf(names)}`];
  return [...head, ...listed, ...treeLines(tree)];
}

/** The workspace tree, and files that changed after the checks, whose results no longer count. */
function treeLines(tree: SeenSubjects['tree']): string[] {
  if (tree === undefined) return [];
  if ('problem' in tree) return [`the workspace could not be read: ${tree.problem}`];
  const { id, stale = [] } = tree;
  const lines = stale.map(({ step, files }) => {
    const listed = someOf(files);
    return `stale: "${step}" checked other files${listed === '' ? '' : `; changed since: ${listed}`}; nothing is merged until it passes again`;
  });
  return [`about the workspace, tree ${id.slice(0, DIGEST_SHOWN)}`, ...lines];
}

function someOf(names: readonly string[]): string {
  return `${names.slice(0, FILES_SHOWN).join(', ')}${names.length > FILES_SHOWN ? ', …' : ''}`;
}

/** Untrusted text on one line, leaving `free` columns. */
function fitted(shell: Shell, text: string, free: number): string {
  return shell.look.isTerminal ? shorten(shell.look, oneLine(text), Math.max(8, shell.look.columns - free)) : oneLine(text);
}

function heading(shell: Shell, text: string): string {
  const rule = shell.symbol('rule');
  const room = Math.max(0, Math.min(shell.look.columns, 80) - widthOf(text) - 4);
  return shell.style('yellow', `${rule}${rule} ${text} ${rule.repeat(room)}`);
}

function shownLines(shell: Shell, shown: Json, { run, linesMax }: { readonly run: string; readonly linesMax: number }): string[] {
  const values: JsonObject = isJsonObject(shown) ? shown : { shown };
  return Object.entries(values).flatMap(([name, value]) => {
    const lines = barred(shell, jsonText(value, 2));
    const more = lines.length - linesMax;
    const cut = more <= 0 ? [] : [shell.style('dim', `${shell.symbol('ellipsis')} ${more} more lines; "pawl inbox ${run}" shows them all`)];
    return ['', shell.style('bold', fitted(shell, name, 0)), ...lines.slice(0, linesMax), ...cut];
  });
}

/** Untrusted text with a bar in front of each line. Long lines are wrapped here: a terminal would wrap them without the bar. */
function barred(shell: Shell, text: string): string[] {
  const bar = shell.style('yellow', shell.symbol('bar'));
  const width = shell.look.isTerminal ? Math.max(20, shell.look.columns - 3) : Number.POSITIVE_INFINITY;
  const lines = plain(text)
    .replaceAll('\t', '    ')
    .split(/[\n\u2028\u2029]/)
    .flatMap((line) => (widthOf(line) <= width ? [line] : slices(line, width)));
  return lines.map((line) => `${bar} ${line}`.trimEnd());
}

function optionLines(shell: Shell, options: readonly ApprovalOptionModel[]): string[] {
  const labels = options.map(({ label }) => fitted(shell, label, 40));
  const width = Math.max(...labels.map(widthOf));
  return options.map((option, index) => {
    const label = labels[index] ?? '';
    const leads = [leadsTo(shell, option), option.requiresInput ? 'asks for a text' : ''].filter((text) => text !== '').join(', ');
    const padded = label + ' '.repeat(width - widthOf(label));
    return `  ${shell.style('bold', String(index + 1))}  ${padded}  ${shell.style('dim', fitted(shell, leads, width + 8))}`.trimEnd();
  });
}

function leadsTo(shell: Shell, { to, outcome }: ApprovalOptionModel): string {
  if (to === undefined) return outcome === 'ok' ? '' : `outcome "${oneLine(outcome)}"`;
  if ('step' in to) return `${shell.symbol('arrow')} ${oneLine(to.step)}`;
  return `the run ${ENDS[to.end]}`;
}

const ENDS = { complete: 'completes', fail: 'fails', escalate: 'escalates', reject: 'ends rejected' } as const;

/** The chosen option, with the text if it asks for one. */
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
  { run, place }: { readonly run: string; readonly place: ApprovalPlace },
): Promise<'decided' | 'later'> {
  for (;;) {
    // Reading the approvals also refreshes what they are about.
    await engine.run(run).approvals();
    const open = await pendingApprovals(engine.store, run);
    const me = userActor(shell);
    // A person who has voted is not asked again while others have to vote.
    const asked = open.find(({ gate }) => gate.votes?.some(({ actor }) => actor.toLowerCase() === me.toLowerCase()) !== true);
    if (asked === undefined) return open.length === 0 ? 'decided' : 'later';
    shell.print();
    const problem = asked.gate.signed ? await signingProblem(shell) : undefined;
    if (problem !== undefined) {
      shell.print(shell.style('yellow', plain(`${asked.gate.path} needs a signature: ${problem}`)));
      return 'later';
    }
    const answer = await answerOnTerminal({ shell, place, store: engine.store, asked });
    if (answer === 'later') {
      shell.print(`Nothing was decided; "pawl decide ${asked.run}" asks again.`);
      return 'later';
    }
    if (answer === 'gone') continue;
    try {
      await decideAs(shell, engine, { asked, answer, me });
      return 'decided';
    } catch (error) {
      if (!isEngineError(error) || !TOO_LATE.has(error.code)) throw error;
      shell.print(shell.style('yellow', plain(error.message)));
    }
  }
}

/** Why this user cannot sign; undefined if they can. */
async function signingProblem(shell: Shell): Promise<string | undefined> {
  const { identityFor } = await import('../identity/identity.ts');
  try {
    identityFor(shell);
    return undefined;
  } catch (error) {
    if (isEngineError(error)) return error.message;
    throw error;
  }
}

/** Records the decision of the person at the terminal, signed if the approval requires it. */
async function decideAs(
  shell: Shell,
  engine: Engine,
  { asked, answer, me }: { readonly asked: PendingApproval; readonly answer: Answer; readonly me: string },
): Promise<void> {
  if (!asked.gate.signed && shell.right?.by !== 'signature') {
    await engine.run(asked.run).decide(decisionOf(asked, answer, me));
    return;
  }
  const [{ identityFor }, { signDecision }] = await Promise.all([import('../identity/identity.ts'), import('../identity/signing.ts')]);
  const actor = identityFor(shell).name;
  const signature = await signDecision(shell, undefined, { asked, answer, actor });
  await engine.run(asked.run).decide({ ...decisionOf(asked, answer, actor), signature });
}

/** A decision on exactly what was shown. */
export function decisionOf({ gate }: PendingApproval, { option, input }: Answer, actor: string): DecisionRequest {
  return { option: option.label, approval: gate.path, digest: gate.digest, actor, ...present({ input }) };
}

/** Shows an approval and asks for the answer; returns `gone` if another process decided meanwhile. */
export async function answerOnTerminal(source: DiffSource): Promise<Answer | 'later' | 'gone'> {
  const { shell, store, asked } = source;
  const isNew = await showApproval(source);
  const gone = new AbortController();
  const look = async (): Promise<void> => {
    if (!(await isStillAsked(store, asked))) gone.abort();
  };
  const unfollow = store.follow(() => void look().catch(() => undefined));
  try {
    using prompt = openPrompt(shell, gone.signal);
    const answer = await askOption(source, prompt, { isNew, views: await (await diffing()).hasDiff(source) });
    if (!gone.signal.aborted) return answer ?? 'later';
    shell.print('This approval is no longer pending: it was decided or changed in the meantime.');
    return 'gone';
  } finally {
    unfollow();
  }
}

/** Loaded lazily: it loads git, which listing approvals does not need. */
const diffing = () => import('./diff.ts');

/** Prints an approval with what is new since this person last looked, and records this look. */
export async function showApproval(source: DiffSource): Promise<ApprovalLook | undefined> {
  const { shell, place, asked } = source;
  const isNew = await (await diffing()).newSinceLook(source);
  for (const line of [...approvalLines(shell, { ...asked, isNew: isNew?.line }), '']) shell.print(line);
  recordLook(shell, place, { asked, seen: seenOf(asked) });
  return isNew?.look;
}

async function isStillAsked(store: Store, { run, gate }: PendingApproval): Promise<boolean> {
  const open = await pendingApprovals(store, run);
  return open.some((other) => other.run === run && other.gate.path === gate.path && other.gate.digest === gate.digest);
}

interface QuestionViews {
  /** What the person saw before, if something is new since. */
  readonly isNew: ApprovalLook | undefined;
  readonly views: boolean;
}

async function askOption(source: DiffSource, prompt: Prompt, { isNew, views }: QuestionViews): Promise<Answer | undefined> {
  const { shell, asked } = source;
  const { options } = asked.gate.question;
  const hasNew = isNew?.tree !== undefined;
  const question = views
    ? `Your answer (number or name, d: diff,${hasNew ? ' c: what is new,' : ''} Enter: decide later)`
    : 'Your answer, by number or name (Enter: decide later)';
  for (;;) {
    const given = (await prompt.ask(question))?.trim();
    if (given === undefined || given === '') return undefined;
    const option = options[Number(given) - 1] ?? findOption(options, given);
    if (option !== undefined) return askInput(prompt, option);
    if (views && /^d(iff)?$/i.test(given)) await printDiff(source);
    else if (views && hasNew && /^c$/i.test(given)) await printDiff(source, isNew);
    else shell.print(`There is no option "${oneLine(given)}".`);
  }
}

async function printDiff(source: DiffSource, look?: ApprovalLook): Promise<void> {
  const lines = diffLines(source.shell, await (await diffing()).readDiff(source, look), `pawl inbox ${source.asked.run} --diff`);
  for (const line of [...lines, '']) source.shell.print(line);
}

/** Asks for the text if the option requires one; undefined if the person gives none. */
export async function askInput(prompt: Prompt, option: ApprovalOptionModel): Promise<Answer | undefined> {
  if (!option.requiresInput) return { option };
  const input = (await prompt.ask(`Your text for "${oneLine(option.label)}" (Enter: decide later)`))?.trim();
  return input === undefined || input === '' ? undefined : { option, input };
}

function findOption(options: readonly ApprovalOptionModel[], given: string): ApprovalOptionModel | undefined {
  const near = options.filter(({ label }) => label.toLowerCase() === given.toLowerCase());
  return options.find(({ label }) => label === given) ?? (near.length === 1 ? near[0] : undefined);
}

/** The option with this label, ignoring case; otherwise an error that lists the options. */
export function optionNamed(gate: OpenApproval, label: string): ApprovalOptionModel {
  const found = findOption(gate.question.options, label);
  if (found !== undefined) return found;
  const labels = gate.question.options.map((option) => `"${option.label}"`).join(', ');
  throw new EngineError('OPTION_INVALID', `approval "${gate.step}" has no option "${label}"; its options are ${labels}`);
}
