// Circuit breakers: people are warned near a limit, and beyond it the run escalates, whatever its steps say.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentDriver } from '../../src/agents/driver.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createVirtualClock, type VirtualClock } from '../../src/proof/virtual-clock.ts';
import { createRig, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

const HOUR = 3_600_000;
const LIMITED = { name: 'limited', steps: [{ id: 'wait', signal: 'go', next: null }] };

let rig: Rig;
let clock: VirtualClock;
beforeEach(() => {
  rig = createRig();
  clock = createVirtualClock();
});
afterEach(() => rig.close());

const warnings = async (engine: Awaited<ReturnType<Rig['open']>>, run: string) =>
  (await engine.store.events(run, 0))
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === 'run.changed' && event.change === 'warned' ? [event.message] : []));

const status = async (engine: Awaited<ReturnType<Rig['open']>>, run: string) => (await engine.run(run).get()).status;

test('a run that sleeps for too long is warned about and escalates; a person who resumes it gives it as long again', async () => {
  const parked = defineWorkflow({
    name: 'parked',
    circuitBreakers: { sleepMs: 10 * HOUR },
    steps: [{ id: 'wait', signal: 'go', next: null }],
  });
  const engine = await rig.open({ workflows: [parked], clock });
  const { id } = await engine.start(parked);
  await engine.run(id).wait('idle');
  clock.advance(8 * HOUR);
  await expect.poll(() => warnings(engine, id)).toEqual(['max_sleep: 8h of 10h']);
  expect(await status(engine, id)).toBe('waiting');
  await engine.close();
  // Nobody watches when the limit passes; the next engine finds it.
  clock.advance(10 * HOUR);
  const next = await rig.open({ workflows: [parked], clock });
  await expect.poll(() => status(next, id)).toBe('escalated');
  const { halt } = (await next.store.load(id)).state;
  expect(halt).toMatchObject({ code: 'LIMIT_REACHED', step: 'wait', message: expect.stringContaining('"max_sleep"') });
  await next.run(id).resume({ actor: 'ann', choice: { how: 'retry' } });
  await next.run(id).signal('go');
  expect((await next.run(id).wait()).status).toBe('completed');
});

test('a step is visited as often as the breaker says, although its transition allows more', async () => {
  const looping = defineWorkflow({
    name: 'looping',
    limits: { maxIterations: 100 },
    circuitBreakers: { iterations: 3, sleepMs: false },
    steps: [
      { id: 'work', handler: () => ({ done: true }), next: 'wait' },
      { id: 'wait', signal: 'again', next: { ok: { to: 'work', maxIterations: 100 }, error: null } },
    ],
  });
  const engine = await rig.open({ workflows: [looping], clock });
  const { id } = await engine.start(looping);
  for (let round = 0; round < 3; round += 1) {
    await engine.run(id).wait('idle');
    await engine.run(id).signal('again');
  }
  await expect.poll(() => status(engine, id)).toBe('escalated');
  expect((await engine.store.load(id)).state.halt?.message).toContain('the circuit breaker "max_iterations" stopped it: 4 of 3');
});

test('an agent that uses more tools than allowed is stopped while it works', async () => {
  const busy: AgentDriver = {
    name: 'busy',
    ask: async ({ onEvent, signal }) => {
      for (let call = 0; call < 6; call += 1) onEvent?.({ kind: 'tool', id: String(call), name: 'read', input: {} });
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return { kind: 'failed', failure: 'aborted', message: 'stopped' };
    },
  };
  const workflow = defineWorkflow({
    name: 'agents',
    circuitBreakers: { toolCalls: 5 },
    steps: [{ id: 'work', agent: 'dev', next: null }],
  });
  const engine = await rig.open({ workflows: [workflow], clock, drivers: { busy }, roles: { dev: { driver: 'busy' } } });
  const { id } = await engine.start(workflow);
  await expect.poll(() => status(engine, id)).toBe('escalated');
  expect((await engine.store.load(id)).state.halt?.message).toContain('the circuit breaker "max_tool_calls" stopped it');
});

/** An agent that tells how many turns each of its attempts took. */
const talkative = (...turns: readonly number[]): AgentDriver => {
  const left = [...turns];
  return {
    name: 'talkative',
    ask: async () => ({ kind: 'answered', success: true, output: {}, usage: { turns: left.shift() ?? 1 } }),
  };
};
const roles = { dev: { driver: 'talkative' } };
const agent = { agent: 'dev', prompt: 'Work.' };

