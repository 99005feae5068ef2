// Limits how often the server checks the subjects of approvals again when people open them: each check reads files or
// queries the forge, and is written to the log of the run.
//
// - One check every few seconds is enough for everyone who opens an approval. Each decision is checked once more.

import type { Engine } from '../api/engine.ts';
import type { Services } from './services.ts';

const PAUSE_MS = 3000;

interface SubjectCheck {
  readonly at: number;
  readonly done: Promise<unknown>;
}

const CHECKS = new WeakMap<Engine, Map<string, SubjectCheck>>();

/** Checks the subjects of a run's open questions again, unless they were checked in the last seconds. */
export async function recheckSubjects({ engine, now }: Pick<Services, 'engine' | 'now'>, run: string): Promise<void> {
  const checks = CHECKS.get(engine) ?? new Map<string, SubjectCheck>();
  CHECKS.set(engine, checks);
  const at = now();
  for (const [id, check] of checks) if (at - check.at >= PAUSE_MS || at < check.at) checks.delete(id);
  const check = checks.get(run) ?? { at, done: engine.run(run).approvals({ fresh: true }) };
  checks.set(run, check);
  try {
    await check.done;
  } catch (error) {
    // The next caller tries again.
    if (checks.get(run) === check) checks.delete(run);
    throw error;
  }
}
