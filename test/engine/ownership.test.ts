import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow, type Engine, step, workflow } from './library.ts';
import { codeOf, createLatch, createRig, errorOf, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

/** Three steps; the one in the middle waits to be let go. */
function createHeld() {
  const held = { ran: [] as string[], begun: createLatch(), go: createLatch() };
  const definition = workflow('held', function* () {
    yield* step('a').task(() => held.ran.push('a'));
    yield* step('b').task(async () => {
      held.ran.push('b');
      held.begun.open();
      await held.go.promise;
    });
    yield* step('c').task(() => held.ran.push('c'));
    return 'end';
  });
  return { held, definition };
}

describe('D09: engines that want the same run', () => {
  test('D09: of two engines that want the same run one drives it, and the other gets an error that names it', async () => {
    const { held, definition } = createHeld();
    const [first, second] = [await rig.open({ workflows: [definition] }), await rig.open({ workflows: [definition], drives: 'own' })];
    const run = await first.start(definition);
    await held.begun.promise;
    const { owner } = await second.run(run.id).get();
    const error = await errorOf(second.run(run.id).resume());
    expect([error.code, error.details]).toEqual(['RUN_LOCKED', { run: run.id, owner, since: expect.any(String), recorded: false }]);
    held.go.open();
    expect([(await second.run(run.id).wait()).output, held.ran]).toEqual(['end', ['a', 'b', 'c']]);
  });

  test('D09: of many engines that resume a parked run at the same time one claims it, and every step runs once', async () => {
    const ran: string[] = [];
    const go = createLatch();
    const parked = defineWorkflow({
      name: 'parked',
      steps: [
        { id: 'hear', signal: 'go', next: 'work' },
        {
          id: 'work',
          handler: async () => {
            ran.push('work');
            await go.promise;
          },
          next: null,
        },
      ],
    });
    const engines = await Promise.all(Array.from({ length: 4 }, () => rig.open({ workflows: [parked] })));
    const run = await (engines[0] as Engine).start(parked);
    await run.wait('idle');
    await Promise.all(engines.map((engine, n) => engine.run(run.id).signal('go', { id: 'the same', payload: n })));
    go.open();
    const views = await Promise.all(engines.map((engine) => engine.run(run.id).wait()));
    expect([views.map(({ status }) => status), ran]).toEqual([['completed', 'completed', 'completed', 'completed'], ['work']]);
  });

  test('E7: a request to a run that another engine drives is handled by its owner', async () => {
    const { held, definition } = createHeld();
    const [first, second] = [await rig.open({ workflows: [definition] }), await rig.open({ workflows: [definition], drives: 'own' })];
    const run = await first.start(definition);
    await held.begun.promise;
    expect((await second.run(run.id).pause({ actor: 'ann' })).waits).toMatchObject([{ kind: 'pause' }]);
    held.go.open();
    expect((await first.run(run.id).wait('idle')).steps.at(-1)).toMatchObject({ path: 'c#1', status: 'queued' });
    await second.run(run.id).resume({ actor: 'ann' });
    expect((await second.run(run.id).wait()).status).toBe('completed');
    expect(held.ran).toEqual(['a', 'b', 'c']);
  });

  test('D09: a driver whose run was taken over stops its work, writes nothing, and says so', async () => {
    const { held, definition } = createHeld();
    const first = await rig.open({ workflows: [definition] });
    const run = await first.start(definition);
    await held.begun.promise;
    const { state, owner } = await first.store.load(run.id);
    await first.store.claim(run.id, owner as string);
    const before = await first.store.events(run.id, 0);
    const waiting = codeOf(first.run(run.id).wait());
    held.go.open();
    expect(await waiting).toBe('RUN_LOCKED');
    expect(await first.store.events(run.id, 0)).toEqual(before);
    expect([held.ran, (await first.store.load(run.id)).state.seq]).toEqual([['a', 'b'], state.seq]);
  });
});

describe('closing an engine', () => {
  test('closing an engine lets running steps end; the next step stays in the queue, and a later engine continues with it', async () => {
    const { held, definition } = createHeld();
    const first = await rig.open({ workflows: [definition] });
    const run = await first.start(definition);
    await held.begun.promise;
    const closed = first.close();
    expect(await codeOf(first.start(definition))).toBe('ENGINE_CLOSED');
    held.go.open();
    await closed;
    expect(held.ran).toEqual(['a', 'b']);

    const later = await rig.open({ workflows: [definition], drives: 'own' });
    const view = await later.run(run.id).get();
    expect([view.owner, view.steps.map(({ path, status }) => `${path} ${status}`)]).toEqual([
      undefined,
      ['a#1 completed', 'b#1 completed', 'c#1 queued'],
    ]);
    expect(await later.recover()).toEqual([run.id]);
    expect([(await later.run(run.id).wait()).status, held.ran]).toEqual(['completed', ['a', 'b', 'c']]);
  });

  test('closing an engine releases its runs: another engine on the same file continues them immediately', async () => {
    const { held, definition } = createHeld();
    const [first, second] = [await rig.open({ workflows: [definition] }), await rig.open({ workflows: [definition] })];
    const run = await first.start(definition);
    await held.begun.promise;
    const closed = first.close();
    held.go.open();
    await closed;
    expect([(await second.run(run.id).wait()).status, held.ran]).toEqual(['completed', ['a', 'b', 'c']]);
  });

  test('closing an engine with abort cuts the work off: its end is unknown', async () => {
    const { held, definition } = createHeld();
    const first = await rig.open({ workflows: [definition] });
    const run = await first.start(definition);
    await held.begun.promise;
    held.go.open();
    const second = createHeld();
    const other = await first.start(second.definition, {}, { id: 'cut-off' });
    await second.held.begun.promise;
    await run.wait();
    await first.close({ abort: true });
    const later = await rig.open({ workflows: [second.definition], drives: 'own' });
    expect(await later.recover()).toEqual([other.id]);
    expect((await later.run(other.id).wait('idle')).waits).toMatchObject([{ kind: 'unknown', step: 'b' }]);
  });

  test('closing an engine can be repeated, and afterwards everything is refused with ENGINE_CLOSED', async () => {
    const engine = await rig.open();
    const run = await engine.start(defineWorkflow({ name: 'waits', steps: [{ id: 'hear', signal: 'go', next: null }] }));
    await run.wait('idle');
    const waiting = codeOf(run.wait());
    await Promise.all([engine.close(), engine.close()]);
    expect(await waiting).toBe('ENGINE_CLOSED');
    const asked = [
      engine.run(run.id).get(),
      engine.list(),
      engine.run(run.id).approvals(),
      engine.run(run.id).checkpoint(),
      engine.run(run.id).resumeContext(),
      engine.run(run.id).planFork('hear'),
      engine.run(run.id).fork({ from: 'hear', actor: 'ann' }),
      engine.run(run.id).wait(),
      engine.run(run.id).signal('go'),
      engine.run(run.id).decide({ option: 'x', actor: 'ann' }),
      engine.run(run.id).cancel({ actor: 'ann' }),
      engine.run(run.id).pause({ actor: 'ann' }),
      engine.run(run.id).resume(),
      engine.recover(),
      engine.run(run.id).events().next(),
      engine.run(run.id).log().next(),
    ];
    expect(new Set(await Promise.all(asked.map(codeOf)))).toEqual(new Set(['ENGINE_CLOSED']));
  });
});

test('an engine that is aborted while it starts a run does not release the run of an engine that was faster', async () => {
  const { held, definition } = createHeld();
  const quick = await rig.open({ workflows: [definition] });
  await quick.start(definition, {}, { id: '0123456789abcdef' });
  await held.begun.promise;
  const slow = await openSpiedStore(rig.db);
  const starting = createLatch();
  const go = createLatch();
  slow.around = async (_, commit) => {
    starting.open();
    await go.promise;
    return commit();
  };
  const late = await rig.open({ store: slow, workflows: [definition], drives: 'own' });
  const start = errorOf(late.start(definition, {}, { id: '0123456789abcdef' }));
  await starting.promise;
  const closing = late.close({ abort: true });
  go.open();
  await Promise.allSettled([start, closing]);
  expect((await quick.run('0123456789abcdef').get()).owner).toBeDefined();
  held.go.open();
  expect((await quick.run('0123456789abcdef').wait()).output).toBe('end');
  await slow.close();
});