describe('the turns of agents', () => {
  test('the turns of agents are warned about once from four fifths on, and beyond the limit the run escalates', async () => {
    const chatty = defineWorkflow({
      ...{ name: 'chatty', limits: { maxIterations: 100 }, circuitBreakers: { turns: 5, iterations: false } },
      steps: [
        { id: 'work', ...agent, next: 'wait' },
        { id: 'wait', signal: 'again', next: { ok: { to: 'work', maxIterations: 100 }, error: null } },
      ],
    });
    const engine = await rig.open({ workflows: [chatty], clock, drivers: { talkative: talkative(3, 1, 1, 1) }, roles });
    const { id } = await engine.start(chatty);
    const goOn = async () => {
      await engine.run(id).wait('idle');
      await engine.run(id).signal('again');
      await engine.run(id).wait('idle');
    };
    await engine.run(id).wait('idle');
    expect(await warnings(engine, id)).toEqual([]);
    await goOn();
    await expect.poll(() => warnings(engine, id)).toEqual(['max_turns: 4 of 5']);
    await goOn();
    expect([await status(engine, id), await warnings(engine, id)]).toEqual(['waiting', ['max_turns: 4 of 5']]);
    await engine.run(id).signal('again');
    await expect.poll(() => status(engine, id)).toBe('escalated');
    expect((await engine.store.load(id)).state.halt?.message).toContain('the circuit breaker "max_turns" stopped it: 6 of 5');
  });

  test('the turns of agents of a child run count for its parent as soon as an agent has ended, not when the child has', async () => {
    const child = defineWorkflow({
      name: 'child',
      steps: [
        { id: 'work', ...agent, next: 'wait' },
        { id: 'wait', signal: 'go', next: null },
      ],
    });
    const parent = defineWorkflow({
      ...{ name: 'parent', circuitBreakers: { turns: 5, sleepMs: false } },
      steps: [{ id: 'below', workflow: child, next: null }],
    });
    const engine = await rig.open({ workflows: [parent, child], clock, drivers: { talkative: talkative(6) }, roles });
    const { id } = await engine.start(parent);
    await expect.poll(() => status(engine, id)).toBe('escalated');
    expect((await engine.store.load(id)).state.halt?.message).toContain('"max_turns" stopped it: 6 of 5');
  });
});

test('a run does not sleep while a run that it waits for works', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handler = async () => {
    begun.resolve();
    await ended.promise;
    return {};
  };
  const child = defineWorkflow({
    name: 'child',
    steps: [
      { id: 'work', handler, next: 'wait' },
      { id: 'wait', signal: 'go', next: null },
    ],
  });
  const parent = defineWorkflow({
    ...{ name: 'parent', circuitBreakers: { sleepMs: 10 * HOUR, activeMs: false } },
    steps: [{ id: 'below', workflow: child, next: null }],
  });
  const engine = await rig.open({ workflows: [parent, child], clock });
  const { id } = await engine.start(parent);
  await begun.promise;
  clock.advance(20 * HOUR);
  ended.resolve();
  await engine.run(id).wait('idle');
  expect([await status(engine, id), await warnings(engine, id)]).toEqual(['waiting', []]);
  // Its child sleeps from now on, and so does the run itself.
  const later = () => {
    clock.advance(10 * HOUR);
    return status(engine, id);
  };
  await expect.poll(later).toBe('escalated');
});

test('tool calls are warned about while the agent works', async () => {
  const working = Promise.withResolvers<void>();
  const busy: AgentDriver = {
    name: 'busy',
    ask: async ({ onEvent, signal }) => {
      signal.addEventListener('abort', () => working.resolve(), { once: true });
      for (let call = 0; call < 4; call += 1) onEvent?.({ kind: 'tool', id: String(call), name: 'read', input: {} });
      await working.promise;
      return { kind: 'answered', success: true, output: {} };
    },
  };
  const workflow = defineWorkflow({ name: 'tools', circuitBreakers: { toolCalls: 5 }, steps: [{ id: 'work', ...agent, next: null }] });
  const engine = await rig.open({ workflows: [workflow], clock, drivers: { busy }, roles: { dev: { driver: 'busy' } } });
  const { id } = await engine.start(workflow);
  await expect.poll(() => warnings(engine, id)).toEqual(['max_tool_calls: 4 of 5']);
  expect(await status(engine, id)).toBe('running');
  working.resolve();
  expect((await engine.run(id).wait()).status).toBe('completed');
});

