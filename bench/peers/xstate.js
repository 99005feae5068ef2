// XState: a machine that invokes a promise per step. It has no store, so its persisted snapshot is written
// at every transition, as its documentation shows. Durability: `synchronous = FULL`; an invoked promise is called
// before the snapshot of the transition that invoked it is published, so a step first waits until that snapshot is written.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { assign, createActor, createMachine, fromPromise } from 'xstate';
import { openFull } from './sqlite.js';

const step = fromPromise(async () => {
  await undefined;
  return null;
});
const count = assign({ n: ({ context }) => context.n + 1 });

const chain = createMachine({
  context: ({ input }) => ({ n: 0, steps: input.steps }),
  initial: 'working',
  states: {
    working: {
      invoke: {
        src: step,
        onDone: [
          { guard: ({ context }) => context.n + 1 < context.steps, target: 'working', reenter: true, actions: count },
          { target: 'done', actions: count },
        ],
      },
    },
    done: { type: 'final' },
  },
});

/** One state that invokes every branch and ends with the last of them. A region per branch would take XState a minute. */
const fan = createMachine({
  context: ({ input }) => ({ n: 0, steps: input.steps }),
  initial: 'working',
  states: {
    working: {
      invoke: Array.from({ length: 1000 }, (_, n) => ({ id: `branch-${n}`, src: step, onDone: { actions: count } })),
      always: { guard: ({ context }) => context.n === context.steps, target: 'done' },
    },
    done: { type: 'final' },
  },
});

/** Opens the peer in a folder. */
export async function open(folder) {
  const db = openFull(join(folder, 'xstate.db'));
  db.exec('CREATE TABLE IF NOT EXISTS snapshots (run TEXT PRIMARY KEY, snapshot TEXT)');
  const save = db.prepare('INSERT INTO snapshots VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET snapshot = excluded.snapshot');
  const run = (machine, input) =>
    new Promise((complete, error) => {
      const id = randomUUID();
      const actor = createActor(machine, { input });
      actor.subscribe({ next: () => save.run(id, JSON.stringify(actor.getPersistedSnapshot())), complete, error });
      actor.start();
    });
  return {
    sequential: (steps) => run(chain, { steps }),
    branches: (width) => run(fan, { steps: width }),
    close: async () => db.close(),
  };
}
