// Owns the embedded host: which runs this process drives, what wakes it, and how it stops. Requests to runs are in
// `requests.ts`, the driving of one run in `driver.ts`.
//
// E6. Nothing is polled: the store signals mail and free slots, and one timer waits for the nearest due time.
// E7. A run has one owner. A command for a run with another owner follows the log until its mail is consumed.

import { EngineError, isEngineError, isTransient } from '../base/error.ts';
import { invariant } from '../base/invariant.ts';
import { deepFreeze, isJsonObject, type JsonObject } from '../base/json.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { isFinal, isSettled } from '../definition/run-status.ts';
import type { ChildEffect } from '../kernel/effect.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunInput } from '../kernel/input.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';
import type { AttemptRequest, AttemptRunner } from '../steps/attempt.ts';
import type { Mail, Store, SuccessfulClaim } from '../store/store.ts';
import { cancelChild, startChild } from './children.ts';
import type { Clock } from './clock.ts';
import { hasWorkLeft, nextDriveAt } from './delta.ts';
import { RunDriver } from './driver.ts';
import { type DriverHost, type DriverStart, placeOf, type StoredRun } from './host.ts';
import { limitOf, slotsOf } from './limits/limits.ts';
import type { CommitRecord } from './observer.ts';
import type { EngineParts } from './parts.ts';
import { type BoundProgram, checkUnchanged, findWorkflow, inertProgram, programOfRun, workflowOf } from './programs.ts';
import { RunCache, type RunCacheRequest, refsOf } from './run-cache.ts';
import { type StartOptions, startRun } from './run-start.ts';
import { proveRun } from './signature/signature-proof.ts';
import { acceptanceOf, type Proof, type Signer, type Signing } from './signature/signatures.ts';
import { needsUndo, runUndo } from './undo/compensation.ts';
import { readValues } from './values.ts';
import { WakeUpTimer } from './wake-up-timer.ts';

/** Options for driving a run. `cancel`: only to cancel it, even if its code is missing or has changed. */
export interface DriveOptions {
  /** Who accepts that the code differs from the code the run started with. */
  readonly acceptedBy?: string;
  readonly cancel?: boolean;
  /** With `cancel`: the effects of the run are not undone. */
  readonly leave?: boolean;
  /** Signs that acceptance, if the run requires signatures. */
  readonly sign?: Signer | undefined;
}

type Listener = (commit: CommitRecord) => void;

/** The embedded host. */
export class EngineCore implements DriverHost {
  readonly store: Store;
  readonly me: string;
  readonly clock: Clock;
  readonly runAttempt: AttemptRunner;
  readonly outside: DriverHost['outside'];
  readonly signing: Signing;
  readonly parts: EngineParts;
  private readonly drivers = new Map<string, RunDriver>();
  private readonly claiming = new Map<string, Promise<RunDriver | { readonly heldBy: string } | undefined>>();
  readonly programs = new Map<string, BoundProgram>();
  private readonly listeners = new Set<Listener>();
  private readonly failures = new Map<string, unknown>();
  private readonly failed = new WeakMap<RunDriver, unknown>();
  /** Runs that could not be released because the store failed: they are released again when the engine closes. */
  private readonly unreleased = new Map<string, () => Promise<void>>();
  private readonly closeListeners = new Set<() => void>();
  private draining = false;
  private closed = false;
  private readonly unwatch: () => void;
  readonly wakeUpTimer: WakeUpTimer;

  constructor(parts: EngineParts) {
    this.parts = parts;
    this.store = parts.store;
    this.me = parts.me;
    this.clock = parts.clock;
    this.runAttempt = parts.runAttempt;
    this.outside = parts.outside;
    this.signing = parts.signing;
    this.wakeUpTimer = new WakeUpTimer({
      store: parts.store,
      clock: parts.clock,
      isOn: () => parts.drives === 'all' && !this.draining,
      sweep: () => this.recover(),
      warn: (error) => this.warn(error),
    });
    this.unwatch = parts.store.watch((run) => this.wake(run));
  }

  /** Starts a run. Resolves when it is on disk. */
  start(workflow: CompiledWorkflow, params: unknown, options: StartOptions = {}): Promise<RunDriver> {
    this.assertOpen();
    return startRun(this, workflow, { params, options });
  }

  /** Takes the driver of a run that is being started. Throws RUN_EXISTS if another caller was faster. */
  register(driver: RunDriver, program: BoundProgram): void {
    this.assertFree(driver.run);
    this.remember(driver.run, program);
    this.drivers.set(driver.run, driver);
  }

  /** Throws RUN_EXISTS if this engine drives a run with this id. */
  assertFree(id: string): void {
    if (!this.drivers.has(id)) return;
    throw new EngineError('RUN_EXISTS', `run "${id}" already exists and is being driven; start the new run with another id`, {
      details: { run: id },
    });
  }

