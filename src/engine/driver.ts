// Drives one run for its owner. The loop: read an input, decide with the kernel, commit, act. An effect is
// carried out only after the decision that asked for it is on disk, and its result is the next input.
//
// E3. Inputs that arrive while a commit is under way are decided together and committed once.
// E4. After a commit that failed or was stale the driver decides nothing more: it stops and discards its work and
// releases the run, so that the run can be claimed again, here or elsewhere.
// E5. A run that only waits is not kept in memory: the driver releases it.

import type { JsonObject } from '../base/json.ts';
import { type Path, slotsOf } from '../kernel/activation.ts';
import { draftOf } from '../kernel/apply.ts';
import { decide } from '../kernel/decide.ts';
import { type Effect, outstanding } from '../kernel/effect.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunInput } from '../kernel/input.ts';
import type { Program } from '../kernel/program.ts';
import { blocksNewSteps, type RunState } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';
import type { CommitResult, ReceivedMail, SlotClaim } from '../store/store.ts';
import { createDelta, touchedPaths } from './delta.ts';
import type { DriverHost, DriverStart } from './host.ts';
import { SlotQueue } from './limits/slot-queue.ts';
import { groupsFor, outsidePartsOf, refsFor } from './needs.ts';
import { MailGuard, type QueuedInput } from './request/mail-guard.ts';
import type { RunCache } from './run-cache.ts';
import { dueOf, hasRoom, isWorking } from './status.ts';
import { RunWork } from './work.ts';

/** Drives one run until it ends or only waits. */
export class RunDriver {
  readonly run: string;
  private readonly host: DriverHost;
  private readonly program: Program;
  private readonly cache: RunCache;
  /** The number of this ownership of the run. */
  readonly epoch: number;
  private readonly guard: MailGuard;
  /** The keys whose signatures count, also for the runs it starts. */
  readonly keys: readonly string[] | undefined;
  private readonly accepts: DriverStart['accepts'];
  private state: RunState;
  private creation: DriverStart['creation'];
  /** The parts of the forge that decisions of this run read. */
  private readonly outsideParts: readonly (string | undefined)[];
  private queue: QueuedInput[] = [];
  private readonly work: RunWork;
  private readonly waitingForSlots = new SlotQueue();
  private writing: Promise<CommitResult> | undefined;
  private readonly afterTurns: (() => void)[] = [];
  /** Once `over`, it stays so: the run has been released, or is about to be. */
  private phase: 'idle' | 'turning' | 'over' = 'idle';
  private lastMailId = 0;
  /** How often the store signalled a change. */
  private wakes = 0;
  private timer: { readonly due: number; readonly cancel: () => void } | undefined;
  private readonly end = Promise.withResolvers<void>();
  private readonly firstCommit = Promise.withResolvers<void>();
  /** Settles when the run has been released: it ended, it only waits, or driving it failed. */
  readonly finished: Promise<void> = this.end.promise;
  /** Settles when the run exists in the store. */
  readonly created: Promise<void> = Promise.race([this.firstCommit.promise, this.finished]);

  constructor(host: DriverHost, start: DriverStart) {
    this.host = host;
    this.run = start.state.id;
    this.state = start.state;
    this.epoch = start.epoch;
    this.program = start.program;
    this.cache = start.cache;
    this.accepts = start.accepts;
    this.guard = new MailGuard(host, start.proof);
    this.keys = start.proof.keys;
    this.creation = start.creation;
    this.outsideParts = outsidePartsOf(start.program);
    const ended = (inputs: readonly RunInput[]): void => this.workEnded(inputs);
    const failed = (error: unknown): void => void this.abandon(error).catch(() => undefined);
    this.work = new RunWork({ host, driver: this, start, ended, failed });
    this.finished.catch(() => undefined);
    this.created.catch(() => undefined);
  }

  /** True if this driver can only cancel the run. */
  get onlyCancels(): boolean {
    return this.accepts !== undefined;
  }

  private get over(): boolean {
    return this.phase === 'over';
  }

  /** The last committed checkpoint. */
  get checkpoint(): RunState {
    return this.state;
  }

