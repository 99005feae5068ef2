// What a flow owes its steps, and what its steps owe it: every step that is built is yielded, and a failure says what was
// observed, live and after a replay.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { all, createEngine, type Json, StepFailed, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

describe('a step that is built and not yielded', () => {
  test.each([
    [
      'before another step',
      function* () {
        step('lost').task(() => 1);
        yield* step('kept').task(() => 2);
      },
    ],
    [
      'before the end',
      function* () {
        yield* step('kept').task(() => 2);
        step('lost')
          .task(() => 1)
          .retry(2);
      },
    ],
    [
      'as what it returns',
      function* () {
        yield* step('kept').task(() => 2);
        // As in JavaScript, where no type refuses it.
        return step('lost').task(() => 1) as unknown;
      },
    ],
    [
      'in a list that it returns',
      function* () {
        yield* step('kept').task(() => 2);
        return [...step('lost').task(() => 1)];
      },
    ],
  ])('%s fails the run, and nothing after it is done', async (_where, body) => {
    const result = await workflow('careless', body).run();
    expect([result.success, result.error]).toEqual([false, expect.stringContaining('created step "lost" ')]);
  });

  test('and is yielded only after another one is an error that names both', async () => {
    const flow = workflow('late', function* () {
      const fix = step('fix').task(() => 1);
      yield* step('check').task(() => 2);
      return yield* fix;
    });
    expect((await flow.run()).error).toContain(
      'the flow "late" created step "fix" and went on to step "check" without it; write `yield*` before it, where it is created',
    );
  });

  test('a group that is built and not yielded is an error as well', async () => {
    const flow = workflow('careless', function* () {
      all([step('a').task(() => 1)]);
      yield* step('kept').task(() => 2);
    });
    expect((await flow.run()).error).toContain('created all([…])');
  });

  test('a step that is built and not yielded is no error if it becomes part of another step, or is yielded', async () => {
    const flow = workflow('careful', function* () {
      yield step('plain').task(() => 1);
      yield* all([
        step('a').task(() => 1),
        step('b')
          .task(() => 2)
          .timeout('1m'),
      ]);
      yield* step('each').each([1, 2], (n) => step(`n${n}`).task((m: number) => m, n));
      return 'done';
    });
    expect(await flow.run()).toMatchObject({ success: true, finalOutput: 'done' });
  });
});

test('the error of a failed step has what was observed, also when the flow is replayed', async () => {
  const seen: Json[] = [];
  const flow = workflow('checked', function* () {
    try {
      yield* step('build').command('exit 3');
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      seen.push(error.evidence);
    }
    yield* step('go').signal('go');
    return 'over';
  });
  const first = await rig.open({ workflows: [flow] });
  const run = await first.start(flow);
  await run.wait('idle');
  await first.close();
  const second = await rig.open({ workflows: [flow] });
  await second.run(run.id).signal('go');
  expect((await second.run(run.id).wait()).output).toBe('over');
  expect(seen).toHaveLength(2);
  expect(seen[0]).toMatchObject({ process: { exitCode: 3 } });
  expect(seen[1]).toEqual(seen[0]);
});

test('a failure has nothing that was observed in an earlier attempt', async () => {
  const seen: Json[] = [];
  const flow = workflow('retried', function* () {
    try {
      yield* step('build').command('test -e first && exec tail -f /dev/null; touch first; exit 3').retry(2).timeout('1s');
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      seen.push(error.evidence);
    }
    yield* step('go').signal('go');
  });
  const first = await rig.open({ workflows: [flow] });
  const run = await first.start(flow);
  expect((await run.wait('idle')).steps.map(({ path, attempt }) => `${path} ${attempt}`)).toEqual(['build#1 1', 'build#1 2', 'go#1 1']);
  await first.close();
  const second = await rig.open({ workflows: [flow] });
  await second.run(run.id).signal('go');
  await second.run(run.id).wait();
  // Live, and replayed by the second engine.
  expect(seen).toEqual([null, null]);
});

test('an engine declared with "await using" is closed at the end of the block', async () => {
  const flow = workflow('short', function* () {
    return yield* step('a').task(() => 1);
  });
  let kept: Awaited<ReturnType<typeof createEngine>>;
  {
    await using engine = await createEngine({ workflows: [flow] });
    kept = engine;
    const view = await (await engine.start(flow)).wait();
    expect([view.status, view.output]).toEqual(['completed', 1]);
  }
  await expect(kept.list()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
});
