// Owns errors that the code of a workflow leaves behind: thrown by a timer or an event, or a rejected promise that nothing
// awaits. Node ends a process because of them, and with it every run that the process drives. Here they fail the step
// whose code caused them.

import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../base/error.ts';
import type { AttemptGuard } from '../steps/services.ts';

interface GuardedAttempt {
  readonly run: string;
  readonly step: string;
  readonly errors: unknown[];
  isOver: boolean;
}

const attempts = new AsyncLocalStorage<GuardedAttempt>();
const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;
let warnings: ((text: string) => void) | undefined;

/** Catches stray errors of this process from now on. `warn` receives those of a step that has already ended. */
export function guardAttempts(warn: (text: string) => void): AttemptGuard {
  if (warnings === undefined) for (const event of EVENTS) process.on(event, (error) => caught(event, error));
  warnings = warn;
  return async ({ run, step }, work) => {
    const attempt: GuardedAttempt = { run, step, errors: [], isOver: false };
    try {
      return await attempts.run(attempt, async () => {
        const result = await work();
        // Node reports a rejection that nothing awaits after the promises that are settled by then.
        await setImmediate();
        if (result.type !== 'errored' && attempt.errors.length > 0)
          throw new Error(`its code left an error that nothing awaits: ${messageOf(attempt.errors[0])}`);
        return result;
      });
    } finally {
      attempt.isOver = true;
    }
  };
}

function caught(event: (typeof EVENTS)[number], error: unknown): void {
  const attempt = attempts.getStore();
  if (attempt?.isOver === false) attempt.errors.push(error);
  else if (attempt !== undefined)
    warnings?.(
      `step "${attempt.step}" of run ${attempt.run} left an error that nothing awaits: ${messageOf(error)}; the step had already ended`,
    );
  else if (process.listenerCount(event) === 1) endProcess(error);
}

/** No step caused it, so what is broken is unknown: the process ends, as it would without `guardAttempts`. */
function endProcess(error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined;
  warnings?.(`an error outside of every step ends this process; "pawl resume RUN" continues its runs: ${stack ?? messageOf(error)}`);
  process.exit(1);
}
