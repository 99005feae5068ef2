// Seed 004's editing workflow when its process is killed. The processes here are run by Node itself: what vitest compiles
// has other functions, and a run is not taken over with other functions.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BookDatabase } from '../../examples/w1/database.ts';
import { booksIn, openEditing } from '../../examples/w1/editing.ts';
import { addPondBook } from '../../examples/w1/manuscript.ts';
import { SafeDatabaseClient } from '../../src/safe-db/index.ts';
import { tempFolder } from '../temp-folder.ts';

const EDITING = new URL('../../examples/w1/editing.ts', import.meta.url).href;

let directory: string;
let client: SafeDatabaseClient;
let books: BookDatabase;

beforeEach(async () => {
  directory = tempFolder();
  await (await openEditing({ directory })).close();
  client = new SafeDatabaseClient(booksIn(directory));
  books = new BookDatabase(client);
});

afterEach(() => {
  client.close();
});

const count = (table: string) => books.row<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n;

describe('kill -9 while the writers work', () => {
  test('kill -9 while the writers work leaves them unknown and nothing of them in the book; run again, the book is as if nothing had happened', async () => {
    addPondBook({ books, directory });
    const killed = await inProcess(`
      const run = await editing.start('ponds');
      process.stdout.write(JSON.stringify(run.id));
      for await (const event of editing.engine.run(run.id).log())
        if (event.type === 'step.opened' && event.activation.path.startsWith('writer#1/')) process.kill(process.pid, 'SIGKILL');`);
    expect(killed.signal).toBe('SIGKILL');
    const id = killed.said as string;

    // Nothing of what the writers did to their copies is in the book.
    expect(books.chapters('ponds-v2')).toEqual(books.chapters('ponds-v1'));

    // Another process takes the run over: it was compiled by Node like the first, and so has the same functions.
    const { said } = await inProcess(`
      const id = ${JSON.stringify(id)};
      await editing.engine.run(id).resume();
      const found = await editing.engine.run(id).wait('idle');
      const unknown = found.steps.filter(({ status }) => status === 'unknown').map(({ path }) => path).sort();
      for (const path of unknown) await editing.engine.run(id).resume({ actor: 'ann', choice: { how: 'rerun', path } });
      const gate = await editing.engine.run(id).wait('idle');
      const done = await editing.decide(id, { option: 'Approve and finalize', actor: 'ann' });
      process.stdout.write(JSON.stringify({ unknown, step: gate.currentStep, writers: gate.iterationCounts.writer, status: done.status }));
      await editing.close();`);
    const unknown = ['writer#1/emphasis', 'writer#1/hedging'];
    expect(said).toEqual({ unknown, step: 'human-gate', writers: 3, status: 'completed' });
    expect([count('strategic_plans'), count('versions'), books.workflowStatus(id)]).toEqual([1, 2, 'completed']);
    expect(books.chapters('ponds-v2')[0]?.text).toBe(
      'A pond is still, and its water is a mirror. That is why so few people look below it.',
    );
  });

  async function inProcess(code: string): Promise<{ said: unknown; signal: unknown }> {
    const opening = `import { openEditing } from ${JSON.stringify(EDITING)};
      const editing = await openEditing({ directory: ${JSON.stringify(directory)} });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', opening + code], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    return { said: JSON.parse(said), signal };
  }
});