describe('the time in which steps work', () => {
  const long = () => {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const workflow = defineWorkflow({
      ...{ name: 'long', circuitBreakers: { activeMs: 10 * HOUR, sleepMs: false } },
      steps: [
        { id: 'wait', signal: 'go', next: 'work' },
        {
          id: 'work',
          handler: async ({ signal }: { readonly signal: AbortSignal }) => {
            signal.addEventListener('abort', () => ended.resolve(), { once: true });
            begun.resolve();
            await ended.promise;
            return {};
          },
          next: null,
        },
      ],
    });
    return { workflow, begun: begun.promise, end: () => ended.resolve() };
  };

  test('the time in which steps work is summed without waits, warned about, and stops the step that is at work', async () => {
    const { workflow, begun } = long();
    const engine = await rig.open({ workflows: [workflow], clock });
    const { id } = await engine.start(workflow);
    await engine.run(id).wait('idle');
    clock.advance(20 * HOUR);
    await engine.run(id).signal('go');
    await begun;
    expect([await status(engine, id), await warnings(engine, id)]).toEqual(['running', []]);
    clock.advance(8 * HOUR);
    await expect.poll(() => warnings(engine, id)).toEqual(['max_active: 8h of 10h']);
    const later = () => {
      clock.advance(2 * HOUR);
      return status(engine, id);
    };
    await expect.poll(later).toBe('escalated');
    const { halt } = (await engine.store.load(id)).state;
    expect(halt).toMatchObject({ step: 'work', message: expect.stringMatching(/"max_active" stopped it: \d+h of 10h/) });
  });

  test('working time below four fifths of the limit causes no warning', async () => {
    const { workflow, begun, end } = long();
    const engine = await rig.open({ workflows: [workflow], clock });
    const { id } = await engine.start(workflow);
    await engine.run(id).wait('idle');
    await engine.run(id).signal('go');
    await begun;
    clock.advance(7 * HOUR);
    end();
    expect((await engine.run(id).wait()).status).toBe('completed');
    expect(await warnings(engine, id)).toEqual([]);
  });
});

test('limits of the project hold for workflows that name none, and not for one that says otherwise', async () => {
  const plain = defineWorkflow({ name: 'plain', steps: [{ id: 'wait', signal: 'go', next: null }] });
  const patient = defineWorkflow({
    ...{ name: 'patient', circuitBreakers: { sleepMs: false } },
    steps: [{ id: 'wait', signal: 'go', next: null }],
  });
  const engine = await rig.open({ workflows: [plain, patient], clock, circuitBreakers: { sleepMs: HOUR } });
  const [first, second] = [await engine.start(plain), await engine.start(patient)];
  for (const { id } of [first, second]) await engine.run(id).wait('idle');
  clock.advance(2 * HOUR);
  await expect.poll(() => status(engine, first.id)).toBe('escalated');
  expect(await status(engine, second.id)).toBe('waiting');
});

describe('an engine that opens on many parked runs without limits', () => {
  const parked = defineWorkflow({ name: 'parked', steps: [{ id: 'wait', signal: 'go', next: null }] });
  const limited = defineWorkflow({ ...LIMITED, circuitBreakers: true });
  /** The runs that are loaded from opening an engine until it has closed. */
  const loadedWith = async (workflows: NonNullable<Parameters<Rig['open']>[0]>['workflows'], loads: number) => {
    const first = await rig.open({ workflows: [parked] });
    for (let n = 0; n < 20; n += 1) await (await first.start(parked)).wait('idle');
    await first.close();
    const store = await openSpiedStore(rig.db);
    const loaded: string[] = [];
    const load = (run: string) => {
      loaded.push(run);
      return store.load(run);
    };
    const engine = await rig.open({ store: { ...store, load }, ...(workflows === undefined ? {} : { workflows }) });
    await engine.recover();
    await expect.poll(() => loaded.length).toBe(loads);
    await engine.close();
    await store.close();
    return loaded.length;
  };

  test('an engine loads none of many parked runs if no workflow has limits', async () => {
    expect(await loadedWith([parked], 0)).toBe(0);
  });

  test('an engine loads no parked run without limits if another workflow has some', async () => {
    expect(await loadedWith([parked, limited], 0)).toBe(0);
  });
});

test('limits that make no sense are refused', async () => {
  expect(() => defineWorkflow({ name: 'x', circuitBreakers: { turns: 0 }, steps: [{ id: 'a', signal: 'go', next: null }] })).toThrow(
    /turns must be/,
  );
  await expect(rig.open({ circuitBreakers: { trns: 3 } as never })).rejects.toThrow(/did you mean "turns"/);
});
