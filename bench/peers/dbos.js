// DBOS: a workflow function with a step per call, stored in PostgreSQL, the only store that it supports. Durability: that of
// the server, where a commit is on disk when it returns; DBOS awaits the commit of a step before it calls the next.

import { DBOS } from '@dbos-inc/dbos-sdk';
import { startPostgres } from './postgres.js';

const step = () => DBOS.runStep(async () => null, { name: 'step' });
const chain = DBOS.registerWorkflow(
  async (steps) => {
    for (let n = 0; n < steps; n += 1) await step();
  },
  { name: 'chain' },
);
const fan = DBOS.registerWorkflow(
  async (count) => {
    await Promise.all(Array.from({ length: count }, step));
  },
  { name: 'fan' },
);

/** Starts the server that the peer needs. */
export function serve(folder) {
  return startPostgres(folder);
}

/** Opens the peer on its server. */
export async function open(_folder, address) {
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: address, logLevel: 'error', enableOTLP: false });
  await DBOS.launch();
  return { sequential: (steps) => chain(steps), branches: (count) => fan(count), close: () => DBOS.shutdown() };
}
