// `pawl gates`: everything that waits for a person, oldest first. It reads the store alone.

import { readQuestions, type WaitingQuestions } from '../../attended/questions.ts';
import type { OpenGate } from '../../engine/gates.ts';
import type { RunStatus } from '../../kernel/run-state.ts';
import { type OpenWait, waitsOf } from '../../kernel/status.ts';
import type { Store } from '../../store/store.ts';
import { questionLines } from '../attended/answer.ts';
import { shellWord } from '../caller.ts';
import type { CommandRun } from '../command.ts';
import { wholeGateLines } from '../decision/decision.ts';
import { type AskedGate, gatesBelow } from '../decision/gates.ts';
import { findPlace, findRun, openExisting, openForRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { commandFor } from '../story/command.ts';
import { oneLine, table } from '../terminal.ts';
import { agoText } from '../time.ts';

/** States in which a run can wait for a person; one whose other branch works is running. */
const OPEN: readonly RunStatus[] = ['waiting', 'running', 'escalated'];
/** What only a person can end beside a gate. */
const STUCK: ReadonlySet<string> = new Set(['escalation', 'unknown']);

interface Waiting extends AskedGate {
  readonly command: string;
}

interface Stuck {
  readonly run: string;
  readonly workflow: string;
  readonly wait: OpenWait;
  readonly command: string;
}

interface Found {
  readonly gates: readonly Waiting[];
  readonly questions: readonly WaitingQuestions[];
  readonly stuck: readonly Stuck[];
}

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.maybe('RUN');
  const store = prefix === undefined ? await openExisting(place) : await openForRun(place, prefix, 'look');
  try {
    const runs = store === undefined ? [] : prefix === undefined ? await openRuns(shell, store) : [await findRun(store, prefix, place)];
    const found = await Promise.all(runs.map((id) => waitingIn(store as Store, id, prefix !== undefined)));
    const gates = found.flatMap((one) => one.gates).sort((a, b) => a.gate.since - b.gate.since);
    const questions = found.flatMap((one) => one.questions).sort((a, b) => a.since - b.since);
    const stuck = found.flatMap((one) => one.stuck).sort((a, b) => a.wait.since - b.wait.since);
    const all = { gates, questions, stuck };
    shell.result({ gates: gates.map(gateRow), questions: questions.map(questionsRow), stuck: stuck.map(stuckRow) }, () =>
      prefix === undefined ? listLines(shell, all) : wholeLines(shell, all),
    );
    return 0;
  } finally {
    await store?.close();
  }
};

async function openRuns(shell: Shell, store: Store): Promise<readonly string[]> {
  const runs = await store.list({ status: OPEN });
  for (const { id, damaged } of runs)
    if (damaged !== undefined) shell.warn(`run ${id} cannot be read, so its gates are not shown: ${oneLine(damaged)}`);
  return runs.filter(({ damaged }) => damaged === undefined).map(({ id }) => id);
}

/** What waits for a person in one run; with `below`, also in the runs it waits for. */
async function waitingIn(store: Store, id: string, below: boolean): Promise<Found> {
  const { state } = await store.load(id);
  const waits = waitsOf(state);
  const asks = below || waits.some(({ kind }) => kind === 'human');
  const asked = asks ? (await gatesBelow(store, id)).filter(({ run }) => below || run === id) : [];
  const isAsked = below || waits.some(({ kind }) => kind === 'answer');
  const questions = isAsked ? (await readQuestions(store, id)).filter(({ run }) => below || run === id) : [];
  const { workflow } = state;
  return {
    questions,
    gates: asked.map((one) => ({ ...one, command: commandOf(one, asked.length > 1) })),
    stuck: waits.filter(({ kind }) => STUCK.has(kind)).map((wait) => ({ run: id, workflow, wait, command: `pawl resume ${id}` })),
  };
}

function commandOf({ run, gate }: { readonly run: string; readonly gate: OpenGate }, several: boolean): string {
  const wait: OpenWait = { kind: 'human', path: gate.path, since: gate.since };
  return commandFor(run, wait, { gate, several, halt: undefined }) ?? `pawl decide ${run}`;
}

