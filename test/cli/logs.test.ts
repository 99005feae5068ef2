import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { dbOf, openLibrary, settle } from './look-runs.ts';
import { CliRig } from './rig.ts';

const LOOP = 'a100000000000001';

let rig: CliRig;
let engine: Engine;

beforeEach(async () => {
  rig = new CliRig();
  engine = await openLibrary(rig);
  await settle(engine, 'fix-bug', LOOP);
});
afterEach(async () => {
  await engine.close();
  await rig.close();
});

function logs(...more: string[]): string[] {
  return ['logs', LOOP, '--db', dbOf(rig), ...more];
}

async function ship(): Promise<void> {
  await engine.run(LOOP).decide({ option: 'yes', actor: 'ann' });
  await engine.run(LOOP).wait();
}

describe('the log of a run', () => {
  test('the log of a run has one line per event, in plain words', async () => {
    await ship();
    const { stdout, code } = await rig.run(logs());
    expect(code).toBe(0);
    await expect(stdout.replace(/\d\d:\d\d:\d\d/g, 'HH:MM:SS')).toMatchFileSnapshot('golden/logs-loop.txt');
  });

  test('the log of a run begins after --since', async () => {
    const { stdout } = await rig.run(logs('--since', '4'));
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(' ')[0]),
    ).toEqual(['5', '5', '5', '6']);
    expect(await rig.run(logs('--since', 'yesterday'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--since must be the number of an event'),
    });
  });

  test('the log of a run as JSON is one object whose events have a number, a time and a text', async () => {
    const { run, events } = await rig.json<{ run: string; events: { seq: number; at: string; type: string; text: string }[] }>(logs());
    expect(run).toBe(LOOP);
    expect(events[0]).toMatchObject({ seq: 1, type: 'run.started', text: 'run of fix-bug started' });
    expect(new Date(events[0]?.at ?? '').toISOString()).toBe(events[0]?.at);
  });
});

describe('following', () => {
  test('logs -f prints the events of a run that another process drives, and ends with it', async () => {
    const following = rig.start(logs('-f'));
    await following.until('waits for a person');
    await ship();
    const { code, stdout } = await following.ended;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/run completed$/);
  });

  test('with logs -f --json every line is a separate object', async () => {
    await ship();
    const { stdout } = await rig.run(logs('-f', '--json'));
    const facts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(facts.map(({ schemaVersion }) => schemaVersion))).toEqual(new Set([1]));
    expect(facts.at(-1)).toMatchObject({ type: 'run.changed', status: 'completed' });
  });

  test('logs -f of a step prints only its events and output', async () => {
    await ship();
    const { stdout } = await rig.run(logs('gate', '-f'));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^.*:\d\d {2}/, '')),
    ).toEqual(['gate#1  gate started', 'gate#1 | clean', 'gate#1  ok', 'gate#1  on ok goes to ask']);
  });

  test('logs -f exits with 130 when it is interrupted', async () => {
    const following = rig.start(logs('-f'));
    await following.until('waits for a person');
    following.process.kill('SIGINT');
    expect((await following.ended).code).toBe(130);
  });

  test('logs -f ends when stdout is closed', async () => {
    const following = rig.start(logs('-f'));
    await following.until('waits for a person');
    following.process.stdout?.destroy();
    await engine.run(LOOP).decide({ option: 'rework', actor: 'ann', input: 'again' });
    expect((await following.ended).code).toBe(0);
  });
});

describe('the log of a step', () => {
  test('the log of a step has its attempts in full, with the output of programs', async () => {
    await ship();
    const { stdout } = await rig.run(logs('ship'));
    expect(stdout).toMatch(/^ship#1 attempt 1 {2}ok/);
    expect(stdout).toContain('stdout: shipped');
    expect(stdout).toContain('stderr: careful');
    const { steps } = await rig.json<{ steps: { path: string; attempt: number }[] }>(logs('fix'));
    expect(steps.map(({ path, attempt }) => [path, attempt])).toEqual([
      ['fix#1', 1],
      ['fix#1', 2],
    ]);
  });

  test('an unknown step in "pawl logs" gets the nearest name as a suggestion', async () => {
    expect((await rig.run(logs('shp'))).stderr).toContain(`run ${LOOP} has no step "shp" (did you mean "ship"?)`);
  });

  test('the log of a step that was not reached is an error', async () => {
    expect(await rig.run(logs('ship'))).toMatchObject({ code: 2, stderr: expect.stringContaining('has not reached step "ship"') });
  });
});
