import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow, step, workflow } from './library.ts';
import { codeOf, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const asks = (prompt: string, target: string) =>
  defineWorkflow({
    name: 'asks',
    steps: [
      { id: 'ask', human: { prompt }, next: { ok: target, skip: 'two' } },
      { id: 'one', command: 'echo one >> ran', next: null },
      { id: 'two', command: 'echo two >> ran', next: 'one' },
    ],
  });

const work = (version: number) => {
  const handlers = [() => ({ version: 1 }), () => ({ version: 2 })];
  return defineWorkflow({
    name: 'works',
    steps: [
      { id: 'ask', human: { prompt: 'Go?' }, next: 'work' },
      { id: 'work', handler: handlers[version - 1] as () => unknown, next: null },
    ],
  });
};

describe('R08: a definition that was edited while a run was parked', () => {
  test('R08: a parked run continues with its frozen copy of a definition that was edited as data', async () => {
    const first = await rig.open({ workflows: [asks('Go?', 'one')] });
    const run = await first.start('asks');
    await run.wait('idle');
    await first.close();
    const later = await rig.open({ workflows: [asks('Really?', 'two')] });
    expect((await later.run(run.id).approvals())[0]?.question.prompt).toBe('Go?');
    await later.run(run.id).decide({ option: 'approve', actor: 'ann' });
    const view = await later.run(run.id).wait();
    expect([view.status, view.steps.map(({ path }) => path)]).toEqual(['completed', ['ask#1', 'one#1']]);
    const fresh = await later.start('asks');
    expect((await later.run((await fresh.wait('idle')).id).approvals())[0]?.question.prompt).toBe('Really?');
  });

  test('R08: a parked run whose code was edited runs nothing until the change is accepted', async () => {
    const first = await rig.open({ workflows: [work(1)] });
    const run = await first.start('works');
    await run.wait('idle');
    await first.close();
    const later = await rig.open({ workflows: [work(2)] });
    const error = await errorOf(later.run(run.id).resume({ actor: 'ann' }));
    expect([error.code, error.message]).toEqual([
      'DEFINITION_CHANGED',
      expect.stringMatching(/the functions of its steps have changed.*acceptChanges/),
    ]);
    expect(await codeOf(later.run(run.id).decide({ option: 'approve', actor: 'ann' }))).toBe('DEFINITION_CHANGED');
    expect((await later.run(run.id).get()).steps).toMatchObject([{ path: 'ask#1', status: 'waiting' }]);
    await later.run(run.id).resume({ actor: 'ann', acceptChanges: true });
    // The refused decision was not taken; after the change was accepted, once and for good, it can be made.
    await later.run(run.id).wait('idle');
    expect((await later.run(run.id).approvals()).map(({ path }) => path)).toEqual(['ask#1']);
    await later.run(run.id).decide({ option: 'approve', actor: 'ann' });
    expect((await later.run(run.id).wait()).output).toEqual({ version: 2 });
  });

  test('R08: a parked run of a workflow that this engine does not have is rejected with its name', async () => {
    const first = await rig.open({ workflows: [asks('Go?', 'one')] });
    const run = await first.start('asks');
    await run.wait('idle');
    await first.close();
    const later = await rig.open({ workflows: [work(1)] });
    const error = await errorOf(later.run(run.id).resume());
    expect([error.code, error.message]).toEqual(['WORKFLOW_UNKNOWN', expect.stringContaining('no workflow "asks"')]);
  });
});

describe('a flow whose code changed', () => {
  const ran: string[] = [];
  beforeEach(() => {
    ran.length = 0;
  });
  const note = (name: string): string => {
    ran.push(name);
    return name;
  };

  test('a flow whose code changed before the current step runs nothing: NONDETERMINISM names the recorded and the actual step', async () => {
    const before = workflow('flow', function* () {
      yield* step('a').task(note, 'a');
      yield* step('go').signal('go');
      return yield* step('c').task(note, 'c');
    });
    const after = workflow('flow', function* () {
      yield* step('b').task(note, 'b');
      yield* step('go').signal('go');
      return yield* step('c').task(note, 'c');
    });
    const first = await rig.open({ workflows: [before] });
    const run = await first.start('flow');
    await run.wait('idle');
    await first.close();
    ran.length = 0;
    const later = await rig.open({ workflows: [after] });
    expect(await codeOf(later.run(run.id).resume())).toBe('DEFINITION_CHANGED');
    const error = await errorOf(later.run(run.id).resume({ actor: 'ann', acceptChanges: true }));
    expect([error.code, error.details]).toEqual(['NONDETERMINISM', { expected: 'a', actual: 'step "b"' }]);
    expect([ran, (await later.run(run.id).get()).status]).toEqual([[], 'waiting']);
    await later.close();
    const restored = await rig.open({ workflows: [before] });
    await restored.run(run.id).signal('go');
    expect([(await restored.run(run.id).wait()).output, ran]).toEqual(['c', ['c']]);
  });

  test('a decision that was refused for it counts when it is made again with the restored code', async () => {
    const build = (name: string) =>
      workflow('asking', function* () {
        yield* step(name).task(note, name);
        yield* step('go').human({ prompt: 'Go?' });
        return yield* step('c').task(note, 'c');
      });
    const first = await rig.open({ workflows: [build('a')] });
    const run = await first.start('asking');
    await run.wait('idle');
    await first.close();
    const decision = { option: 'approve', actor: 'ann' };
    const later = await rig.open({ workflows: [build('b')] });
    expect(await codeOf(later.run(run.id).decide(decision))).toBe('NONDETERMINISM');
    await later.close();
    const restored = await rig.open({ workflows: [build('a')] });
    await restored.run(run.id).decide(decision);
    expect((await restored.run(run.id).wait()).output).toBe('c');
  });

  test('a flow whose code changed in the arguments of a recorded step stops with NONDETERMINISM', async () => {
    const build = (text: string) =>
      workflow('args', function* () {
        yield* step('a').task(note, text);
        yield* step('go').signal('go');
      });
    const first = await rig.open({ workflows: [build('one')] });
    const run = await first.start('args');
    await run.wait('idle');
    await first.close();
    const later = await rig.open({ workflows: [build('two')] });
    const error = await errorOf(later.run(run.id).signal('go'));
    expect([error.code, error.message]).toEqual(['NONDETERMINISM', expect.stringContaining('step "a" with other arguments')]);
  });

  test('a flow whose code changed after the current step continues with acceptChanges', async () => {
    const build = (last: string) => {
      const bodies: Record<string, () => ReturnType<typeof workflow>> = {
        old: () =>
          workflow('tail', function* () {
            yield* step('go').signal('go');
            return yield* step('end').task(note, 'old');
          }) as never,
        fresh: () =>
          workflow('tail', function* () {
            yield* step('go').signal('go');
            yield* step('more').task(note, 'more');
            return yield* step('end').task(note, 'new');
          }) as never,
      };
      return (bodies[last] as () => ReturnType<typeof workflow>)();
    };
    const first = await rig.open({ workflows: [build('old')] });
    const run = await first.start('tail');
    await run.wait('idle');
    await first.close();
    const later = await rig.open({ workflows: [build('fresh')] });
    expect(await codeOf(later.run(run.id).signal('go'))).toBe('DEFINITION_CHANGED');
    await later.run(run.id).resume({ actor: 'ann', acceptChanges: true });
    await later.run(run.id).wait('idle');
    await later.run(run.id).signal('go');
    expect([(await later.run(run.id).wait()).output, ran]).toEqual(['new', ['more', 'new']]);
  });
});
