// Every code sample of seed 001, in its order, in TypeScript: compiled, run, and held to what the text around it says.
// `step(…).python(action, args)` is `step(…).task({ action, args })` here. None of the twelve is left out.

import { describe, expect, test } from 'vitest';
import { createExample, stagesOf } from '../../examples/flow/example.ts';
import { step } from '../../src/compat/index.ts';
import { createStepResult, createWorkflowResult } from '../../src/definition/result.ts';
import { arg, createEngine, type ProgressEvent, type StepContext, workflow } from '../../src/index.ts';
import { tempFolder } from '../temp-folder.ts';

const double = (n: number) => n * 2;

class ReviewerAgent {
  execute(context: object): object {
    return { success: true, output: { reviewed: context } };
  }
}

describe('a workflow and its steps', () => {
  test('sample 1 (21-80): the definition captures name, description and parameters, and a call binds the defaults', async () => {
    const wf = workflow(
      'greet',
      { description: 'Greets', params: { name: arg({ type: 'string', required: true }), times: arg({ type: 'integer', default: 2 }) } },
      function* ({ name, times }) {
        return yield* step('say').task((who: string, n: number) => `${who} `.repeat(n).trim(), name, times);
      },
    );
    expect(wf.definition).toMatchObject({
      name: 'greet',
      description: 'Greets',
      params: { name: { type: 'string', required: true }, times: { type: 'integer', default: 2, required: false } },
    });
    expect(Object.isFrozen(wf.definition)).toBe(true);
    expect((await wf.run({ name: 'ho' })).finalOutput).toBe('ho ho');
    await expect(wf.run({} as never)).rejects.toMatchObject({ code: 'PARAMS_INVALID' });
  });

  test('sample 2 (110-137): the engine sends each output back into the generator, and a failed step ends the run', async () => {
    const reached: string[] = [];
    const boom = (): number => {
      throw new Error('boom');
    };
    const wf = (fails: boolean) =>
      workflow('relay', function* () {
        const one = yield* step('one').task(double, 1);
        reached.push(`one gave ${one}`);
        const two = yield* step('two').task(fails ? boom : double, one as never);
        reached.push(`two gave ${two}`);
        return two;
      });
    expect((await wf(false).run()).finalOutput).toBe(4);
    expect(reached.splice(0)).toEqual(['one gave 2', 'two gave 4']);
    const failed = await wf(true).run();
    expect([failed.success, failed.error, failed.stepResults.map(({ name, success }) => [name, success])]).toEqual([
      false,
      'boom',
      [
        ['one', true],
        ['two', false],
      ],
    ]);
    expect(reached).toEqual(['one gave 2']);
  });

  test('sample 3 (141-163): the final output is what is returned, else the last step, else nothing', async () => {
    const returning = workflow('returning', function* () {
      yield* step('a').task(double, 1);
      return { explicit: true };
    });
    const last = workflow('last', function* () {
      yield* step('a').task(double, 1);
      yield* step('b').task(double, 21);
    });
    const empty = workflow('empty', function* () {});
    expect((await returning.run()).finalOutput).toEqual({ explicit: true });
    expect((await last.run()).finalOutput).toBe(42);
    expect(await empty.run()).toMatchObject({ success: true, finalOutput: null, stepResults: [] });
  });
});

describe('the context of agents', () => {
  const reviewed = (context: object | ((ctx: StepContext) => object | Promise<object>)) =>
    workflow('review', function* () {
      yield* step('implementation').task(() => ({ files: ['a.ts'], commit: 'abc' }));
      return yield* step('review').agent({ agent: new ReviewerAgent(), context });
    });

  test('sample 4 (191-211): it is an object, or an async function of what came before', async () => {
    expect((await reviewed({ branch: 'main' }).run()).finalOutput).toMatchObject({ output: { reviewed: { branch: 'main' } } });
    const built = await reviewed(async (ctx) => ({ seen: Object.keys(ctx.results) })).run();
    expect(built.finalOutput).toMatchObject({ output: { reviewed: { seen: ['implementation'] } } });
  });

  test('sample 5 (217-229): a builder that fails, or gives no object, fails its step', async () => {
    const wrong = await reviewed((() => 'text') as unknown as () => object).run();
    expect([wrong.success, wrong.error]).toEqual([false, expect.stringContaining('Context builder must return an object, got a string')]);
    const thrown = await reviewed(async () => {
      throw new Error('no such commit');
    }).run();
    expect(thrown.stepResults.at(-1)).toMatchObject({ name: 'review', success: false, error: expect.stringContaining('no such commit') });
  });

  test('sample 6 (233-252): a builder reads the result of an earlier step by its name', async () => {
    const buildReviewContext = async (ctx: StepContext) => {
      const result = ctx.results.implementation?.output as { files: string[]; commit: string };
      return { filesChanged: result.files, commitSha: result.commit };
    };
    expect((await reviewed(buildReviewContext).run()).finalOutput).toMatchObject({
      output: { reviewed: { filesChanged: ['a.ts'], commitSha: 'abc' } },
    });
    expect((await reviewed({ branch: 'feature-123' }).run()).success).toBe(true);
  });
});

