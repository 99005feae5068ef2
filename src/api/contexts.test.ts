import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { defineWorkflow } from '../compat/index.ts';
import { createEngine } from '../index.ts';

interface App {
  readonly shelf: string;
}

const borrowing = defineWorkflow<App>({
  name: 'borrowing',
  steps: [
    { id: 'ask', human: { prompt: 'Lend it?', options: [{ label: 'yes', nextStep: 'lend' }] } },
    {
      id: 'lend',
      handler: (ctx) => ({ from: ctx.shelf }),
      postconditions: [{ name: 'shelf', check: (ctx) => ctx.result.from === ctx.shelf, error: 'from another shelf' }],
      next: null,
    },
  ],
});

const reading = defineWorkflow<App>({
  name: 'reading',
  context: () => ({ shelf: 'its own' }),
  steps: [{ id: 'read', handler: (ctx) => ctx.shelf, next: null }],
});

describe('contexts in the engine options', () => {
  test('a definition without a context gets the one for its name, also when another engine drives its run', async () => {
    const directory = tempFolder();
    const open = (shelf: string) =>
      createEngine({
        db: join(directory, 'pawl.db'),
        workflows: [borrowing],
        contexts: { borrowing: ({ runId }) => ({ shelf: `${shelf} ${runId}` }) },
      });
    const first = await open('first');
    const run = await first.start(borrowing);
    await run.wait('idle');
    await first.close();
    const second = await open('second');
    await second.run(run.id).decide({ option: 'yes', actor: 'ann' });
    const view = await second.run(run.id).wait();
    expect([view.status, view.output]).toEqual(['completed', { from: `second ${run.id}` }]);
    await second.close();
  });

  test("replace the definition's own, and do not affect other workflows", async () => {
    const engine = await createEngine({ db: ':memory:', contexts: { reading: async () => ({ shelf: 'given' }) } });
    const given = await engine.start(reading);
    expect((await given.wait()).output).toBe('given');
    await engine.close();
    const other = await createEngine({ db: ':memory:', contexts: { constructor: () => ({}) } });
    const own = await other.start(reading);
    expect((await own.wait()).output).toBe('its own');
    await other.close();
  });

  test('a context that cannot be built fails the step and names the workflow', async () => {
    const engine = await createEngine({
      db: ':memory:',
      contexts: {
        reading: () => {
          throw new Error('no database');
        },
      },
    });
    const run = await engine.start(reading);
    expect((await run.wait()).error).toBe('the context of workflow "reading" could not be built: no database');
    await engine.close();
  });
});
