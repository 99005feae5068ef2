// An attended run survives the death of its process at every write: handing work out changes nothing in the world, so
// nothing of it is ever unknown, and no report counts twice.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CRASH_OPERATIONS, type CrashPoint, formatPoint, type OperationCounts } from '../../src/proof/crash-store.ts';
import type { AttendedJob } from './attended-program.ts';
import { type BundledProgram, bundleProgram } from './bundled-program.ts';

let program: BundledProgram;
beforeAll(async () => {
  program = await bundleProgram('attended-program.ts');
});
afterAll(() => program.remove());

interface Life {
  readonly killed: boolean;
  readonly said: { readonly counts: OperationCounts; readonly end: readonly string[] } | undefined;
}

async function live(job: AttendedJob): Promise<Life> {
  const { file, args } = program.command;
  const child = spawn(file, [...args, JSON.stringify(job)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (signal === 'SIGKILL') return { killed: true, said: undefined };
  if (code !== 0) throw new Error(`${JSON.stringify(job.point)}: ${stderr}`);
  return { killed: false, said: JSON.parse(stdout) as Life['said'] };
}

async function endOf(point?: CrashPoint) {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-attended-'));
  try {
    const first = await live({ directory, ...(point === undefined ? {} : { point }) });
    const last = first.killed ? await live({ directory }) : first;
    return { killed: first.killed, ...last.said, deeds: readFileSync(join(directory, 'deeds'), 'utf8').trim().split('\n').sort() };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('killed at every write it ends as if nobody had disturbed it', async () => {
  const { counts, end, deeds } = await endOf();
  expect(end).toEqual(['completed', 'plan#1 1 failed', 'plan#1 2 ok', 'all#1/left 1 ok', 'all#1/right 1 ok', 'all#1 1 ok', 'end#1 1 ok']);
  let kills = 0;
  for (const operation of CRASH_OPERATIONS)
    for (let nth = 1; nth <= (counts?.[operation] ?? 0); nth += 1) {
      // An acknowledged commit, and everything else that was about to be written.
      const point = { operation, nth, when: operation === 'commit' ? ('after' as const) : ('before' as const) };
      const after = await endOf(point);
      kills += after.killed ? 1 : 0;
      expect([formatPoint(point), after.end, after.deeds]).toEqual([formatPoint(point), end, deeds]);
    }
  console.log(`attended: ${kills} kills`);
  expect(kills).toBeGreaterThan(20);
}, 120_000);
