// Owns the interface for observers of an engine's runs, such as tracing. An observer cannot change a run: nothing waits
// for it, and it must not throw.

import type { RunEvent } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';

/** The result of a commit of a driven run. */
export interface CommitRecord {
  readonly run: string;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly ended: readonly EndedAttempt[];
}

/** Watches the runs that an engine drives. */
export interface RunObserver {
  /** Called after each commit. */
  committed(commit: CommitRecord): void;
  /** Called when the engine stops driving a run, because it ended, waits, or could not be driven further. */
  released(run: string, state: RunState): void;
}
