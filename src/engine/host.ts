// Owns what a driver needs of its host, so that the driver can be read, and tested, without the engine around it.

import type { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunInput } from '../kernel/input.ts';
import type { Activation } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';
import type { AttemptRequest, AttemptRunner } from '../steps/attempt.ts';
import type { ForgeNumbers } from '../steps/forge-reading.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { RunDriver } from './driver.ts';

/** What a driver needs of whoever holds it. */
export interface DriverHost {
  readonly store: Store;
  /** Who owns what is driven here. */
  readonly me: string;
  readonly clock: Clock;
  readonly runAttempt: AttemptRunner;
  /** Facts of the forge as they are now: of the run's issue and pull request, by their numbers. */
  readForge(parts: readonly string[], data: ForgeNumbers): Promise<Json>;
  /** How many may hold a semaphore at once, as it is configured now. */
  limitOf(key: string): number;
  /** True while the engine closes: nothing new begins. */
  isDraining(): boolean;
  workflowOf(name: string): CompiledWorkflow;
  startChild(driver: RunDriver, activation: Activation, request: AttemptRequest): Promise<readonly RunInput[]>;
  cancelChild(driver: RunDriver, activation: Activation): Promise<readonly RunInput[]>;
  /** Something is on disk now. */
  committed(driver: RunDriver, what: { readonly events: readonly RunEvent[]; readonly ended: readonly EndedAttempt[] }): void;
  /** Leaves word that a run has work to go on with: without it, only a run that is due, or has mail, is found again. */
  leaveWord(driver: RunDriver, how: { readonly isCutOff: boolean }): Promise<void>;
  /** The driver gave the run up; `due` is when somebody must look at it again, `error` why it could not go on. */
  left(driver: RunDriver, why: { readonly due?: number; readonly error?: unknown }): void;
  /** Mail came while the driver gave the run up: somebody has to drive it again. */
  missed(driver: RunDriver): void;
  /** The error of a driver whose run was taken over by another owner. */
  lost(run: string): EngineError;
}

/** Where definitions are found, children included. */
export interface DefinitionSource {
  find(name: string): CompiledWorkflow | undefined;
  names(): readonly string[];
  /** Makes a workflow known that was handed over as a value, so that its runs can be driven later. */
  add?(workflow: CompiledWorkflow): void;
}
