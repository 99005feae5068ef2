// Simulates seeds: `npm run simulate -- --seed 1234` replays one and shows what happened in it, `--runs 100000` tries
// that many from a seed on, `--wide` with fan-outs of up to 500. The exit code is 1 as soon as one of them fails.

import { parseArgs } from 'node:util';
import { SimulationFailed, simulate } from '../src/proof/simulate/simulate.ts';
import { wholeNumber } from './whole-number.js';

const SEEDS_PER_LINE = 1000;
const EVENTS_SHOWN = 40;

const { values } = parseArgs({
  options: { seed: { type: 'string' }, runs: { type: 'string' }, trace: { type: 'boolean' }, wide: { type: 'boolean' } },
});
const first = wholeNumber('seed', values.seed ?? '1');
const runs = wholeNumber('runs', values.runs ?? (values.seed === undefined ? (values.wide === true ? '100' : '2000') : '1'));
process.exitCode = await simulateAll();

async function simulateAll() {
  const began = performance.now();
  /** @type {Record<string, number>} */
  const totals = {};
  for (let seed = first; seed < first + runs; seed += 1) {
    const report = await simulateOne(seed);
    if (report === undefined) return 1;
    for (const [what, count] of Object.entries(report.counts)) totals[what] = (totals[what] ?? 0) + count;
    const done = seed - first + 1;
    if (done % SEEDS_PER_LINE === 0 || done === runs)
      process.stdout.write(`simulate: ${done} seeds, 0 failed, ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    if (runs === 1) process.stdout.write(`${(values.trace === true ? report.trace : []).map((line) => `${line}\n`).join('')}`);
  }
  process.stdout.write(
    `${Object.entries(totals)
      .map(([what, count]) => `${what} ${count}`)
      .join(', ')}\n`,
  );
  return 0;
}

/** @param {number} seed */
async function simulateOne(seed) {
  try {
    return await simulate(seed, { wide: values.wide === true });
  } catch (error) {
    if (!(error instanceof SimulationFailed)) throw error;
    const shown = values.trace === true ? error.trace : error.trace.slice(-EVENTS_SHOWN);
    process.stderr.write(`${shown.map((line) => `  ${line}\n`).join('')}${error.message}\n`);
    return undefined;
  }
}
