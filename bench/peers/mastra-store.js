// Owns the store of both Mastra peers: LibSQLStore, where a commit is on disk when it returns. The store sets `synchronous =
// NORMAL` on its connections, which can lose the last steps in a power cut, so its client sets FULL instead.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { Mastra } from '@mastra/core';
import { createStep } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';

/** A schema that accepts everything, because the check of values is not measured. */
export const any = z.any();

/** A step whose output is the result of its function. */
export function stepOf(id, work) {
  return createStep({ id, inputSchema: any, outputSchema: any, execute: async ({ inputData }) => work(inputData) });
}

/** Opens Mastra in a folder: `run` runs a workflow to its end. */
export async function openMastra(folder, workflows) {
  const client = fullClient(join(folder, 'mastra.db'));
  const storage = new LibSQLStore({ id: 'bench', client });
  const mastra = new Mastra({ storage, workflows, logger: false });
  await storage.init();
  return {
    run: async (id, inputData) => {
      const started = await mastra.getWorkflow(id).createRun({ runId: randomUUID() });
      const { status, error } = await started.start({ inputData });
      if (status !== 'success') throw error ?? new Error(`the run of ${id} is ${status}`);
    },
    close: async () => {
      const { rows } = await client.execute('PRAGMA synchronous');
      await mastra.shutdown?.();
      client.close();
      if (Number(rows[0].synchronous) !== 2) throw new Error('Mastra set synchronous back to NORMAL; its figures do not count');
    },
  };
}

/** A client that sets FULL when it is asked for NORMAL. */
function fullClient(file) {
  const client = createClient({ url: `file:${file}` });
  const execute = client.execute.bind(client);
  client.execute = (statement, ...rest) =>
    execute(typeof statement === 'string' ? statement.replace(/synchronous\s*=\s*NORMAL/i, 'synchronous = FULL') : statement, ...rest);
  return client;
}
