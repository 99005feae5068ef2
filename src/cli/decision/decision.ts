// Owns a decision at the terminal: how a question is shown, and how the person in front of it is asked. What others
// wrote stands behind a bar on every line, wrapped by us, so that it can never pass for a prompt of ours; and what is
// decided is bound to the digest of what was on the screen.

import type { Engine } from '../../api/engine.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { GateOptionModel } from '../../definition/model.ts';
import type { OpenGate } from '../../engine/gates.ts';
import type { DecisionRequest } from '../../engine/requests.ts';
import type { Store } from '../../store/store.ts';
import { userActor } from '../actor.ts';
import type { Shell } from '../shell.ts';
import { characters, oneLine, plain, shorten, widthOf } from '../terminal.ts';
import { agoText, untilText } from '../time.ts';
import { type PendingApproval, pendingApprovals } from './approvals.ts';
import { openPrompt, type Prompt } from './prompt.ts';

/** How many characters of a digest are shown, and the least that name one. */
export const DIGEST_SHOWN = 12;

const LINES_SHOWN = 20;

/** A question as people see it; long values are cut. */
export function approvalLines(shell: Shell, run: string, gate: OpenGate): string[] {
  return questionLines(shell, { run, gate }, { linesMax: LINES_SHOWN });
}

/** The same with nothing left out. */
export function wholeApprovalLines(shell: Shell, run: string, gate: OpenGate): string[] {
  return questionLines(shell, { run, gate }, { linesMax: Number.POSITIVE_INFINITY });
}

function questionLines(
  shell: Shell,
  { run, gate }: { readonly run: string; readonly gate: OpenGate },
  { linesMax }: { readonly linesMax: number },
): string[] {
  const dot = ` ${shell.symbol('dot')} `;
  const about = [`asked ${agoText(gate.since)}`, ...(gate.due === undefined ? [] : [`due ${untilText(gate.due)}`])];
  return [
    heading(shell, `A person decides: ${fitted(shell, gate.step, 24)}`),
    shell.style('dim', `run ${run}${dot}${fitted(shell, gate.path, 24)}`),
    shell.style('dim', [...about, `digest ${gate.digest.slice(0, DIGEST_SHOWN)}`].join(dot)),
    ...[...whoLines(gate), ...subjectLines(gate)].map((line) => shell.style('dim', fitted(shell, line, 0))),
    '',
    ...barred(shell, gate.gate.prompt),
    ...shownLines(shell, gate.shown, { run, linesMax }),
    '',
    ...optionLines(shell, gate.gate.options),
  ];
}

/** Who decides, how many it takes, and who has said what. */
function whoLines({ gate, votes = [], split, signed }: OpenGate): string[] {
  const { from, count = 1 } = gate;
  const toldOf = (all: typeof votes): string => all.map(({ actor, option }) => `${actor}: ${option}`).join(', ');
  const asked = from === undefined ? [] : [`for ${from.join(' or ')}`];
  const several = count > 1 ? [`takes ${count} people`, `so far ${toldOf(votes) || 'nobody'}`] : [];
  const words = [...asked, ...several];
  const before = split === undefined ? [] : [`people chose differently the last time, which is void: ${toldOf(split.votes)}`];
  const signs = signed ? ['takes the signature of an enrolled key'] : [];
  return [...(words.length === 0 ? [] : [words.join(', ')]), ...before, ...signs];
}

/** What a question is about outside of the run: a change of it voids a decision. */
function subjectLines({ subjects }: OpenGate): string[] {
  const { pr, files, tree, problem } = isJsonObject(subjects ?? null) ? (subjects as JsonObject) : {};
  const head = isJsonObject(pr)
    ? [`about pull request ${String(pr.number)}${typeof pr.head === 'string' ? ` at ${pr.head.slice(0, DIGEST_SHOWN)}` : ''}`]
    : [];
  const names = isJsonObject(files) ? Object.keys(files) : [];
  const listed =
    names.length === 0
      ? []
      : [
          `about ${names.length} ${names.length === 1 ? 'file' : 'files'}: ${names.slice(0, FILES_SHOWN).join(', ')}${names.length > FILES_SHOWN ? ', …' : ''}`,
        ];
  return [...head, ...listed, ...treeLines(tree), ...(typeof problem === 'string' ? [`could not be looked at: ${problem}`] : [])];
}