  cacheFor(run: string, { concurrency, parked, ...more }: RunCacheRequest): RunCache {
    return new RunCache({
      outside: this.outside,
      store: this.store,
      run,
      ...more,
      kinds: this.parts.facts.kinds,
      slots: (model) => slotsOf(this.parts, model, concurrency),
      limitOf: (key) => limitOf(this.parts.limits, key, concurrency) ?? Number.MAX_SAFE_INTEGER,
      holding: () => this.draining || parked === true,
    });
  }

  private remember(run: string, program: BoundProgram): BoundProgram {
    this.programs.set(run, program);
    return program;
  }

  /** Claims a run and drives it, or returns its current owner. */
  async drive(run: string, options: DriveOptions = {}): Promise<RunDriver | { readonly heldBy: string } | undefined> {
    this.assertOpen();
    const driven = this.drivers.get(run);
    if (driven !== undefined) {
      await driven.wake();
      return driven;
    }
    const pending = this.claiming.get(run);
    const again = (): ReturnType<EngineCore['drive']> => this.drive(run, options);
    // If the pending claim fails, that error belongs to its own caller: try again.
    if (pending !== undefined) return pending.then(again, again);
    const claim = this.claim(run, options).finally(() => this.claiming.delete(run));
    this.claiming.set(run, claim);
    return claim;
  }

  private async claim(run: string, options: DriveOptions): Promise<RunDriver | { readonly heldBy: string }> {
    const claimed = await this.store.claim(run, this.me);
    if (!claimed.claimed) return { heldBy: claimed.owner };
    this.unreleased.delete(run);
    try {
      return await this.driverFor(claimed, options);
    } catch (error) {
      if (options.cancel === true && (options.leave === true || !(await needsUndo(this.store, claimed)))) {
        await this.sweepAfter(claimed.state);
        return this.driverWithoutCode(claimed, { accepts: isCancel, proof: { keys: [], used: new Set() } });
      }
      await this.releaseUndriven(claimed.state.id, claimed.epoch, () =>
        Promise.resolve(hasWorkLeft(claimed.state) ? claimed.state.seq : undefined),
      );
      throw error;
    }
  }

  /**
   * Releases a run that could not be driven. The wake-up is posted once for each position of its log: it signals every
   * engine, and a repeated failure must not signal again. If the store is down, the release is repeated when this
   * engine closes.
   */
  private async releaseUndriven(run: string, epoch: number, wakeUpAt: () => Promise<number | undefined>): Promise<void> {
    try {
      const seq = await wakeUpAt();
      if (seq !== undefined) await this.postDue(run, `undriven/${seq}`);
      await this.store.release(run, { owner: this.me, epoch }, Number.MAX_SAFE_INTEGER);
      this.unreleased.delete(run);
    } catch (error) {
      const isThere = !isEngineError(error) || error.code !== 'RUN_NOT_FOUND';
      if (isThere) this.unreleased.set(run, () => this.releaseUndriven(run, epoch, wakeUpAt));
    }
  }

  private async driverFor(claimed: SuccessfulClaim, options: DriveOptions): Promise<RunDriver> {
    const { state, epoch, definition, codeHash, origin } = claimed;
    if (isFinal(state.status)) return this.driverWithoutCode(claimed, { proof: await this.signatureContext(claimed) });
    const workflow = await workflowOf(this, claimed);
    if (options.acceptedBy === undefined) checkUnchanged({ state, codeHash }, workflow);
    const proof = await this.signatureContext(claimed);
    await this.sweepAfter(state);
    const params = await this.paramsOf(state);
    const bound = this.remember(state.id, await programOfRun(this, state, { workflow, definition, params }));
    const { concurrency } = definition;
    const cache = this.cacheFor(state.id, { reads: bound.program.reads, params, fresh: false, concurrency });
    // Work that is started again after a takeover reads its values before anything is decided.
    await cache.load(refsOf(state), []);
    const actor = codeHash === workflow.codeHash ? undefined : options.acceptedBy;
    const changed = { state, proof, code: workflow.codeHash };
    const accepted = actor === undefined ? undefined : await acceptanceOf(this, changed, { ...options, actor });
    const driver = new RunDriver(this, { state, epoch, cache, ...bound, proof, place: placeOf(origin) });
    this.drivers.set(state.id, driver);
    if (accepted !== undefined) driver.take(accepted);
    driver.begin();
    driver.takeMail(claimed.mail);
    return driver;
  }

  /** Ends processes that attempts of an earlier owner left behind. */
  private async sweepAfter(state: RunState): Promise<void> {
    if (Object.values(state.live).some((activation) => activation.state === 'running')) await this.parts.sweep();
  }