describe('results and builders', () => {
  test('sample 7 (285-326): results are frozen and serialisable, and refuse a negative duration or a failure without words', () => {
    const given = { name: 'a', stepType: 'task', success: true, output: { at: new Date(0) }, durationMs: 5 } as const;
    const result = createStepResult(given);
    expect(JSON.parse(JSON.stringify(result))).toEqual({ ...given, output: { at: '1970-01-01T00:00:00.000Z' } });
    expect([Object.isFrozen(result), Object.isFrozen(result.output)]).toEqual([true, true]);
    expect(() => createStepResult({ ...given, durationMs: -1 })).toThrow('R1');
    expect(() => createStepResult({ ...given, success: false })).toThrow('R2');
    const whole = { workflowName: 'w', success: true as const, stepResults: [result], totalDurationMs: 5, finalOutput: 1 };
    expect(Object.isFrozen(createWorkflowResult(whole))).toBe(true);
  });

  test('sample 8 (346-393): step(name) has five builders, and building one does nothing', async () => {
    let calls = 0;
    const child = workflow('child', { params: { n: arg({ default: 1 }) } }, function* ({ n }) {
      return yield* step('inner').task(double, n);
    });
    const generator = { execute: ({ topic }: { topic: string }) => `About ${topic}` };
    step('never').task(() => {
      calls += 1;
    });
    const wf = workflow('five', { children: [child] }, function* () {
      const task = yield* step('task').task({ action: double, args: [4] });
      const agent = yield* step('agent').agent({ agent: new ReviewerAgent(), context: { task } });
      const text = yield* step('generate').generate({ generator, context: { topic: 'ponds' } });
      const valid = yield* step('validate').validate({ stages: 'fast' });
      const sub = yield* step('subworkflow').subworkflow(child, { n: 5 });
      return { task, agent: agent.success, text, valid: valid.success, sub };
    });
    const result = await wf.run({}, { stages: { fast: ['lint'], lint: 'true' } });
    expect(result.finalOutput).toEqual({ task: 8, agent: true, text: 'About ponds', valid: true, sub: 10 });
    expect(calls).toBe(0);
  });

  test('sample 9 (397-420): the example validates, implements, verifies with fixes, and returns the result', async () => {
    const directory = tempFolder();
    const options = { cwd: directory, stages: stagesOf('slug') };
    const result = await createExample({ directory }).run({ inputData: 'slug' }, options);
    expect(result.stepResults.map(({ name }) => name)).toEqual(['validate_input', 'implement', 'verify']);
    expect(result.finalOutput).toEqual({ success: true, output: { file: 'subject.mjs', exports: 'slug' } });
    const refused = await createExample({ directory }).run({ inputData: 'no name' }, options);
    expect([refused.success, refused.stepResults.length]).toEqual([false, 1]);
  });

  test('sample 10 (432-452): a second step of the same name fails the run before it runs', async () => {
    let calls = 0;
    const work = () => {
      calls += 1;
    };
    const twice = workflow('twice', function* () {
      yield* step('same').task(work);
      yield* step('same').task(work);
    });
    const result = await twice.run();
    expect([result.success, calls]).toEqual([false, 1]);
    expect(result.error).toContain('two steps named "same"; names are unique in a run');
  });
});

describe('validation and progress', () => {
  test.each([
    { retry: 0, fixed: 0 },
    { retry: 1, fixed: 1 },
    { retry: 3, fixed: 3 },
  ])('sample 11 (467-495): retry $retry lets the fix run $fixed times, then the validation has failed', async ({ retry, fixed }) => {
    let fixes = 0;
    const fixer = { execute: () => ({ success: true, output: { fixes: ++fixes } }) };
    const wf = workflow('validated', function* () {
      return yield* step('verify').validate({ stages: ['test'], retry, onFailure: step('fix').agent({ agent: fixer, context: {} }) });
    });
    const result = await wf.run({}, { stages: { test: 'false' } });
    expect([result.success, fixes]).toEqual([false, fixed]);
  });

  test('sample 11 (467-495): a validation that passes after a fix is a success', async () => {
    const directory = tempFolder();
    const run = (badFixes: number, retry: number) =>
      createExample({ directory, badFixes }, retry).run({ inputData: 'slug' }, { cwd: directory, stages: stagesOf('slug') });
    expect((await run(1, 2)).success).toBe(true);
    expect((await run(1, 1)).success).toBe(false);
  });

  test('sample 12 (510-528): progress is told by frozen events, from the start of the run to its end', async () => {
    const wf = workflow('told', function* () {
      yield* step('a').task(double, 1);
    });
    const engine = await createEngine({ db: ':memory:', workflows: [wf] });
    const run = await engine.start(wf);
    const events: ProgressEvent[] = [];
    for await (const event of run.events()) events.push(event);
    await engine.close();
    expect(events.map((event) => event.type)).toEqual(['WorkflowStarted', 'StepStarted', 'StepCompleted', 'WorkflowCompleted']);
    expect(events[2]).toMatchObject({
      stepName: 'a',
      stepType: 'task',
      success: true,
      durationMs: expect.any(Number),
      timestamp: expect.any(Number),
    });
    expect(events.every((event) => Object.isFrozen(event))).toBe(true);
  });
});
