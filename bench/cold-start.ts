// P6: what a user waits for before anything happens. Whole processes are timed from outside, each against a Node that
// does nothing, by turns: a program that opens the store, runs a workflow of one step and ends, and the commands that
// are called all day.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, type Row } from './measure.ts';

const LIBRARY_BAR = 1.7;
const COMMAND_BAR = 2.5;
const PAWL = fileURLToPath(new URL('../bin/pawl.js', import.meta.url));
const RUN = '0190a3c4-5d6e-7f80-91a2-b3c4d5e6f708';

/** As a user writes it, in JavaScript: taking types away would be most of the time. */
const PROGRAM = `import { createEngine, defineWorkflow } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
const [db, id] = process.argv.slice(2);
const workflow = defineWorkflow({ name: 'cold', steps: [{ id: 'only', handler: () => 'done', next: null }] });
const engine = await createEngine({ db, workflows: [workflow] });
await (await engine.start(workflow, {}, id === undefined ? {} : { id })).wait();
await engine.close();
`;

/** The rows of P6. */
export async function measureColdStart(repeats: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-cold-'));
  try {
    const program = join(folder, 'program.mjs');
    writeFileSync(program, PROGRAM);
    const db = join(folder, 'runs.db');
    timeOf([program, db, RUN]);
    let count = 0;
    const library = (): number => {
      count += 1;
      return timeOf([program, join(folder, `${count}.db`)]);
    };
    const rows = [await rowOf(repeats, { id: 'P6', what: 'a program that runs one step on a new store', bar: LIBRARY_BAR, run: library })];
    for (const [id, words] of Object.entries({ P6s: ['show', RUN], P6g: ['gates'], P6r: ['runs'] })) {
      const run = (): number => timeOf([PAWL, ...words, '--db', db]);
      rows.push(await rowOf(repeats, { id, what: `\`pawl ${words[0]}\``, bar: COMMAND_BAR, run }));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface ColdStart {
  readonly id: string;
  readonly what: string;
  readonly bar: number;
  readonly run: () => number;
}

async function rowOf(repeats: number, { id, what, bar, run }: ColdStart): Promise<Row> {
  const { floor, pawl, ratio } = await interleave(repeats, { floor: () => timeOf(['-e', '0']), pawl: async () => run() });
  return {
    id,
    what: `cold start: ${what}, against \`node -e 0\``,
    measured: `${ratio.toFixed(2)}× (${pawl.toFixed(0)} ms, ${floor.toFixed(0)} ms)`,
    bar: `≤ ${bar}×`,
    met: ratio <= bar,
    json: { ratio, ms: pawl, nodeMs: floor },
  };
}

/** Milliseconds from the start of a process of Node to its end. */
function timeOf(words: readonly string[]): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  const ms = performance.now() - begin;
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
}
