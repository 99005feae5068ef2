// Owns the interface between a driver and its host, so that the driver can be read and tested without the engine.

import type { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import type { BoundStep, CompiledWorkflow } from '../definition/code.ts';
import type { ChildEffect } from '../kernel/effect.ts';
import type { EventOf, RunEvent } from '../kernel/event.ts';
import type { RunInput } from '../kernel/input.ts';
import type { Program } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';
import type { AttemptRequest, AttemptResult, AttemptRunner } from '../steps/attempt.ts';
import type { AttemptRow, RunCreation, RunOrigin, Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { RunDriver } from './driver.ts';
import type { RunCache } from './run-cache.ts';
import type { Proof, Signing } from './signature/signatures.ts';

/** External facts that decisions read, such as those of a forge. The engine does not interpret them. */
export interface ExternalFacts {
  /** The key in the data of a run under which the facts are stored. */
  readonly key: string;
  /** The keys in the data of a run that say which facts are meant. */
  readonly dependsOn: readonly string[];
  /** Reads the named parts; undefined means all of them. */
  read(parts: readonly (string | undefined)[], data: Readonly<Record<string, Json | undefined>>): Promise<Json>;
}

/** What a driver needs from its host. */
export interface DriverHost {
  readonly store: Store;
  /** The owner name of this host. */
  readonly me: string;
  readonly clock: Clock;
  readonly runAttempt: AttemptRunner;
  readonly outside: ExternalFacts;
  /** Which decisions need a signature, and whose keys count. */
  readonly signing: Signing;
  /** True while the engine closes: nothing new starts. */
  isDraining(): boolean;
  workflowOf(name: string): CompiledWorkflow;
  /** Verifies the signatures in the log of a run, and returns the context for verifying further ones. */
  signatureContext(run: Awaited<ReturnType<Store['load']>>): Promise<Proof>;
  /** Undoes the next result of a run, or reports that nothing is left to undo. */
  undo(driver: RunDriver, request: AttemptRequest): Promise<AttemptResult>;
  startChild(driver: RunDriver, effect: ChildEffect, request: AttemptRequest): Promise<readonly RunInput[]>;
  cancelChild(driver: RunDriver, effect: ChildEffect): Promise<readonly RunInput[]>;
  /** Called after each commit. */
  committed(driver: RunDriver, commit: { readonly events: readonly RunEvent[]; readonly ended: readonly EndedAttempt[] }): void;
  /** Posts a wake-up if the run has work left. Without it, only a run that is due or has mail is picked up again. */
  postWakeUp(driver: RunDriver, end: { readonly isCutOff: boolean }): Promise<void>;
  /**
   * Releases a run whose driver failed, so that it can be claimed again. Never rejects: if the store is down, it tries
   * again later.
   */
  releaseFailed(driver: RunDriver): Promise<void>;
  /** Called when the driver has stopped. `due` is when the run must be picked up again, `error` why the driver failed. */
  stopped(driver: RunDriver, end: { readonly due?: number; readonly error?: unknown }): void;
  /** Called when mail arrived while the driver released the run: it needs another driver. */
  mailMissed(driver: RunDriver): void;
  /** Creates the error for a run that was taken over by another owner. */
  takenOver(run: string): EngineError;
}

/** A host for a run that is only stored: its driver starts nothing and releases it for another process. */
export function storedOnlyHost(host: DriverHost): DriverHost {
  return Object.create(host, { isDraining: { value: () => true } }) as DriverHost;
}

/** The start of a driver: the run as it was claimed or is about to be created. */
export interface DriverStart {
  readonly state: RunState;
  readonly epoch: number;
  readonly program: Program;
  readonly cache: RunCache;
  readonly bound: (step: string) => BoundStep;
  /** The accepted keys, and the signatures in the log. */
  readonly proof: Proof;
  /** Where the steps of this run work, if that is not the engine's workspace. */
  readonly place: Pick<RunOrigin, 'workspace' | 'head' | 'priority'>;
  /** Which mail it accepts; all if undefined. Without a run's code it can only cancel. */
  readonly accepts?: (input: RunInput) => boolean;
  /** For a run that does not exist yet: its first event and the rows that its first commit creates. */
  readonly creation?: { readonly create: RunCreation; readonly event: EventOf<'run.started'>; readonly supplied: readonly AttemptRow[] };
}

/** A run in the store, as a source needs it to find the code that drives it. */
export type StoredRun = Pick<Awaited<ReturnType<Store['load']>>, 'state' | 'definition' | 'codeHash' | 'origin'>;

/** Finds workflows by name, including those of children. */
export interface DefinitionSource {
  find(name: string): CompiledWorkflow | undefined;
  /**
   * Loads the workflow of a stored run and the workflows it starts, so that `find` finds them. Only for a source that loads
   * code lazily. Throws if the code must not run here.
   */
  load?(run: StoredRun): Promise<CompiledWorkflow>;
  names(): readonly string[];
  /** Registers a workflow that was passed as a value, so that its runs can be driven later. */
  add?(workflow: CompiledWorkflow): void;
}

/** Returns where the steps of a run work, according to its origin. */
export function placeOf({ workspace, head, priority }: RunOrigin): Pick<RunOrigin, 'workspace' | 'head' | 'priority'> {
  return omitUndefined({ workspace, head, priority });
}
