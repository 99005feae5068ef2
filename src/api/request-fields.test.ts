// What an engine and the handle of a run do with misspelt fields: callers in plain JavaScript have no compiler.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine, defineWorkflow, type Engine, type RunHandle } from '../index.ts';

const WORKFLOW = defineWorkflow({ name: 'asks', steps: { ask: { human: { prompt: 'Ship it?' }, next: null } } });
let engine: Engine;
beforeEach(async () => {
  engine = await createEngine({ db: ':memory:', workflows: [WORKFLOW] });
});
afterEach(() => engine.close());

test('a run is not started with an option that it does not have', async () => {
  const start = engine.start(WORKFLOW, {}, { idempotencyKey: 'k' } as never);
  await expect(start).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('start: unknown option "idempotencyKey"'),
  });
  expect(await engine.list()).toEqual([]);
});

test.each<[string, (run: RunHandle, request: never) => Promise<unknown>]>([
  ['approvals', (run, request) => run.approvals(request)],
  ['signal', (run, request) => run.signal('go', request)],
  ['cancel', (run, request) => run.cancel(request)],
  ['pause', (run, request) => run.pause(request)],
  ['resume', (run, request) => run.resume(request)],
  ['fork', (run, request) => run.fork(request)],
  ['report', (run, request) => run.report(request)],
  ['ask', (run, request) => run.ask(request)],
  ['answer', (run, request) => run.answer(request)],
  ['files', (run, request) => run.files(request)],
  ['undo', (run, request) => run.undo(request)],
  ['decide', (run, request) => run.decide({ option: 'approve', actor: 'ann', ...(request as object) })],
])('`%s` refuses a field that it does not have', async (verb, call) => {
  const { id } = await engine.start(WORKFLOW);
  const message = expect.stringContaining(verb === 'decide' ? 'unknown field "acter"' : `${verb}: unknown option "acter"`);
  await expect(call(engine.run(id), { acter: 'ann' } as never)).rejects.toMatchObject({ code: 'OPTION_INVALID', message });
});

test('a run can be awaited only until a state that `wait` knows', async () => {
  const run = await engine.start(WORKFLOW);
  await expect(run.wait('bogus' as never)).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('"bogus"') });
  await expect(run.waitOnly('bogus' as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});