/** The tree of the workspace, and what was changed after the checks: their verdicts do not count any more. */
function treeLines(tree: Json | undefined): string[] {
  if (!isJsonObject(tree ?? null)) return [];
  const { id, stale, problem } = tree as JsonObject;
  const lines = (Array.isArray(stale) ? stale.filter(isJsonObject) : []).map(({ step, files }) => {
    const names = Array.isArray(files) ? files : [];
    const listed = `${names.slice(0, FILES_SHOWN).join(', ')}${names.length > FILES_SHOWN ? ', …' : ''}`;
    return `stale: "${String(step)}" checked other files${listed === '' ? '' : `; changed since: ${listed}`}; nothing lands until it passed again`;
  });
  if (typeof problem === 'string') return [`the files of the workspace could not be looked at: ${problem}`];
  return [`about the files of the workspace, tree ${String(id).slice(0, DIGEST_SHOWN)}`, ...lines];
}

const FILES_SHOWN = 5;

/** Text from outside on one line that leaves so many columns free. */
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
    const lines = barred(shell, textOf(value));
    const more = lines.length - linesMax;
    const cut = more <= 0 ? [] : [shell.style('dim', `${shell.symbol('ellipsis')} ${more} more lines; "pawl inbox ${run}" shows them all`)];
    return ['', shell.style('bold', fitted(shell, name, 0)), ...lines.slice(0, linesMax), ...cut];
  });
}

/** A shown value as text: what is text stays as it is, anything else is JSON. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Text from outside behind a bar; long lines are broken here, since a terminal would continue them without the bar. */
function barred(shell: Shell, text: string): string[] {
  const bar = shell.style('yellow', shell.symbol('bar'));
  const width = shell.look.isTerminal ? Math.max(20, shell.look.columns - 3) : Number.POSITIVE_INFINITY;
  const lines = plain(text)
    .replaceAll('\t', '    ')
    .split(/[\n\u2028\u2029]/)
    .flatMap((line) => broken(line, width));
  return lines.map((line) => `${bar} ${line}`.trimEnd());
}

