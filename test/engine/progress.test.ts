import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow as defineGraph } from '../../src/api/workflow.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { defineWorkflow, type ProgressEvent, step, workflow } from './library.ts';
import { createLatch, createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const told = (event: ProgressEvent): string =>
  'stepName' in event
    ? `${event.type} ${event.stepName}${'success' in event ? ` ${event.success}` : ''}`
    : `${event.type}${'success' in event ? ` ${event.success}` : ''}`;

async function collect(events: AsyncIterable<ProgressEvent>): Promise<ProgressEvent[]> {
  const all: ProgressEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const small = workflow('small', function* () {
  const a = yield* step('a').task(() => 1);
  try {
    yield* step('b').task(() => {
      throw new Error('caught');
    });
  } catch {
    yield* step('c').delay(5);
  }
  return a;
});

const STORY = [
  'WorkflowStarted',
  'StepStarted a',
  'StepCompleted a true',
  'StepStarted b',
  'StepCompleted b false',
  'StepStarted c',
  'StepCompleted c true',
  'WorkflowCompleted true',
];

describe('the progress of a run', () => {
  test('the progress of a run is reported from start to end, in order, and then ends', async () => {
    const engine = await rig.open();
    const run = await engine.start(small);
    const events = await collect(run.events());
    expect(events.map(told)).toEqual(STORY);
    expect(events[1]).toMatchObject({ stepType: 'task' });
    expect(events.every(Object.isFrozen)).toBe(true);
  });

  test('the progress of a run tells an answer by its label as a step that succeeded', async () => {
    const asks = defineGraph({
      name: 'asks',
      steps: {
        ask: { human: { prompt: 'p', options: [{ label: 'publish' }, { label: 'drop' }] }, next: { publish: null, drop: 'reject' } },
      },
    });
    const engine = await rig.open();
    const run = await engine.start(asks);
    await run.wait('idle');
    await run.decide({ option: 'publish', actor: 'ann' });
    expect((await collect(run.events())).map(told)).toContain('StepCompleted ask true');
  });

  test('the progress of a run is the same for a reader that starts after the end', async () => {
    const engine = await rig.open();
    const run = await engine.start(small);
    await run.wait();
    expect((await collect(engine.run(run.id).events())).map(told)).toEqual(STORY);
  });

  test('the progress of a run measures by the clock of the engine', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    const slow = defineWorkflow({ name: 'slow', steps: [{ id: 'wait', delay: '1h', next: null }] });
    const run = await engine.start(slow);
    const start = clock.now();
    await run.wait('idle');
    clock.advance(3_600_000);
    await run.wait();
    expect(await collect(run.events())).toEqual([
      { type: 'WorkflowStarted', workflowName: 'slow', timestamp: start },
      { type: 'StepStarted', stepName: 'wait', stepType: 'delay', timestamp: start },
      { type: 'StepCompleted', stepName: 'wait', stepType: 'delay', success: true, durationMs: 3_600_000, timestamp: clock.now() },
      { type: 'WorkflowCompleted', workflowName: 'slow', success: true, durationMs: 3_600_000, timestamp: clock.now() },
    ]);
  });

  test('the progress of a run is reported while the run goes on, not at its end', async () => {
    const engine = await rig.open();
    const go = createLatch();
    const held = workflow('held', function* () {
      yield* step('a').task(() => go.promise);
    });
    const run = await engine.start(held);
    const events = run.events();
    expect(told((await events.next()).value)).toBe('WorkflowStarted');
    expect(told((await events.next()).value)).toBe('StepStarted a');
    const next = events.next();
    go.open();
    expect(told((await next).value)).toBe('StepCompleted a true');
    expect(told((await events.next()).value)).toBe('WorkflowCompleted true');
    expect((await events.next()).done).toBe(true);
  });

  test('the progress of a run can be followed from another process while it happens', async () => {
    const engine = await rig.open();
    const waits = defineWorkflow({
      name: 'waits',
      steps: [
        { id: 'first', signal: 'one', next: 'second' },
        { id: 'second', signal: 'two', next: null },
      ],
    });
    const run = await engine.start(waits);
    await run.wait('idle');
    const other = rig.other(`
      const engine = await createEngine({ db, drives: 'own' });
      for await (const event of engine.run(${JSON.stringify(run.id)}).events()) say([event.type, event.stepName ?? ''].join(' ').trim());
      say('end');
      await engine.close();`);
    expect([await other.said(), await other.said()]).toEqual(['WorkflowStarted', 'StepStarted first']);
    await engine.run(run.id).signal('one');
    expect([await other.said(), await other.said()]).toEqual(['StepCompleted first', 'StepStarted second']);
    await engine.run(run.id).signal('two');
    expect([await other.said(), await other.said(), await other.said()]).toEqual(['StepCompleted second', 'WorkflowCompleted', 'end']);
  });

  test('the progress of a run ends when its engine is closed, also for a reader that waits for the next event', async () => {
    const engine = await rig.open();
    const run = await engine.start(defineWorkflow({ name: 'waits', steps: [{ id: 'hear', signal: 'go', next: null }] }));
    await run.wait('idle');
    const following = collect(run.events());
    const log = engine.run(run.id).log();
    await log.next();
    await engine.close();
    expect((await following).map(told)).toEqual(['WorkflowStarted', 'StepStarted hear']);
    await expect(engine.run(run.id).log().next()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });
});
