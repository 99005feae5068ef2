// Owns how often the server checks the subjects of questions again when people open them: each check reads files or asks the
// forge, and is written to the log of the run.
//
// - One check in a few seconds is enough for everybody who opens a question then. A decision is checked again when it is made.

import type { Engine } from '../api/engine.ts';
import type { Services } from './services.ts';

const PAUSE_MS = 3000;

interface Look {
  readonly at: number;
  readonly done: Promise<unknown>;
}

const LOOKS = new WeakMap<Engine, Map<string, Look>>();

/** Checks the subjects of a run's open questions again, unless they were checked in the last seconds. */
export async function lookAfresh({ engine, now }: Pick<Services, 'engine' | 'now'>, run: string): Promise<void> {
  const looks = LOOKS.get(engine) ?? new Map<string, Look>();
  LOOKS.set(engine, looks);
  const at = now();
  for (const [id, look] of looks) if (at - look.at >= PAUSE_MS || at < look.at) looks.delete(id);
  const look = looks.get(run) ?? { at, done: engine.run(run).approvals({ fresh: true }) };
  looks.set(run, look);
  try {
    await look.done;
  } catch (error) {
    // The next one tries again.
    if (looks.get(run) === look) looks.delete(run);
    throw error;
  }
}