  /** Settles when every input so far is decided and on disk, or the run has been released. */
  async caughtUp(): Promise<void> {
    while (this.phase === 'turning') await Promise.race([this.finished, new Promise<void>((resolve) => this.afterTurns.push(resolve))]);
    if (this.over) await this.finished;
  }

  /** Queues inputs from this host. */
  take(...inputs: readonly RunInput[]): void {
    for (const input of inputs) this.queue.push({ input });
    this.turnSoon();
  }

  /** Queues mail from the inbox. Mail that is read after the run was released is for its next driver. */
  takeMail(mail: readonly ReceivedMail[]): void {
    if (this.over) {
      if (mail.length > 0) this.host.mailMissed(this);
      return;
    }
    for (const { id, input } of mail) {
      if (id <= this.lastMailId) continue;
      this.lastMailId = id;
      if (this.accepts?.(input) ?? true) this.queue.push({ input, mail: id });
    }
    this.turnSoon();
  }

  /** Checks the inbox, and queued steps for free slots, after the store signalled a change. */
  async wake(): Promise<void> {
    if (this.over) return;
    this.wakes += 1;
    this.trySlots(this.waitingForSlots.next());
    this.takeMail(await this.host.store.inbox(this.run, this.lastMailId));
  }

  private trySlots(paths: readonly Path[]): void {
    for (const path of paths) this.take({ type: 'slot', at: this.host.clock.now(), path });
  }

  /** Starts driving a claimed run: everything that should be under way is started again. */
  begin(): void {
    const now = this.host.clock.now();
    const states = Object.values(this.state.live).map(({ state }) => state);
    const opens = Object.values(this.state.groups).some(hasRoom);
    if (opens || states.includes('running') || states.includes('queued')) this.take({ type: 'recovered', at: now });
    for (const effect of outstanding(this.state)) if (effect.activation.state !== 'running') this.startWork(effect);
    if ((dueOf(this.state) ?? Number.POSITIVE_INFINITY) <= now) this.take({ type: 'due', at: now });
    this.setTimer();
    this.turnSoon();
  }

  /** Stops and discards all work of this run immediately. Work without a recorded end becomes unknown. */
  async abandon(error?: unknown): Promise<void> {
    if (this.over) return;
    this.phase = 'over';
    this.timer?.cancel();
    // After a failure the commit under way may still be written: the release reads from disk whether work is left.
    await Promise.allSettled([this.work.stop(), error === undefined ? undefined : this.writing]);
    // Nothing failed when the engine aborts, so a wake-up can be posted without reading the run.
    if (error === undefined) await this.releaseWithWakeUp({ isCutOff: true }).catch(() => undefined);
    else await this.host.releaseFailed(this);
    // If the run was never created, only the caller of `start` gets the error.
    this.host.stopped(this, error === undefined || this.creation !== undefined ? {} : { error });
    if (error === undefined) this.end.resolve();
    else this.end.reject(error);
  }

  private turnSoon(): void {
    if (this.phase !== 'idle') return;
    this.phase = 'turning';
    queueMicrotask(() => {
      this.turns().catch((error: unknown) => this.abandon(error));
    });
  }

  private async turns(): Promise<void> {
    do {
      if (this.queue.length > 0) await this.turn(this.nextBatch());
      else if (this.creation === undefined && this.isIdle()) await this.releaseIdle();
    } while (!this.over && this.queue.length > 0);
    if (!this.over) this.phase = 'idle';
    for (const resolve of this.afterTurns.splice(0)) resolve();
    if (this.phase === 'idle' && this.isIdle()) this.turnSoon();
  }

  private async turn(batch: QueuedInput[]): Promise<void> {
    const slot = batch[0]?.input.type === 'slot' ? batch[0].input.path : undefined;
    const keys = slot === undefined ? undefined : slotsOf(this.state.live[slot]);
    const { wakes } = this;
    const isFull = (await this.decideBatch(batch)) === 'full';
    if (slot === undefined || this.over) return;
    // A step that found its semaphore full waits in the queue. After a step that did not, the next may find room, too.
    if (isFull) this.waitingForSlots.add(slot, keys ?? []);
    // If the store signalled a change before this answer came, a slot may have become free in between.
    if (isFull && wakes !== this.wakes) this.trySlots(this.waitingForSlots.next());
    else if (!isFull) this.trySlots(this.waitingForSlots.next({ path: slot, keys }));
  }