function broken(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let part = '';
  let used = 0;
  for (const character of characters(line)) {
    const next = widthOf(character);
    if (used + next > width) {
      lines.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += next;
  }
  return [...lines, part];
}

function optionLines(shell: Shell, options: readonly GateOptionModel[]): string[] {
  const labels = options.map(({ label }) => fitted(shell, label, 40));
  const width = Math.max(...labels.map(widthOf));
  return options.map((option, index) => {
    const label = labels[index] ?? '';
    const leads = [leadsTo(shell, option), option.requiresInput ? 'asks for a text' : ''].filter((text) => text !== '').join(', ');
    const padded = label + ' '.repeat(width - widthOf(label));
    return `  ${shell.style('bold', String(index + 1))}  ${padded}  ${shell.style('dim', fitted(shell, leads, width + 8))}`.trimEnd();
  });
}

function leadsTo(shell: Shell, { to, outcome }: GateOptionModel): string {
  if (to === undefined) return outcome === 'ok' ? '' : `the step settles "${oneLine(outcome)}"`;
  if ('step' in to) return `${shell.symbol('arrow')} ${oneLine(to.step)}`;
  return `the run ${ENDS[to.end]}`;
}

const ENDS = { complete: 'completes', fail: 'fails', escalate: 'escalates', reject: 'ends rejected' } as const;

/** What a person answered: an option, and the text where it asks for one. */
export interface Answer {
  readonly option: GateOptionModel;
  readonly input?: string;
}

/**
 * Shows the oldest question of a run, or of a run it waits for, and asks the person at the terminal. `later` leaves it
 * open; `decided` also when somebody else was quicker, since the run goes on either way.
 */
export async function decideOnTerminal(shell: Shell, engine: Engine, run: string): Promise<'decided' | 'later'> {
  for (;;) {
    // What a question is about is looked at before it is put.
    await engine.run(run).gates();
    const open = await pendingApprovals(engine.store, run);
    const me = userActor(shell);
    // Who has spoken at a question that takes several people is not asked again.
    const asked = open.find(({ gate }) => gate.votes?.some(({ actor }) => actor.toLowerCase() === me.toLowerCase()) !== true);
    if (asked === undefined) return open.length === 0 ? 'decided' : 'later';
    shell.print();
    const lacking = asked.gate.signed ? await lackOfKey(shell) : undefined;
    if (lacking !== undefined) {
      shell.print(shell.style('yellow', plain(`${asked.gate.path} takes a signature: ${lacking}`)));
      return 'later';
    }
    const answer = await answerOnTerminal(shell, engine.store, asked);
    if (answer === 'later') {
      shell.print(`Nothing is decided; "pawl decide ${asked.run}" asks again.`);
      return 'later';
    }
    if (answer === 'gone') continue;
    try {
      await decideAs(shell, engine, { asked, answer, me });
      return 'decided';
    } catch (error) {
      if (!isEngineError(error) || !OVERTAKEN.has(error.code)) throw error;
      shell.print(shell.style('yellow', plain(error.message)));
    }
  }
}

/** Why whoever sits here cannot sign; nothing when they can. */
async function lackOfKey(shell: Shell): Promise<string | undefined> {
  const { identityFor } = await import('../identity/identity.ts');
  try {
    identityFor(shell);
    return undefined;
  } catch (error) {
    if (isEngineError(error)) return error.message;
    throw error;
  }
}

/** Decides in the name of whoever sits here, with their signature where the question takes one. */
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

const OVERTAKEN: ReadonlySet<string> = new Set(['ALREADY_DECIDED', 'CONTENT_CHANGED', 'WAIT_NOT_FOUND', 'RUN_FINAL']);

/** A decision about exactly what was shown. */
export function decisionOf({ gate }: PendingApproval, { option, input }: Answer, actor: string): DecisionRequest {
  return { option: option.label, gate: gate.path, digest: gate.digest, actor, ...(input === undefined ? {} : { input }) };
}

/** Shows a question and asks for the answer; `gone` when another process has decided meanwhile. */
export async function answerOnTerminal(shell: Shell, store: Store, asked: PendingApproval): Promise<Answer | 'later' | 'gone'> {
  for (const line of [...approvalLines(shell, asked.run, asked.gate), '']) shell.print(line);
  const gone = new AbortController();
  const look = async (): Promise<void> => {
    if (!(await isStillAsked(store, asked))) gone.abort();
  };
  const unfollow = store.follow(() => void look().catch(() => undefined));
  const prompt = openPrompt(shell, gone.signal);
  try {
    const answer = await askOption(shell, prompt, asked.gate.gate.options);
    if (!gone.signal.aborted) return answer ?? 'later';
    shell.print('This is no longer asked: it was decided or has changed meanwhile.');
    return 'gone';
  } finally {
    prompt.close();
    unfollow();
  }
}

async function isStillAsked(store: Store, { run, gate }: PendingApproval): Promise<boolean> {
  const open = await pendingApprovals(store, run);
  return open.some((other) => other.run === run && other.gate.path === gate.path && other.gate.digest === gate.digest);
}

async function askOption(shell: Shell, prompt: Prompt, options: readonly GateOptionModel[]): Promise<Answer | undefined> {
  for (;;) {
    const given = (await prompt.ask('Your answer, by number or name (Enter: later)'))?.trim();
    if (given === undefined || given === '') return undefined;
    const option = options[Number(given) - 1] ?? findOption(options, given);
    if (option === undefined) shell.print(`There is no answer "${oneLine(given)}".`);
    else return askInput(prompt, option);
  }
}

/** Asks for the text that an option wants; without one there is no answer. */
export async function askInput(prompt: Prompt, option: GateOptionModel): Promise<Answer | undefined> {
  if (!option.requiresInput) return { option };
  const input = (await prompt.ask(`Your text for "${oneLine(option.label)}" (Enter: later)`))?.trim();
  return input === undefined || input === '' ? undefined : { option, input };
}

function findOption(options: readonly GateOptionModel[], given: string): GateOptionModel | undefined {
  const near = options.filter(({ label }) => label.toLowerCase() === given.toLowerCase());
  return options.find(({ label }) => label === given) ?? (near.length === 1 ? near[0] : undefined);
}

/** The option of a label, as it is written or but for capitals; else an error that lists those there are. */
export function optionNamed(gate: OpenGate, label: string): GateOptionModel {
  const found = findOption(gate.gate.options, label);
  if (found !== undefined) return found;
  const labels = gate.gate.options.map((option) => `"${option.label}"`).join(', ');
  throw new EngineError('OPTION_INVALID', `gate "${gate.step}" has no option "${label}"; it has ${labels}`);
}
