// P4 and P5: resuming a run after a kill, and the cost of runs that only wait.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createEngine } from '../src/api/engine.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import { median, type Row } from './measure.ts';
import { linear, parked } from './workflows.ts';

const CHILD = new URL('./resume-child.js', import.meta.url).pathname;

/** P4: the time from the first line of a new process until the next step starts, after a kill -9. */
export async function measureResume(repeats: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { steps, target } of [
    { steps: 1000, target: 60 },
    { steps: 10_000, target: 120 },
  ]) {
    const times: number[] = [];
    for (let n = 0; n < repeats; n += 1) times.push(await resumeOnce(steps));
    const ms = median(times);
    rows.push({
      id: steps === 1000 ? 'P4' : 'P4x',
      what: `kill -9 after ${steps.toLocaleString('en')} steps, until the next step starts`,
      measured: `${ms.toFixed(0)} ms`,
      target: `≤ ${target} ms`,
      met: ms <= target,
      json: { ownUs: ms * 1000, ms },
    });
  }
  return rows;
}

async function resumeOnce(steps: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-resume-'));
  try {
    await child([join(dir, 'pawl.db'), String(steps), 'run'], 'hanging');
    return Number((await child([join(dir, 'pawl.db'), String(steps), 'resume'], 'resumed')).split(' ')[1]);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Starts the child, waits for a line that begins with `word`, and kills the child. */
function child(args: readonly string[], word: string): Promise<string> {
  const program = spawn(process.execPath, ['--no-warnings', CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let text = '';
    let found: string | undefined;
    program.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      found = text
        .split('\n')
        .slice(0, -1)
        .find((candidate) => candidate.startsWith(word));
      if (found !== undefined) program.kill('SIGKILL');
    });
    program.once('error', reject);
    program.once('exit', (code) =>
      found === undefined ? reject(new Error(`the child ended with ${code} before it printed "${word}"`)) : resolve(found),
    );
  });
}

/** P5: runs that wait for an approval. */
export async function measureParked(count: number): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-parked-'));
  const file = join(dir, 'pawl.db');
  const counted = { calls: 0 };
  const store = countCalls(await openSqliteStore({ file, synchronous: 'NORMAL' }), counted);
  const workflow = parked();
  const engine = await createEngine({ store, workflows: [workflow] });
  try {
    await warmUp(engine);
    const rssBefore = settledRss();
    const diskBefore = diskOf(file);
    const ids = await park(engine, count);
    const rss = (settledRss() - rssBefore) / 1024 / 1024;
    const bytes = (diskOf(file) - diskBefore) / count;
    const decisions: number[] = [];
    for (let n = 0; n < 50; n += 1) decisions.push(await decideOne(engine, ids[Math.floor((n * count) / 50)] as string));
    // The wake-ups of the last decisions arrive up to a moment later.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    counted.calls = 0;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const ms = median(decisions);
    const per10k = (rss * 10_000) / count;
    const id = count >= 100_000 ? 'P5x' : 'P5';
    return [
      {
        id,
        what: `${count.toLocaleString('en')} runs parked on an approval: memory`,
        measured: `${per10k.toFixed(1)} MB per 10,000`,
        target: '≤ 15 MB',
        met: per10k <= 15,
        json: { mb: per10k, bytes, ms, idleCalls: counted.calls },
      },
      {
        id: `${id}b`,
        what: 'bytes on disk per parked run',
        measured: `${Math.round(bytes)}`,
        target: '≤ 1,000',
        met: bytes <= 1000,
        json: { bytes },
      },
      {
        id: `${id}t`,
        what: 'from the decision to the finished run',
        measured: `${ms.toFixed(2)} ms`,
        target: '≤ 3 ms',
        met: ms <= 3,
        json: { ownUs: ms * 1000, ms },
      },
      {
        id: `${id}i`,
        what: 'store calls in a second of idling',
        measured: `${counted.calls}`,
        target: '0',
        met: counted.calls === 0,
        json: { calls: counted.calls },
      },
    ];
  } finally {
    await engine.close();
    await store.close();
    rmSync(dir, { recursive: true });
  }
}

/** Runs 20,000 short runs first, so that memory which the engine and the allocator need for any work is not counted. */
async function warmUp(engine: Awaited<ReturnType<typeof createEngine>>): Promise<void> {
  const workflow = linear(2);
  for (let n = 0; n < 20_000; n += 200) {
    const some = await Promise.all(Array.from({ length: 200 }, () => engine.start(workflow)));
    await Promise.all(some.map((run) => engine.run(run.id).waitOnly()));
  }
  await park(engine, 1000);
}

async function park(engine: Awaited<ReturnType<typeof createEngine>>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 200) {
    const some = await Promise.all(Array.from({ length: Math.min(200, count - n) }, () => engine.start('parked')));
    await Promise.all(some.map((run) => engine.run(run.id).waitOnly('idle')));
    for (const run of some) ids.push(run.id);
  }
  return ids;
}

async function decideOne(engine: Awaited<ReturnType<typeof createEngine>>, run: string): Promise<number> {
  const begin = performance.now();
  await engine.run(run).decide({ option: 'yes', actor: 'bench' });
  await engine.run(run).waitOnly('settled');
  return performance.now() - begin;
}

function settledRss(): number {
  for (let n = 0; n < 4; n += 1) globalThis.gc?.();
  return process.memoryUsage().rss;
}

function diskOf(file: string): number {
  // Checkpoint first: pages in the write-ahead log are also in the file, and would be counted twice.
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  return [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function countCalls(store: Store, counted: { calls: number }): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        counted.calls += 1;
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}
