import { describe, expect, test } from 'vitest';
import { arg, defineWorkflow, step, workflow } from '../../index.ts';
import { testWorkflow } from './results.ts';

const BOOM = (): never => {
  throw new Error('no handler is called');
};

/** Every kind of work, none of which may be done. */
const everything = defineWorkflow({
  name: 'everything',
  params: { mode: arg({ choices: ['full', 'quick'], default: 'full' }) },
  steps: {
    think: {
      handler: BOOM,
      args: { iteration: arg({ min: 1, max: 3 }) },
      next: { ok: 'write', iterate: { to: 'think', maxIterations: 3, onExhausted: 'write' }, error: 'escalate' },
    },
    write: { agent: 'writer', prompt: 'Write it.', next: { ok: 'build', fail: 'escalate' } },
    build: { command: 'exit 1', next: { ok: 'check', fail: { to: 'write', maxIterations: 2, onExhausted: 'fail' } } },
    check: {
      gate: { checks: [{ check: 'command', run: 'exit 1' }] },
      next: { ok: 'ask', fail: { to: 'write', maxIterations: 2, onExhausted: 'escalate' } },
    },
    ask: {
      human: {
        prompt: 'Publish?',
        options: [
          { label: 'yes', nextStep: 'pause' },
          { label: 'no', nextStep: 'write' },
        ],
      },
      next: 'pause',
    },
    pause: { delay: { duration: '1d' }, next: 'wake' },
    wake: { signal: 'go', next: 'all' },
    all: {
      parallel: { branches: { left: { command: 'exit 1' }, right: { handler: BOOM } } },
      next: { ok: null, fail: 'fail', reject: 'reject' },
    },
  },
});

describe('the generated tests of a workflow', () => {
  test('pass on every kind of step, and nothing of the author is run', async () => {
    const { results, ...summary } = await testWorkflow(everything);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(summary).toMatchObject({ workflow: 'everything', ok: true, failed: 0, passed: 6 + 7 * 2 + 2 * 2 + 4 });
  });

  test('are chosen by category and by id', async () => {
    const chosen = async (options: Parameters<typeof testWorkflow>[1]) =>
      (await testWorkflow(everything, options)).results.map(({ id }) => id);
    expect(await chosen({ category: ['import', 'structure'] })).toEqual(['everything/import', 'everything/structure']);
    expect(await chosen({ category: 'domain' })).toEqual(['everything/domain:mode', 'everything/domain:think.iteration']);
    expect(await chosen({ filter: 'everything/write:mode=full' })).toEqual(['everything/write:mode=full']);
    expect(await chosen({ filter: 'think', category: 'steps' })).toHaveLength(6);
  });

  test('of a flow have no steps, since those are known only while it runs', async () => {
    const flow = workflow('stroll', { params: { n: arg({ min: 1, max: 2, default: 1 }) } }, function* () {
      return yield* step('one').task(() => 1);
    });
    expect((await testWorkflow(flow)).results.map(({ id, ok }) => [id, ok])).toEqual([
      ['stroll/import', true],
      ['stroll/structure', true],
      ['stroll/domain:n', true],
    ]);
  });
});
