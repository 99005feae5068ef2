// Owns what a driver begins with and needs of its host, so that the driver can be read, and tested, without the engine around it.

import type { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { BoundStep, CompiledWorkflow } from '../definition/code.ts';
import type { ChildEffect } from '../kernel/effect.ts';
import type { RunEvent, RunStarted } from '../kernel/event.ts';
import type { RunInput } from '../kernel/input.ts';
import type { Program } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';
import type { AttemptRequest, AttemptRunner } from '../steps/attempt.ts';
import type { ForgeNumbers } from '../steps/forge-reading.ts';
import type { AttemptRow, RunCreation, RunOrigin, Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { RunDriver } from './driver.ts';
import type { RunRecord } from './record.ts';
import type { Proof, Signing } from './signatures.ts';

/** What a driver needs of whoever holds it. */
export interface DriverHost {
  readonly store: Store;
  /** Who owns what is driven here. */
  readonly me: string;
  readonly clock: Clock;
  readonly runAttempt: AttemptRunner;
  /** Facts of the forge as they are now: of the run's issue and pull request, by their numbers. */
  readForge(parts: readonly string[], data: ForgeNumbers): Promise<Json>;
  /** What takes a signature, and whose counts. */
  readonly signing: Signing;
  /** How many may hold a semaphore at once, as it is configured now. */
  limitOf(key: string): number;
  /** True while the engine closes: nothing new begins. */
  isDraining(): boolean;
  workflowOf(name: string): CompiledWorkflow;
  /** Proves the signatures in the log of another run, for a run that goes on with what it brought. */
  proofOf(run: Awaited<ReturnType<Store['load']>>): Promise<Proof>;
  startChild(driver: RunDriver, effect: ChildEffect, request: AttemptRequest): Promise<readonly RunInput[]>;
  cancelChild(driver: RunDriver, effect: ChildEffect): Promise<readonly RunInput[]>;
  /** Something is on disk now. */
  committed(driver: RunDriver, what: { readonly events: readonly RunEvent[]; readonly ended: readonly EndedAttempt[] }): void;
  /** Leaves word that a run has work to go on with: without it, only a run that is due, or has mail, is found again. */
  leaveWord(driver: RunDriver, how: { readonly isCutOff: boolean }): Promise<void>;
  /** Releases a run whose driver failed, so that it can be claimed again. Never rejects: a store that is down is asked again. */
  giveBack(driver: RunDriver): Promise<void>;
  /** The driver gave the run up; `due` is when somebody must look at it again, `error` why it could not go on. */
  left(driver: RunDriver, why: { readonly due?: number; readonly error?: unknown }): void;
  /** Mail came while the driver gave the run up: somebody has to drive it again. */
  missed(driver: RunDriver): void;
  /** The error of a driver whose run was taken over by another owner. */
  lost(run: string): EngineError;
}

/** What a driver begins with: the run as it was claimed or is about to be created. */
export interface DriverStart {
  readonly state: RunState;
  readonly epoch: number;
  readonly program: Program;
  readonly record: RunRecord;
  readonly bound: (step: string) => BoundStep;
  /** What signatures are proved with. */
  readonly proof: Proof;
  /** Where the steps of this run work, when that is not the workspace of the engine. */
  readonly place: Pick<RunOrigin, 'workspace' | 'head'>;
  /** Which mail it can act on, when that is not all: without the code of a run only its cancellation. */
  readonly takes?: (input: RunInput) => boolean;
  /** A run that does not exist yet: what its first commit creates, and its first event. */
  readonly birth?: { readonly create: RunCreation; readonly event: RunStarted; readonly supplied: readonly AttemptRow[] };
}

/** Where definitions are found, children included. */
export interface DefinitionSource {
  find(name: string): CompiledWorkflow | undefined;
  names(): readonly string[];
  /** Makes a workflow known that was handed over as a value, so that its runs can be driven later. */
  add?(workflow: CompiledWorkflow): void;
}
