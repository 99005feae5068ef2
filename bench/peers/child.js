// Measures one peer and the floor alternately, and prints a line of JSON after each measure:
// `child.js <peer> <folder> <repeats> <measures>`. It is a separate process, so that a peer that fails or hangs does not
// affect the rest of the benchmark.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Floor } from '../floor.ts';
import { interleave } from '../measure.ts';

const FLOOR_WARM_UP = 6000;
const PEER_WARM_UP = 10;
const COLD = fileURLToPath(new URL('./cold.js', import.meta.url));
const [name, folder, repeatsText, measuresText] = process.argv.slice(2);
const repeats = Number(repeatsText);

// The input stays open while the benchmark runs. When it closes, the process group of this process is ended, including a
// server of the peer.
process.stdin.once('end', () => process.kill(0, 'SIGKILL')).resume();

/** P1: one run with the given number of steps. */
async function oneRun({ peer, floor }, steps) {
  const times = await interleave(repeats, { floor: () => floor.single(steps), pawl: () => timed(() => peer.sequential(steps)) });
  return { ratio: times.ratio, msPerStep: times.pawl / steps, floorMsPerStep: times.floor / steps };
}

/** P2: a number of runs of ten steps, some of them at once. */
async function manyRuns({ peer, floor }, runs, lanes) {
  const all = async () => {
    let left = runs;
    const lane = async () => {
      for (; left > 0; ) {
        left -= 1;
        await peer.sequential(10);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  };
  const { ratio, pawl } = await interleave(repeats, { floor: () => floor.lanes(runs * 10, lanes), pawl: () => timed(all) });
  return { ratio: 1 / ratio, stepsPerSecond: (runs * 10) / (pawl / 1000) };
}

/** P3: one run with the given number of branches. */
async function branches({ peer, floor }, count) {
  const { ratio, pawl } = await interleave(repeats, {
    floor: () => floor.grouped(count, count),
    pawl: () => timed(() => peer.branches(count)),
  });
  return { ratio, ms: pawl };
}

/** P6: a process that opens a new store, runs one step and exits. */
async function coldStart({ address }) {
  const words = [COLD, name, folder, JSON.stringify(address ?? null)];
  const { ratio, pawl, floor } = await interleave(repeats, { floor: () => processTime(['-e', '0']), pawl: async () => processTime(words) });
  return { ratio, ms: pawl, nodeMs: floor };
}

const MEASURES = {
  P1: async (bench) => {
    const few = await oneRun(bench, 100);
    const many = await oneRun(bench, 1000);
    return { ...many, ratio100: few.ratio };
  },
  P2: (bench) => manyRuns(bench, 200, 100),
  P3: (bench) => branches(bench, 1000),
  P6: coldStart,
};

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function processTime(words) {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  const ms = performance.now() - begin;
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
}

const { open, serve } = await import(`./${name}.js`);
const server = await serve?.(folder);
const peer = await open(folder, server?.address);
const floor = new Floor(join(folder, 'floor.db'), 'FULL');
floor.single(FLOOR_WARM_UP);
for (let n = 0; n < PEER_WARM_UP; n += 1) await peer.sequential(100);
for (const id of measuresText.split(',')) {
  const json = await MEASURES[id]({ peer, floor, address: server?.address });
  process.stdout.write(`${JSON.stringify({ id, json })}\n`);
}
await peer.close();
await server?.close();
floor.close();
process.exit();
