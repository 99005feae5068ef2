// Quota as a state: an account without capacity is closed for every run and engine on the store, until its reset.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { createVirtualClock, type VirtualClock } from '../../src/proof/virtual-clock.ts';
import { defineWorkflow, type Engine, type EngineOptions } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let clock: VirtualClock;
let asked: string[];
/** From when on the account has capacity. */
let opensAt: number;
beforeEach(() => {
  rig = createRig();
  clock = createVirtualClock();
  asked = [];
  opensAt = clock.now() + HOUR;
});
afterEach(() => rig.close());

const HOUR = 3_600_000;
const SPREAD = 30_000;

const work = (name: string, role: string) => defineWorkflow({ name, steps: [{ id: 'work', agent: role, prompt: 'Work.', next: null }] });
const workflows = [work('one', 'first'), work('two', 'second'), work('other', 'third')];

/** An engine whose roles `first` and `second` share an account, and `third` has another. */
function open(more: Partial<EngineOptions> = {}, resumeAt: number | undefined = opensAt): Promise<Engine> {
  const driver = createScriptedDriver(({ role }) => {
    asked.push(role);
    if (role === 'third' || clock.now() >= opensAt) return [{ do: 'answer' }];
    return [{ do: 'fail', failure: 'quota', message: 'limit reached', ...(resumeAt === undefined ? {} : { resumeAt }) }];
  });
  const roles = {
    first: { driver: 'scripted', credential: 'team' },
    second: { driver: 'scripted', credential: 'team' },
    third: { driver: 'scripted' },
  };
  return rig.open({ clock, workflows, roles, drivers: { scripted: driver }, ...more });
}

async function parked(engine: Engine, name: string): Promise<string> {
  const run = await engine.start(name);
  await run.wait('idle');
  return run.id;
}

describe('an account without capacity', () => {
  test('an account without capacity is closed for all its runs and engines, which continue after the reset', async () => {
    const [engine, neighbour] = [await open(), await open()];
    const first = await parked(engine, 'one');
    const second = await parked(neighbour, 'two');
    expect(asked).toEqual(['first']);
    expect((await engine.run(first).get()).waits).toMatchObject([{ kind: 'capacity', due: opensAt }]);
    const [wait] = (await neighbour.run(second).get()).waits;
    expect(wait?.kind).toBe('capacity');
    expect(wait?.due).toBeGreaterThanOrEqual(opensAt);
    expect(wait?.due).toBeLessThanOrEqual(opensAt + SPREAD);
    clock.advance(HOUR + SPREAD);
    expect([(await engine.run(first).wait()).status, (await neighbour.run(second).wait()).status]).toEqual(['completed', 'completed']);
    expect(asked.toSorted()).toEqual(['first', 'first', 'second']);
  });

  test('an account without capacity says why and until when', async () => {
    const engine = await open();
    await parked(engine, 'one');
    const second = await parked(engine, 'two');
    const error = (await engine.run(second).get()).steps.findLast((step) => step.error !== undefined)?.error;
    expect(error).toBe(
      `account "team" has no capacity until ${new Date(opensAt).toISOString()}: limit reached; ` +
        `the run continues then; if there is capacity earlier, run "pawl resume ${second}"`,
    );
  });

  test('an account without capacity stays closed after a restart', async () => {
    const engine = await open();
    const first = await parked(engine, 'one');
    await engine.close();
    const later = await open();
    await parked(later, 'two');
    expect(asked).toEqual(['first']);
    clock.advance(HOUR + SPREAD);
    expect((await later.run(first).wait()).status).toBe('completed');
  });

  test('an account without capacity does not block other accounts', async () => {
    const engine = await open();
    await parked(engine, 'one');
    const other = await engine.start('other');
    expect((await other.wait()).status).toBe('completed');
  });

  test('an account without capacity is asked again when a person says so', async () => {
    const engine = await open();
    const first = await parked(engine, 'one');
    opensAt = clock.now();
    await engine.run(first).resume({ actor: 'ann' });
    expect((await engine.run(first).wait()).status).toBe('completed');
  });

  test('an account without capacity is not asked again just because a run is driven', async () => {
    const engine = await open();
    const first = await parked(engine, 'one');
    await engine.run(first).resume();
    await engine.run(first).wait('idle');
    expect(asked).toEqual(['first']);
  });

  test.each([
    ['is not known', undefined],
    ['cannot be meant', Number.MAX_SAFE_INTEGER],
  ])('an account without capacity whose reset %s is checked again after five minutes', async (_, resumeAt) => {
    const engine = await open({}, resumeAt ?? Number.NaN);
    const first = await parked(engine, 'one');
    expect((await engine.run(first).get()).waits).toMatchObject([{ kind: 'capacity', due: clock.now() + 300_000 }]);
  });
});
