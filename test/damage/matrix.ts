// Owns the damage matrix: a store is killed in the middle of its work, one of its files is damaged in one way, and it is
// opened again. Whatever happens, nothing that was acknowledged is lost without a word.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isEngineError } from '../../src/base/error.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';

const OPEN = new URL('../../src/store/sqlite/open.ts', import.meta.url).href;
const DELTAS = new URL('../../src/proof/store-suite/deltas.ts', import.meta.url).href;
const SIDES = ['', '-wal', '-shm', '.anchor'] as const;
const RECORDS = 12;
const PAGE = 4096;
// In memory where there is such a folder: the cases wait for no disk.
const TMP = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** The part of a damage that a test case names. */
type Damage = (path: string, older: string) => void;

/** Commits records and mail, keeps a copy of its files half-way, and dies; the first half is in the file, the rest in the log. */
function writeAndDie(folder: string): void {
  const script = `
    import { copyFileSync } from 'node:fs';
    import { openSqliteStore } from '${OPEN}';
    import { createActivation, createAttempt, createFirst, createNext, createValue, START_AT } from '${DELTAS}';
    const file = ${JSON.stringify(join(folder, 'pawl.db'))};
    let store = await openSqliteStore({ file });
    let delta = createFirst({ run: 'r1', owner: 'me', more: { data: [{ key: 'a', text: '"b"' }] } });
    await store.commit(delta);
    for (let n = 2; n <= ${RECORDS}; n += 1) {
      const value = createValue({ n });
      delta = createNext(delta, [{ type: 'step.changed', at: START_AT + n, activation: createActivation('build', { feedback: 'note ' + n }) }],
        { values: [value], attempts: [createAttempt('build', { path: 'build#' + n, output: value.ref })] });
      await store.commit(delta);
      if (n === ${RECORDS / 2}) {
        await store.close();
        store = await openSqliteStore({ file });
      }
      if (n === ${RECORDS / 2 + 2}) for (const side of ${JSON.stringify(SIDES)}) copyFileSync(file + side, ${JSON.stringify(folder)} + '/older' + side);
    }
    await store.post({ run: 'r1', dedupe: 'm1', input: { type: 'signalled', at: START_AT, name: 'x' }, values: [] });
    process.kill(process.pid, 'SIGKILL');`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
}

function flip(at: number): Damage {
  return (path) => {
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
    writeFileSync(path, bytes);
  };
}

function zero(page: number): Damage {
  return (path) => {
    const bytes = readFileSync(path);
    bytes.fill(0, page * PAGE, (page + 1) * PAGE);
    writeFileSync(path, bytes);
  };
}

/** How the damaged store answers: it reports something, or everything that was acknowledged is there. */
async function answerOf(file: string): Promise<'reported' | 'whole' | 'SILENT LOSS'> {
  try {
    const store = await openSqliteStore({ file, isDead: () => true });
    try {
      if (store.loss !== undefined || !(await store.check()).ok) return 'reported';
      // Only reads: the copy of a store is not written to.
      const { state } = await store.load('r1');
      const counts = [state.seq, (await store.inbox('r1', 0)).length, (await store.attempts('r1')).length];
      const isWhole = counts.join() === [RECORDS, 1, RECORDS - 1].join();
      return isWhole ? 'whole' : 'SILENT LOSS';
    } finally {
      await store.close();
    }
  } catch (error) {
    if (isEngineError(error)) return 'reported';
    throw error;
  }
}

/** Runs the matrix; `flips`: in how many places of each file a bit is flipped. */
export function describeDamage({ flips, pages }: { readonly flips: number; readonly pages: number }): void {
  const folder = mkdtempSync(join(TMP, 'pawl-matrix-'));
  beforeAll(() => writeAndDie(folder), 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function answers(side: string, damages: readonly Damage[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const damage of damages) {
      const own = mkdtempSync(join(folder, 'case-'));
      const file = join(own, 'pawl.db');
      for (const other of SIDES)
        if (existsSync(join(folder, `pawl.db${other}`))) copyFileSync(join(folder, `pawl.db${other}`), `${file}${other}`);
      damage(`${file}${side}`, join(folder, `older${side}`));
      const answer = await answerOf(file);
      counts[answer] = (counts[answer] ?? 0) + 1;
      rmSync(own, { recursive: true, force: true });
    }
    return counts;
  }

  const spread = (side: string, count: number, unit: number): number[] => {
    const size = Math.floor(readFileSync(join(folder, `pawl.db${side}`)).length / unit);
    const wanted = Math.min(count, size);
    return Array.from({ length: wanted }, (_, n) => Math.floor((n * size) / wanted));
  };

  describe.each(SIDES)('pawl.db%s', (side) => {
    test.each<[string, () => readonly Damage[]]>([
      ['a flipped bit', () => spread(side, flips, 1).map(flip)],
      ['a page of zeros', () => spread(side, pages, PAGE).map(zero)],
      [
        'a shorter file',
        () => [0, 0.3, 0.7, 0.95].map((part) => (path) => truncateSync(path, Math.floor(readFileSync(path).length * part))),
      ],
      ['no file', () => [(path) => rmSync(path)]],
      ['an older copy', () => [(path, older) => copyFileSync(older, path)]],
    ])(
      '%s loses nothing silently',
      async (_, damages) => {
        const counts = await answers(side, damages());
        expect(counts).not.toHaveProperty('SILENT LOSS');
      },
      600_000,
    );
  });

  test('the file and its log are reported when they are cut, removed or older', async () => {
    for (const side of ['', '-wal']) {
      // The older file is the same as the newer: what came after is in the log.
      const damages: Damage[] = [(path) => truncateSync(path, PAGE), (path) => rmSync(path)];
      if (side === '-wal') damages.push((path, older) => copyFileSync(older, path));
      expect(await answers(side, damages)).toEqual({ reported: damages.length });
    }
  }, 60_000);
}