function gateRow({ run, gate, workflow, command }: Waiting): object {
  const { path, step, digest, shown, since, due, gate: question } = gate;
  return {
    run,
    workflow,
    gate: path,
    step,
    prompt: question.prompt,
    options: question.options.map(({ label, outcome, to, requiresInput }) => ({ label, outcome, to: to ?? null, requiresInput })),
    shown,
    from: question.from ?? null,
    count: question.count ?? 1,
    votes: gate.votes ?? [],
    subjects: gate.subjects ?? null,
    digest,
    since: new Date(since).toISOString(),
    due: due === undefined ? null : new Date(due).toISOString(),
    command,
  };
}

function questionsRow(asked: WaitingQuestions): object {
  const { run, workflow, path, step, questions, digest, since } = asked;
  return { run, workflow, path, step, questions, digest, since: new Date(since).toISOString(), command: answerCommand(asked) };
}

function answerCommand({ run, path }: WaitingQuestions): string {
  return `pawl answer ${run} --step ${shellWord(path)}`;
}

function stuckRow({ run, workflow, wait, command }: Stuck): object {
  const { kind, path, step, message, since } = wait;
  const of = { path: path ?? null, step: step ?? null, message: message ?? null };
  return { run, workflow, kind, ...of, since: new Date(since).toISOString(), command };
}

function listLines(shell: Shell, { gates, questions, stuck }: Found): string[] {
  if (gates.length + questions.length + stuck.length === 0) return ['Nothing waits for a person here.'];
  const rows = [
    ...gates.map(({ run, gate, workflow }) => ({
      run,
      gate: oneLine(gate.path),
      workflow: oneLine(workflow),
      since: gate.since,
      options: gate.gate.options.map(({ label }) => oneLine(label)).join(', '),
    })),
    ...questions.map((asked) => ({
      run: asked.run,
      gate: oneLine(asked.path),
      workflow: oneLine(asked.workflow),
      since: asked.since,
      options: countText(asked.questions.length),
    })),
    ...stuck.map(({ run, workflow, wait }) => ({
      run,
      gate: oneLine(wait.path ?? wait.step ?? ''),
      workflow: oneLine(workflow),
      since: wait.since,
      options: wait.kind === 'unknown' ? '(its end is unknown)' : `(${wait.kind === 'escalation' ? 'stopped' : wait.kind})`,
    })),
  ];
  const lines = table(shell.look, [
    { title: 'RUN', cells: rows.map(({ run }) => run) },
    { title: 'GATE', cells: rows.map(({ gate }) => gate), shrinks: true },
    { title: 'WORKFLOW', cells: rows.map(({ workflow }) => workflow), shrinks: true },
    { title: 'WAITING', cells: rows.map(({ since }) => agoText(since)) },
    { title: 'OPTIONS', cells: rows.map(({ options }) => options), shrinks: true },
  ]);
  const next =
    gates[0] === undefined ? [] : [`"pawl gates ${gates[0].run}" shows what is asked,`, `"pawl decide ${gates[0].run}" answers it.`];
  const asks =
    questions[0] === undefined ? [] : [`"pawl answer ${questions[0].run}" shows the questions of an agent and takes the answers.`];
  const mend = stuck[0] === undefined ? [] : [`"pawl resume ${stuck[0].run}" says how a run that stopped can go on.`];
  return [...lines, '', ...[...next, ...asks, ...mend].map((line) => shell.style('dim', line))];
}

function countText(count: number): string {
  return count === 1 ? '(an agent asks a question)' : `(an agent asks ${count} questions)`;
}

function wholeLines(shell: Shell, { gates, questions, stuck }: Found): string[] {
  const asked = questions.flatMap((one) => [
    ...[...one.questions.keys()].flatMap((index) => [...questionLines(shell, one, index), '']),
    answerCommand(one),
    `digest ${one.digest}`,
    '',
  ]);
  const open = gates.flatMap(({ run, gate, command }) => [...wholeGateLines(shell, run, gate), '', command, `digest ${gate.digest}`, '']);
  const still = stuck.flatMap(({ run, wait, command }) => [
    `Run ${run} stopped${wait.step === undefined ? '' : ` at ${oneLine(wait.step)}`}: ${oneLine(wait.message ?? 'how its step ended is unknown')}`,
    command,
    '',
  ]);
  const lines = [...open, ...asked, ...still].slice(0, -1);
  return lines.length === 0 ? ['This run waits for no person.'] : lines;
}
