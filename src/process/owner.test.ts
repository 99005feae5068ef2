import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { createOwner, isDead, ownerText, watchOwners, writeHeartbeats } from './owner.ts';

let folder: string;
let db: string;
beforeEach(() => {
  folder = tempFolder();
  db = join(folder, 'runs.db');
});
afterEach(() => {
  vi.useRealTimers();
});

const ELSEWHERE = '0123456789abcdef0123456789abcdef#77|another-boot|12|34#1';
const heartbeats = (): string[] => readdirSync(`${db}.owners`).map((name) => join(`${db}.owners`, name));

test('an owner on this machine is alive as long as its process', () => {
  expect(isDead(createOwner())).toBe(false);
  expect(isDead(createOwner().replace(/\|\d+(?=#)/, '|1'))).toBe(true);
  expect(ownerText(createOwner())).toBe(`process ${process.pid}`);
});

test.each([ELSEWHERE, 'old-host-name|another-boot|12|34#1'])(
  'an owner elsewhere is dead a minute after its last heartbeat: %s',
  (owner) => {
    watchOwners(db);
    expect(isDead(owner)).toBe(false);
    const [file, other] = heartbeats();
    expect(other).toBeUndefined();
    expect(isDead(owner)).toBe(false);
    const past = (ms: number): Date => new Date(Date.now() - ms);
    utimesSync(file as string, past(50_000), past(50_000));
    expect(isDead(owner)).toBe(false);
    utimesSync(file as string, past(70_000), past(70_000));
    expect(isDead(owner)).toBe(true);
  },
);

test('heartbeats are written until they are stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const stop = writeHeartbeats(db, ELSEWHERE);
  vi.advanceTimersByTime(5000);
  await expect.poll(() => existsSync(`${db}.owners`) && heartbeats().length).toBe(1);
  await stop();
  expect(heartbeats()).toEqual([]);
});
