// Owns the proof that a crash makes no difference: a process is killed at each write of a workflow, in its first run and
// after it was resumed, and then at random times, again and again.

import { Random } from '../simulate/random.ts';
import type { CrashCommand } from './process.ts';
import { CRASH_OPERATIONS, type CrashOperation, type CrashPoint, noOperations, type OperationCounts } from './store.ts';
import { type Baseline, type ProcessKill, runBaseline, runCopies, runTrial, type Trial } from './trial.ts';

/** Which workflows a crash proof kills, and how often. */
export interface CrashOptions {
  readonly command: CrashCommand;
  readonly workflows: readonly string[];
  /** How many processes run at the same time. Default: two. */
  readonly parallel?: number;
  /**
   * How each write is tested: with a kill (default), or with a copy of the files at that moment, which is equivalent and much
   * faster. `false`: only kills at random times.
   */
  readonly everyWrite?: 'kill' | 'copy' | false;
  /** Kills at random times, spread over the workflows, in addition to those at every write. */
  readonly random?: { readonly kills: number; readonly seed: number };
  /** Called after every trial. */
  readonly tell?: (workflow: string, trial: Trial) => void;
}

/** The result of a crash proof for one workflow. */
export interface CrashRow {
  readonly workflow: string;
  /** The writes of the baseline run. */
  readonly operations: OperationCounts;
  /** The kills at writes, by operation. */
  readonly kills: OperationCounts;
  readonly randomKills: number;
  /** Attempts without a recorded end after a kill, which were marked `unknown`. */
  readonly unknown: number;
  readonly differences: number;
}

/** The result of a crash proof. */
export interface CrashReport {
  readonly rows: readonly CrashRow[];
  readonly kills: number;
  readonly differences: readonly string[];
}

type Tally = { -readonly [Field in keyof CrashRow]: CrashRow[Field] };

const PARALLEL = 2;
const KILLS_IN_A_ROW_MAX = 3;
const START_MS_MAX = 60;
const EARLY_SHARE = 0.1;

/** Kills the workflows at every write, and compares the results with an uninterrupted run. */
export async function proveCrashes(options: CrashOptions): Promise<CrashReport> {
  const { command, workflows, random } = options;
  const { parallel = PARALLEL } = options;
  const limiter = createLimiter(parallel);
  const differences: string[] = [];
  const baseline = await Promise.all(workflows.map((workflow) => limiter.run(() => runBaseline(command, workflow))));
  const tally = baseline.map(openTally);
  const noteTrial = (index: number, trial: Trial): void => {
    const row = tally[index] as Tally;
    for (const kill of trial.killed) if ('at' in kill) row.kills[kill.at.operation] += 1;
    row.randomKills += trial.killed.filter((kill) => 'outside' in kill).length;
    row.unknown += trial.interrupted;
    row.differences += trial.differences.length;
    differences.push(...trial.differences);
    options.tell?.(row.workflow, trial);
  };
  const trial = async (index: number, kills: readonly ProcessKill[]): Promise<Trial> => {
    const result = await limiter.run(() => runTrial(baseline[index] as Baseline, kills));
    noteTrial(index, result);
    return result;
  };
  const { everyWrite = 'kill' } = options;
  if (everyWrite === 'kill') await Promise.all(baseline.map((run, index) => sweep(run, (kills) => trial(index, kills))));
  const copies = async (run: Baseline, index: number): Promise<void> => {
    for (const copied of await limiter.run(() => runCopies(run, halfwayPoint(run)))) noteTrial(index, copied);
  };
  if (everyWrite === 'copy') await Promise.all(baseline.map(copies));
  if (random !== undefined) await killAtRandom({ ...random, baseline, parallel }, trial);
  return { rows: tally, kills: tally.reduce((sum, row) => sum + killsOf(row), 0), differences };
}

function openTally({ workflow, counts }: Baseline): Tally {
  return { workflow, operations: { ...noOperations(), ...counts }, kills: noOperations(), randomKills: 0, unknown: 0, differences: 0 };
}