  private async decideBatch(batch: QueuedInput[]): Promise<'full' | undefined> {
    if (this.outsideParts.length > 0) await this.readExternalFacts(batch);
    if (this.over) return;
    if (this.state.signed === true) await this.guard.checkChildReports(this.run, batch);
    if (this.over) return;
    const refs = refsFor(this.state, batch);
    const groups = groupsFor(this.state, batch);
    if (!this.cache.has(refs, groups)) await this.cache.load(refs, groups);
    const draft = draftOf(this.state);
    const events: RunEvent[] = [];
    const ended: EndedAttempt[] = [];
    if (this.creation !== undefined) events.push(this.creation.event);
    for (const queued of batch) {
      const decision = decide({ program: this.program, view: this.cache }, draft, this.guard.accept(draft, queued));
      this.cache.applyEvents(decision.events, decision.ended);
      events.push(...decision.events);
      ended.push(...decision.ended);
    }
    if (events.length === 0 && batch.every(({ mail }) => mail === undefined)) return;
    draft.seq += 1;
    return this.commit({ batch, events, ended, after: draft });
  }

  /** Adds an input with the facts outside that decisions read in front of the batch, if they have changed. */
  private async readExternalFacts(batch: QueuedInput[]): Promise<void> {
    const { outside } = this.host;
    if (!this.cache.has([], [])) await this.cache.load([], []);
    const known = Object.fromEntries([...outside.dependsOn, outside.key].map((key) => [key, this.cache.data(key)]));
    const start = batch.find(({ input }) => input.type === 'start')?.input;
    const startFacts = start?.type === 'start' && start.facts !== undefined ? (this.cache.value(start.facts) as JsonObject) : {};
    const seen = await outside.read(this.outsideParts, { ...known, ...startFacts });
    const before = known[outside.key];
    // Both have the same order of keys: the reader writes them in one order, and the store keeps it.
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(seen)) return;
    const facts = this.cache.keep({ [outside.key]: seen });
    batch.unshift({ input: { type: 'facts', at: this.host.clock.now(), facts } });
  }

  /** Returns the inputs that are decided together. A slot is taken separately, so that a full semaphore delays no other input. */
  private nextBatch(): QueuedInput[] {
    const first = this.queue[0] as QueuedInput;
    if (first.input.type === 'slot') return this.queue.splice(0, 1);
    const slot = this.queue.findIndex(({ input }) => input.type === 'slot');
    return this.queue.splice(0, slot === -1 ? this.queue.length : slot);
  }

  private async commit(turn: {
    batch: readonly QueuedInput[];
    events: readonly RunEvent[];
    ended: readonly EndedAttempt[];
    after: RunState;
  }): Promise<'full' | undefined> {
    const { batch, events, ended, after } = turn;
    const before = this.state;
    const touched = touchedPaths(events);
    const delta = createDelta({
      before,
      after,
      epoch: this.epoch,
      at: this.host.clock.now(),
      events,
      ended,
      touched,
      consumed: batch.flatMap(({ mail }) => mail ?? []),
      take: batch.flatMap(({ input }) => this.slotClaim(input)),
      cache: this.cache,
      evidenceOf: (path, attempt) => this.work.evidenceOf(path, attempt),
      release: this.queue.length === 0 && !this.host.isDraining() && this.work.endsWith(after, touched),
      create: this.creation?.create,
      supplied: this.creation?.supplied,
    });
    this.writing = this.host.store.commit(delta);
    const result = await this.writing;
    if (this.over) return;
    if (result.result === 'full') {
      // Nothing of the delta was written: the results of other work in it go into the next one.
      this.cache.putBack(delta);
      return 'full';
    }
    if (result.result === 'stale') return this.abandon(this.host.takenOver(this.run)).then(() => undefined);
    this.work.forget(ended);
    this.state = after;
    if (this.creation !== undefined) this.firstCommit.resolve();
    this.creation = undefined;
    this.cache.forget(after);
    this.host.committed(this, { events, ended });
    // A change of the whole run (a pause that ends, a cleared halt, a cancel) concerns every path. For paths that are
    // working, the work is under way or its result is queued.
    const changesAll = events.some(({ type }) => type === 'run.changed');
    await this.act({ touched, changesAll }, result);
  }

  private slotClaim(input: RunInput): readonly SlotClaim[] {
    if (input.type !== 'slot') return [];
    const slots = slotsOf(this.state.live[input.path]) ?? [];
    return [{ path: input.path, keys: slots.map((key) => ({ key, limit: this.cache.limitOf(key) })) }];
  }

  private async act(
    { touched, changesAll }: { readonly touched: ReadonlySet<Path>; readonly changesAll: boolean },
    result: Extract<CommitResult, { result: 'committed' }>,
  ): Promise<void> {
    if (blocksNewSteps(this.state)) this.waitingForSlots.clear();
    for (const path of touched) this.work.drop(path);
    // Nothing else of the run starts before the work that was dropped has ended.
    const dropped = this.work.dropped();
    if (dropped !== undefined) await dropped;
    if (this.over) return;
    if (result.released) return this.leave();
    for (const effect of outstanding(this.state, touched)) this.startWork(effect);
    if (changesAll) for (const effect of outstanding(this.state)) if (!isWorking(effect.activation)) this.startWork(effect);
    this.setTimer();
  }

  /** Starts the work for an effect, unless it is already under way. */
  private startWork(effect: Effect): void {
    if (effect.do !== 'take-slots') return this.work.start(effect);
    const { path } = effect.activation;
    if (this.work.has(path) || this.waitingForSlots.has(path) || this.host.isDraining()) return;
    this.take({ type: 'slot', at: this.host.clock.now(), path });
  }

  private workEnded(inputs: readonly RunInput[]): void {
    if (this.over) return;
    // The result of a stopped attempt is queued all the same: the kernel logs it as late.
    if (inputs.length > 0) this.take(...inputs);
    else this.turnSoon();
  }

  private setTimer(): void {
    const due = dueOf(this.state);
    if (due === this.timer?.due) return;
    this.timer?.cancel();
    this.timer = due === undefined ? undefined : { due, cancel: this.host.clock.at(due, () => this.timerFired()) };
  }

  private timerFired(): void {
    this.timer = undefined;
    this.take({ type: 'due', at: this.host.clock.now() });
  }

  private isIdle(): boolean {
    const waitsForSlots = this.waitingForSlots.size > 0 && !this.host.isDraining();
    return this.work.size === 0 && this.queue.length === 0 && !waitsForSlots;
  }

  /** Releases the run, unless new mail has arrived. */
  private async releaseIdle(): Promise<void> {
    const result = this.host.isDraining() ? await this.releaseWithWakeUp({ isCutOff: false }) : await this.release(this.lastMailId);
    if (this.over) return;
    if (result === 'mail') this.takeMail(await this.host.store.inbox(this.run, this.lastMailId));
    else this.leave();
  }

  /** Releases the run for its next owner. The wake-up is posted first: without it, nothing might pick up the remaining work. */
  private async releaseWithWakeUp(end: { readonly isCutOff: boolean }): ReturnType<DriverHost['store']['release']> {
    await this.host.postWakeUp(this, end);
    return this.release(Number.MAX_SAFE_INTEGER);
  }

  /** Names the owner, because a rival that starts the same run at the same time has the same first epoch. */
  private release(lastMailId: number): ReturnType<DriverHost['store']['release']> {
    return this.host.store.release(this.run, { owner: this.host.me, epoch: this.epoch }, lastMailId);
  }

  private leave(): void {
    this.phase = 'over';
    this.timer?.cancel();
    const due = dueOf(this.state);
    this.host.stopped(this, due === undefined ? {} : { due });
    // Mail that arrived during the release was read here and needs another driver.
    if (this.queue.some(({ mail }) => mail !== undefined)) this.host.mailMissed(this);
    this.end.resolve();
  }
}
