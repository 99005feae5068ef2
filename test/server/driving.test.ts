import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { tempFolder } from '../temp-folder.ts';
import { openRig } from './server-rig.ts';

test('two servers on one database share the work, and no run is driven twice', async () => {
  const worked = new Map<string, string[]>();
  const workflowOf = (server: string) =>
    defineWorkflow({
      name: 'shared',
      steps: [
        { id: 'pause', delay: 200, next: 'work' },
        {
          id: 'work',
          handler: (ctx) => {
            const { runId: run } = ctx;
            worked.set(run, [...(worked.get(run) ?? []), server]);
            return {};
          },
          next: null,
        },
      ],
    });
  const db = join(tempFolder(), 'runs.db');
  const [first, second] = [await openRig([workflowOf('first')], { db }), await openRig([workflowOf('second')], { db })];
  const runs = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? first : second).engine.start('shared')));
  for (const { id } of runs) expect((await first.engine.run(id).wait()).status).toBe('completed');
  expect([...worked.values()].map((by) => by.length)).toEqual(runs.map(() => 1));
});

test('runs that a server leaves when it closes are continued by the next server', async () => {
  const db = join(tempFolder(), 'runs.db');
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const done: string[] = [];
  const workflowOf = (server: string) =>
    defineWorkflow({
      name: 'relay',
      steps: [
        {
          id: 'one',
          handler: async () => {
            done.push(`one by ${server}`);
            begin();
            await told;
            return {};
          },
          next: 'two',
        },
        { id: 'two', handler: () => void done.push(`two by ${server}`), next: null },
      ],
    });
  const first = await openRig([workflowOf('first')], { db });
  const { id } = await first.engine.start('relay');
  await begun;
  await first.server.close();
  const closed = first.engine.close();
  tell();
  await closed;
  const second = await openRig([workflowOf('second')], { db });
  expect((await second.engine.run(id).wait()).status).toBe('completed');
  expect(done).toEqual(['one by first', 'two by second']);
});
