// Owns what a fork would do, as a person judges it before: what is taken over, what is done again and may leave its
// marks outside a second time, and which approvals hold no longer.

import type { Engine } from '../api/engine.ts';
import { type Definition, membersOf, type StepKind, type StepModel } from '../definition/model.ts';
import { wrap } from './help.ts';
import type { Shell } from './shell.ts';
import { oneLine, table } from './terminal.ts';

/**
 * What doing a step again means outside of the run. Pawl cannot know what a program, a function or an agent does there:
 * what may do something is told as something that may repeat.
 */
const AGAIN: Readonly<Record<StepKind, string>> = {
  task: 'effects may repeat',
  command: 'effects may repeat',
  agent: 'effects may repeat, and costs',
  generate: 'costs again',
  gate: 'its checks run again',
  validate: 'its checks run again',
  human: 'asked again',
  delay: 'waits again',
  signal: 'waits again',
  workflow: 'another child run; effects may repeat',
  parallel: 'its branches, below',
  each: 'its items, below',
  webhook: 'sent again, under another key',
  action: 'done again, unless it is so already',
  own: 'effects may repeat',
};
const EFFECTS: ReadonlySet<string> = new Set([
  'task',
  'command',
  'agent',
  'generate',
  'workflow',
  'gate',
  'validate',
  'webhook',
  'action',
  'own',
]);

/** One step of the original, and what becomes of it in the fork. */
interface PlanRow {
  readonly path: string;
  readonly step: string;
  readonly kind: string;
  /** How it settled in the original; null while it is open there. */
  readonly outcome: string | null;
  readonly inFork: 'reused' | 'again';
  /** Whether doing it again may have effects outside of the run. */
  readonly mayRepeatEffects: boolean;
  readonly means: string;
}

/** What a fork would do. */
export interface ForkTable {
  readonly run: string;
  readonly from: string;
  readonly steps: readonly PlanRow[];
  /** Steps that asked a person and ask again. */
  readonly askedAgain: readonly string[];
  /** Questions that lie before it: they are asked first, and then the fork begins where it is to begin. */
  readonly asksFirst: readonly string[];
  /** Checks that lie before it and whose results are taken over by hand: the fork ends `overridden`. */
  readonly passed: readonly string[];
}

/** Reads what a fork would do; nothing is changed. */
export async function readForkTable(engine: Engine, run: string, from: string): Promise<ForkTable> {
  const plan = await engine.run(run).planFork(from);
  const [{ state, definition }, rows] = await Promise.all([engine.store.load(run), engine.store.attempts(run)]);
  const kinds = new Map(rows.map(({ path, kind }) => [path, kind as string]));
  const outcomes = new Map(rows.flatMap(({ path, outcome }) => (outcome === undefined ? [] : [[path, outcome] as const])));
  const asked = new Set(plan.asksFirst);
  const reused = plan.reused.map(({ path, step }) =>
    rowOf({ path, step, kind: kinds.get(path) ?? 'task' }, outcomes, asked.has(step) ? 'again' : 'reused'),
  );
  const settled = new Set([...plan.reused, ...plan.repeated].map(({ path }) => path));
  const open = Object.values(state.live).filter(({ path }) => !settled.has(path));
  const again = [...plan.repeated, ...open].map((step) => rowOf(step, outcomes, 'again'));
  const asking = (part: readonly PlanRow[]): string[] => [...new Set(part.filter((row) => asks(row, definition)).map(({ step }) => step))];
  const askedAgain = asking(again);
  return { run, from: plan.from, steps: [...reused, ...again], askedAgain, asksFirst: plan.asksFirst, passed: plan.passed };
}

function rowOf(
  { path, step, kind }: { readonly path: string; readonly step: string; readonly kind: string },
  outcomes: ReadonlyMap<string, string>,
  inFork: PlanRow['inFork'],
): PlanRow {
  const outcome = outcomes.get(path) ?? null;
  if (inFork === 'reused') return { path, step, kind, outcome, inFork, mayRepeatEffects: false, means: 'result taken over' };
  return { path, step, kind, outcome, inFork, mayRepeatEffects: EFFECTS.has(kind), means: AGAIN[kind as StepKind] };
}

function asks({ step, kind }: PlanRow, { steps }: Definition): boolean {
  const [own, member] = step.split('/');
  const model: StepModel | undefined = steps.find(({ id }) => id === own);
  return kind === 'human' || (member === undefined ? model : model && membersOf(model).find(({ id }) => id === member))?.gate !== undefined;
}

/** The table as people read it. */
export function forkLines(shell: Shell, { run, from, steps, askedAgain, asksFirst, passed }: ForkTable): string[] {
  const names = (list: readonly string[]): string => list.map((step) => `"${oneLine(step)}"`).join(', ');
  const effects = steps.filter(({ mayRepeatEffects }) => mayRepeatEffects).length;
  const notes = [
    'The fork may go another way than the original; what it does then is not in this table.',
    ...(effects === 0
      ? []
      : [`Effects outside of the run may repeat at ${effects} of these steps: Pawl cannot know what a program or an agent does there.`]),
    ...(askedAgain.length === 0 ? [] : [`Approvals are not taken over: asked again at ${names(askedAgain)}.`]),
    ...(asksFirst.length === 0 ? [] : [`The fork asks ${names(asksFirst)} first: approvals are not taken over.`]),
    ...(passed.length === 0
      ? []
      : [
          `The fork does not repeat ${names(passed)}: it takes the result over in your name, and ends "overridden". Fork from before to repeat it.`,
        ]),
    'Budgets begin anew, loops go on counting, and preconditions are checked again.',
  ];
  return [
    `A fork of run ${run} that begins at "${oneLine(from)}":`,
    '',
    ...table(shell.look, [
      { title: 'STEP', cells: steps.map(({ path }) => oneLine(path)), shrinks: true },
      { title: 'KIND', cells: steps.map(({ kind }) => kind) },
      { title: 'OUTCOME', cells: steps.map(({ outcome }) => oneLine(outcome ?? 'open')) },
      {
        title: 'IN THE FORK',
        cells: steps.map(({ inFork }) => (inFork === 'reused' ? 'reused' : 'runs again')),
        style: (cell) => shell.style(cell === 'reused' ? 'green' : 'yellow', cell),
      },
      { title: 'WHICH MEANS', cells: steps.map(({ means }) => means), shrinks: true },
    ]),
    '',
    ...notes.flatMap((note) => (shell.look.isTerminal ? wrap(note, shell.look.columns) : [note])),
  ];
}