function killsOf(row: CrashRow): number {
  return CRASH_OPERATIONS.reduce((sum, operation) => sum + row.kills[operation], row.randomKills);
}

type TryKills = (kills: readonly ProcessKill[]) => Promise<Trial>;

/** Kills a process at each of its writes, and one that resumes after a kill half-way at each of its writes. */
async function sweep(baseline: Baseline, tryKills: TryKills): Promise<void> {
  const half = halfwayPoint(baseline);
  const rows = CRASH_OPERATIONS.flatMap((operation) =>
    (['before', 'after'] as const).flatMap((when) => [
      sweepOperation({ operation, when, atLeast: baseline.counts[operation] ?? 0 }, [], tryKills),
      sweepOperation({ operation, when, atLeast: 0 }, [{ at: half }], tryKills),
    ]),
  );
  await Promise.all(rows);
}

/** The write half-way through the baseline run. */
function halfwayPoint({ counts }: Baseline): CrashPoint {
  return { operation: 'commit', nth: Math.ceil((counts.commit ?? 2) / 2), when: 'before' };
}

interface SweptOperation {
  readonly operation: CrashOperation;
  readonly when: CrashPoint['when'];
  /** How many calls the baseline run makes; parallel work may need a few more or less. */
  readonly atLeast: number;
}

/** Kills at each call of the operation in turn, until a process finishes without making that many calls. */
async function sweepOperation(
  { operation, when, atLeast }: SweptOperation,
  first: readonly ProcessKill[],
  tryKills: TryKills,
): Promise<void> {
  for (let nth = 1; ; nth += 1) {
    const { killed } = await tryKills([...first, { at: { operation, when, nth } }]);
    if (killed.length <= first.length && nth >= atLeast) return;
  }
}

interface RandomPlan {
  readonly kills: number;
  readonly seed: number;
  readonly parallel: number;
  readonly baseline: readonly Baseline[];
}

/** Kills from outside, up to three times in a row, until the required number of kills was reached. */
async function killAtRandom(plan: RandomPlan, trial: (index: number, kills: readonly ProcessKill[]) => Promise<Trial>): Promise<void> {
  const random = new Random(plan.seed);
  let kills = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (kills < plan.kills) {
      const index = next++ % plan.baseline.length;
      const { tookMs } = plan.baseline[index] as Baseline;
      const row = Array.from({ length: random.int(1, KILLS_IN_A_ROW_MAX) }, () => outsideKill(random, tookMs));
      const { killed } = await trial(index, row);
      kills += killed.length;
    }
  };
  await Promise.all(Array.from({ length: plan.parallel }, worker));
}

function outsideKill(random: Random, tookMs: number): ProcessKill {
  if (random.chance(EARLY_SHARE)) return { outside: { after: 'start', ms: random.next() * START_MS_MAX } };
  return { outside: { after: 'ready', ms: random.next() * tookMs } };
}

/** Runs pieces of work in order, at most `count` at the same time. */
function createLimiter(count: number): { run<T>(work: () => Promise<T>): Promise<T> } {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

const COLUMNS = ['workflow', ...CRASH_OPERATIONS, 'kills', 'random', 'unknown', 'differences'] as const;

/** The report as a table, with every difference below it and the totals as the last line. */
export function formatCrashReport({ rows, kills, differences }: CrashReport): string {
  const cells = rows.map((row) => [
    row.workflow,
    ...CRASH_OPERATIONS.map((operation) => String(row.operations[operation])),
    String(killsOf(row) - row.randomKills),
    String(row.randomKills),
    String(row.unknown),
    String(row.differences),
  ]);
  const table = [[...COLUMNS], ...cells];
  const widths = COLUMNS.map((_, column) => Math.max(...table.map((line) => (line[column] as string).length)));
  const lines = table.map((line) => line.map((cell, column) => pad(cell, widths[column] as number, column)).join('  '));
  return [...lines, ...differences, `crash: ${kills} kills, ${differences.length} differences`].join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
