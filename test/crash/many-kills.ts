// Owns a proof that takes hours: kills at random times in rounds, whose figures are kept in a file, so that it can be
// stopped and goes on. Another program, or another seed, begins anew.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CrashReport, type CrashRow, formatCrashReport, proveCrashes } from '../../src/proof/crash/crash.ts';
import type { BundledProgram } from '../bundled-program.ts';
import { referenceWorkflows } from './reference-workflows.ts';
import { wideWorkflows } from './wide-workflows.ts';

/** How many kills, from which seed, and where the figures are kept. */
export interface ManyKills {
  readonly program: BundledProgram;
  readonly kills: number;
  readonly seed: number;
  readonly parallel: number;
  readonly state: string | undefined;
}

interface Figures extends CrashReport {
  readonly program: string;
  readonly seed: number;
  readonly rounds: number;
  readonly seconds: number;
}

const ROUND_KILLS = 90;
const DEFAULT_STATE = fileURLToPath(new URL('../../node_modules/.cache/pawl/crash.json', import.meta.url));

/** Kills until there were as many kills as were asked for, over all calls; gives the exit code. */
export async function killManyTimes({ program, kills, seed, parallel, state = DEFAULT_STATE }: ManyKills): Promise<number> {
  const { command } = program;
  const hash = createHash('sha256')
    .update(readFileSync(join(command.args[0] ?? '')))
    .digest('hex')
    .slice(0, 16);
  let figures = readFigures(state, { program: hash, seed });
  if (figures.rounds > 0) say(`crash: goes on after ${figures.kills} kills; ${state}`);
  const workflows = [...referenceWorkflows, ...wideWorkflows].map(({ name }) => name);
  while (figures.kills < kills) {
    const began = performance.now();
    const wanted = Math.min(ROUND_KILLS, kills - figures.kills);
    const random = { kills: wanted, seed: seed + figures.rounds };
    const round = await proveCrashes({ command, workflows, parallel, everyWrite: false, random });
    figures = added(figures, round, (performance.now() - began) / 1000);
    writeFigures(state, figures);
    say(`crash: ${figures.kills} of ${kills} kills, ${figures.differences.length} differences, ${Math.round(figures.seconds)} s`);
    for (const difference of round.differences) say(difference);
  }
  say(formatCrashReport(figures));
  return figures.differences.length === 0 ? 0 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readFigures(file: string, { program, seed }: Pick<Figures, 'program' | 'seed'>): Figures {
  const none: Figures = { program, seed, rounds: 0, seconds: 0, rows: [], kills: 0, differences: [] };
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Figures;
    return kept.program === program && kept.seed === seed ? kept : none;
  } catch {
    return none;
  }
}

function writeFigures(file: string, figures: Figures): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function added(before: Figures, round: CrashReport, seconds: number): Figures {
  return {
    ...before,
    rounds: before.rounds + 1,
    seconds: before.seconds + seconds,
    kills: before.kills + round.kills,
    differences: [...before.differences, ...round.differences],
    rows: round.rows.map((row) =>
      sumOf(
        before.rows.find(({ workflow }) => workflow === row.workflow),
        row,
      ),
    ),
  };
}

function sumOf(before: CrashRow | undefined, row: CrashRow): CrashRow {
  if (before === undefined) return row;
  return {
    ...row,
    randomKills: before.randomKills + row.randomKills,
    unknown: before.unknown + row.unknown,
    differences: before.differences + row.differences,
  };
}
