import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Hold, isGone, writeWorkflow } from './blocking.ts';
import { CliRig } from './rig.ts';

const ID = '0000000000000001';
let rig: CliRig;
let db: string;
beforeEach(() => {
  rig = new CliRig();
  db = join(rig.state, 'data', 'runs.db');
});
afterEach(() => rig.close());

const HARM: readonly (readonly [string, () => void])[] = [
  ['removed', () => rmSync(db)],
  // The run still writes there: the folder is emptied again until it is gone.
  ['removed with all that lies beside it', () => rmSync(join(rig.state, 'data'), { recursive: true, maxRetries: 20, retryDelay: 5 })],
  [
    'replaced by another file',
    () => {
      writeFileSync(`${db}.new`, '');
      renameSync(`${db}.new`, db);
    },
  ],
  [
    'replaced by a copy of itself',
    () => {
      execFileSync('cp', [db, `${db}.new`]);
      renameSync(`${db}.new`, db);
    },
  ],
  ['overwritten in place with another one', () => execFileSync('cp', [`${db}.other`, db])],
  ['cut off', () => truncateSync(db, 0)],
  ['cut short', () => truncateSync(db, 8192)],
  ['left with a log that was cut off', () => truncateSync(`${db}-wal`, 0)],
  ['left with a log that was cut short', () => truncateSync(`${db}-wal`, 4096)],
  ['left without its log', () => rmSync(`${db}-wal`)],
  ['left without the index of its log', () => rmSync(`${db}-shm`)],
];

describe('a database that is taken away while a run goes on', () => {
  test.each(HARM)('when the database of a run is %s, nothing more is executed, and the command exits with 6', async (_, harm) => {
    const hold = new Hold(rig);
    const mark = join(rig.project, 'second');
    const steps = `{ id: 'first', command: ${JSON.stringify(hold.line)}, next: 'second' }, { id: 'second', command: 'touch ${mark}', next: null }`;
    const file = await writeWorkflow(rig, 'two', { steps });
    // A run that has ended lies in the file itself, and no longer in the log.
    const before = await writeWorkflow(rig, 'one', { steps: `{ id: 'only', handler: () => 1, next: null }` });
    await rig.run(['run', before, '--db', `${db}.other`]);
    await rig.run(['run', before, '--db', db]);
    const running = rig.start(['run', file, '--id', ID, '--db', db]);
    await hold.pid();
    harm();
    await hold.release();
    expect(await running.ended).toMatchObject({ code: 6, stderr: expect.stringMatching(/\[STORE_(?:GONE|DAMAGED)\]/) });
    expect(existsSync(mark)).toBe(false);
  });

  test('when the database of a run is lost, programs that other steps have started are stopped', async () => {
    const [short, long] = [new Hold(rig, 'short'), new Hold(rig, 'long')];
    const steps = `{ id: 'both', parallel: { branches: [
      { id: 'short', command: ${JSON.stringify(short.line)} },
      { id: 'long', command: ${JSON.stringify(long.endless)} },
    ] }, next: null }`;
    const file = await writeWorkflow(rig, 'pair', { steps });
    const running = rig.start(['run', file, '--id', ID, '--db', db]);
    const [pid] = await Promise.all([long.pid(), short.pid()]);
    rmSync(db);
    await short.release();
    expect((await running.ended).code).toBe(6);
    expect(isGone(pid)).toBe(true);
  });
});