  /** Drives a run without its code: to cancel it, or to record something about a run that has ended. */
  private driverWithoutCode({ state, epoch, mail }: SuccessfulClaim, limits: Pick<DriverStart, 'accepts' | 'proof'>): RunDriver {
    const bound = this.remember(state.id, inertProgram());
    const cache = this.cacheFor(state.id, { reads: [], params: {}, fresh: false });
    const driver = new RunDriver(this, { state, epoch, cache, ...bound, place: {}, ...limits });
    this.drivers.set(state.id, driver);
    driver.takeMail(mail);
    return driver;
  }

  /** Verifies the signatures in the log of a run. Throws RUN_DAMAGED if they do not hold. */
  signatureContext(run: Pick<SuccessfulClaim, 'state' | 'definition'>): Promise<Proof> {
    return proveRun(this.store, run, this.parts.signing.keys);
  }

  /** Throws if this engine could not drive the run. Only a cancel needs no code. */
  async assertDrivable(run: StoredRun & { readonly owner: string | undefined }, { acceptedBy, cancel }: DriveOptions = {}): Promise<void> {
    if (cancel === true || run.owner !== undefined || this.drivers.has(run.state.id)) return;
    const workflow = await workflowOf(this, run);
    if (acceptedBy === undefined) checkUnchanged(run, workflow);
  }

  /** Returns the parameters a run was started with. */
  async paramsOf(state: RunState): Promise<JsonObject> {
    if (state.params === undefined) return {};
    const params = (await readValues(this.store, [state.params]))(state.params);
    invariant(isJsonObject(params), 'parameters are an object', state.id);
    return deepFreeze(params);
  }

  /** Returns the driver of a run in this process, if there is one. */
  driverOf(run: string): RunDriver | undefined {
    return this.drivers.get(run);
  }

  /** Returns why driving a run failed, once. */
  takeFailure(run: string): unknown {
    const failure = this.failures.get(run);
    this.failures.delete(run);
    return failure;
  }

  /** Returns why a driver that released its run could not continue. */
  failureOf(driver: RunDriver): unknown {
    return this.failed.get(driver);
  }

  /** Posts mail to a run's inbox. */
  async post(mail: Mail): Promise<'posted' | 'duplicate'> {
    this.assertOpen();
    return this.store.post(mail);
  }

  /** Withdraws mail, unless a driver, here or elsewhere, may have read it. */
  async withdraw(run: string, dedupe: string): ReturnType<Store['withdraw']> {
    while (this.claiming.has(run)) await this.claiming.get(run)?.catch(() => undefined);
    if (this.drivers.has(run)) return 'held';
    const taken = this.store.withdraw({ run, dedupe }, this.me);
    // A claim that starts meanwhile would read the mail just before it is withdrawn.
    this.claiming.set(
      run,
      Promise.allSettled([taken]).then(() => undefined),
    );
    return taken.finally(() => this.claiming.delete(run));
  }

  /** Drives every run that is due, has mail or lost its owner, if its workflow is known here. */
  async recover(): Promise<readonly string[]> {
    this.assertOpen();
    const driven: string[] = [];
    const now = this.clock.now();
    const ready = await this.store.ready(now, READY_MAX);
    let triesAgain = false;
    for (const { run } of ready) {
      try {
        const driver = (await this.knows(run)) ? await this.drive(run) : undefined;
        if (driver instanceof RunDriver) driven.push(run);
      } catch (error) {
        triesAgain ||= isTransient(error);
        this.warn(error);
      }
    }
    const isAll = ready.length < READY_MAX;
    await this.wakeUpTimer.arm(now, triesAgain ? now + SWEEP_AGAIN_MS : isAll ? undefined : now);
    return driven;
  }

  /** Does the same in the background, if this engine drives all runs. */
  recoverSoon(): void {
    this.wakeUpTimer.sweepSoon();
  }

  /** Whether the workflow of a run may be known here. A child's workflow may be known only to its parent's flow. */
  private async knows(run: string): Promise<boolean> {
    const stored = await this.store.load(run);
    const { source } = this.parts;
    if (source.load !== undefined) return (await workflowOf(this, stored)) !== undefined;
    return stored.state.parent !== undefined || source.find(stored.state.workflow) !== undefined;
  }

  /** Calls back after each commit of a run that this engine drives. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Stops the engine: running work ends first (or is cut off with `abort`), nothing new starts, and all runs are released. */
  async close(options: { readonly abort?: boolean } = {}): Promise<void> {
    if (this.closed) return;
    this.draining = true;
    this.wakeUpTimer.stop();
    this.unwatch();
    // A claim under way still creates a driver, which must be closed too, or its run stays owned.
    await this.wakeUpTimer.swept;
    await Promise.allSettled(this.claiming.values());
    const drivers = [...this.drivers.values()];
    if (options.abort === true) await Promise.all(drivers.map((driver) => driver.abandon()));
    else for (const driver of drivers) driver.take();
    await Promise.allSettled(drivers.map((driver) => driver.finished));
    await Promise.all([...this.unreleased.values()].map((release) => release()));
    this.closed = true;
    for (const listener of this.closeListeners) listener();
  }

  /** True if the engine accepts no more requests and its store may be closed. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Calls back when the engine has closed. */
  onClose(listener: () => void): () => void {
    this.closeListeners.add(listener);
    return () => this.closeListeners.delete(listener);
  }

  /** Throws if the engine is closed. An engine that is closing still answers reads. */
  assertReadable(): void {
    if (this.closed) throw closedError();
  }

  private assertOpen(): void {
    if (this.closed || this.draining) throw closedError();
  }

  // The following methods implement `DriverHost`.

  isDraining(): boolean {
    return this.draining;
  }

  workflowOf(name: string): CompiledWorkflow {
    return findWorkflow(this.parts.source, name);
  }

  committed(driver: RunDriver, commit: { readonly events: readonly RunEvent[]; readonly ended: readonly EndedAttempt[] }): void {
    const committed = { ...commit, run: driver.run, state: driver.checkpoint };
    this.parts.observer?.committed(committed);
    for (const listener of this.listeners) listener(committed);
  }

  stopped(driver: RunDriver, { due, error }: { readonly due?: number; readonly error?: unknown }): void {
    if (error !== undefined) {
      this.failures.set(driver.run, error);
      this.failed.set(driver, error);
    }
    if (this.drivers.get(driver.run) === driver) {
      this.drivers.delete(driver.run);
      this.programs.delete(driver.run);
    }
    const { status, parent } = driver.checkpoint;
    this.parts.observer?.released(driver.run, driver.checkpoint);
    // The child's last commit posted mail to its parent, so this engine drives the parent as well.
    if (parent !== undefined && isSettled(status) && !this.draining) this.drive(parent.run).catch((error: unknown) => this.warn(error));
    const again = error !== undefined && isTransient(error) ? this.clock.now() + SWEEP_AGAIN_MS : due;
    if (again !== undefined) this.wakeUpTimer.wakeBy(again);
  }

  mailMissed({ run, onlyCancels }: RunDriver): void {
    if (!this.draining) this.drive(run, { cancel: onlyCancels }).catch((error: unknown) => this.warn(error));
  }

  async postWakeUp({ run, epoch, checkpoint }: RunDriver, { isCutOff }: { readonly isCutOff: boolean }): Promise<void> {
    // A driver that was cut off may have had a commit under way, so its checkpoint may be older than the one on disk.
    if (isCutOff || hasWorkLeft(checkpoint)) await this.postDue(run, `left/${epoch}`);
  }

  async releaseFailed({ run, epoch }: RunDriver): Promise<void> {
    await this.releaseUndriven(run, epoch, async () => {
      // The failed commit may have been written, so the state is read from disk. Work with a wanted time is found by
      // that time.
      const { state } = await this.store.load(run);
      return hasWorkLeft(state) && nextDriveAt(state) === undefined ? state.seq : undefined;
    });
  }

  private async postDue(run: string, dedupe: string): Promise<void> {
    await this.store.post({ run, dedupe, input: { type: 'due', at: this.clock.now() }, values: [] });
  }

  takenOver(run: string): EngineError {
    return new EngineError('RUN_LOCKED', `run ${run} was taken over by another owner; this process stopped its work on it`, {
      details: { run },
    });
  }

  startChild(driver: RunDriver, effect: ChildEffect, request: AttemptRequest): Promise<readonly RunInput[]> {
    const passed = this.programs.get(driver.run)?.child(effect.activation.step);
    return startChild(this, { parent: driver.checkpoint, effect, request, keys: driver.keys, passed });
  }

  readonly undo: DriverHost['undo'] = (driver, request) => runUndo(this, driver, request);
  readonly cancelChild: DriverHost['cancelChild'] = (driver, effect) => cancelChild(this, driver.run, effect);

  /** Reports an error that no caller waits for. Errors of a closing engine are expected and dropped. */
  warn(error: unknown): void {
    if (!this.draining) this.parts.warn(error);
  }

  private wake(run: string): void {
    const driver = this.drivers.get(run);
    if (driver !== undefined) driver.wake().catch((error: unknown) => this.warn(error));
    else this.wakeUpTimer.sweepSoon();
  }
}

function closedError(): EngineError {
  return new EngineError('ENGINE_CLOSED', 'this engine is closed; create a new one with createEngine');
}

const isCancel = (input: RunInput): boolean => input.type === 'control' && input.action.do === 'cancel';
const READY_MAX = 1000;
/** How long to wait before trying again to drive a run that failed. */
const SWEEP_AGAIN_MS = 60_000;
