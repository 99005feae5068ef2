// Owns the disk of one simulated engine: the real store behind simulated faults. The schedule decides when a call
// reaches the store, and when its answer returns, if ever.

import { EngineError } from '../../base/error.ts';
import type { Delta, Mail, Store } from '../../store/store.ts';
import type { Observer } from './observer.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';

/** The probability of each fault. */
export interface Faults {
  /** A write that fails and did not reach the disk. */
  failed: number;
  /** A write that reached the disk but returns an error. */
  unanswered: number;
  /** A read that fails. */
  unread: number;
  /** A delayed response. */
  slow: number;
  lostWakeUps: number;
  repeatedWakeUps: number;
  /** Mail that is sent twice. */
  mailTwice: number;
  /** Per event: an engine dies, is declared dead but still runs, or is closed. */
  crash: number;
  zombie: number;
  close: number;
}

interface DiskParts {
  readonly inner: Store;
  readonly owner: string;
  readonly random: Random;
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly observer: Observer;
  readonly bells: Bells;
}

interface Operation {
  readonly name: string;
  readonly writes: boolean;
  readonly call: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const SLOW_MS_MAX = 400;
const SHARED_TRANSACTION = 0.25;

/** The store as one engine sees it. */
export function createDisk(parts: DiskParts): Store {
  const { inner, owner, observer, bells } = parts;
  const queue = new OperationQueue(parts);
  const read = <T>(name: string, call: () => Promise<T>): Promise<T> => queue.add({ name, writes: false, call });
  const write = <T>(name: string, call: () => Promise<T>): Promise<T> => queue.add({ name, writes: true, call });
  return {
    claim: (run, me) =>
      write(`claim ${run}`, async () => {
        const claimed = await inner.claim(run, me);
        if (claimed.claimed) observer.claimed(run, me, claimed.epoch);
        return claimed;
      }),
    commit: (delta) => write(`commit ${delta.run}@${delta.seq}`, () => commit(parts, delta)),
    release: (run, held, seenMail) =>
      write(`release ${run}`, async () => {
        const result = await inner.release(run, held, seenMail);
        if (result === 'released') observer.released(run, owner);
        return result;
      }),
    post: (mail) => write(`post ${mail.run} ${mail.input.type}`, () => post(parts, mail)),
    withdraw: (mail, me) =>
      write(`withdraw ${mail.run}`, async () => {
        const result = await inner.withdraw(mail, me);
        if (result === 'withdrawn') observer.withdrawn(mail, me);
        return result;
      }),
    inbox: (run, after) => read(`inbox ${run}`, () => inner.inbox(run, after)),
    load: (run) => read(`load ${run}`, () => inner.load(run)),
    values: (digests) => read('values', () => inner.values(digests)),
    data: (run, keys) => read(`data ${run}`, () => inner.data(run, keys)),
    latest: (run, steps) => read(`latest ${run}`, () => inner.latest(run, steps)),
    attempts: (run, group) => read(`attempts ${run}`, () => inner.attempts(run, group)),
    events: (run, after, limit) => read(`events ${run}`, () => inner.events(run, after, limit)),
    list: (query) => read('list', () => inner.list(query)),
    statusCounts: () => read('statusCounts', () => inner.statusCounts()),
    heads: (query) => read('heads', () => inner.heads(query)),
    resolve: (prefix, limit) => read('resolve', () => inner.resolve(prefix, limit)),
    ready: (now, limit) => read('ready', () => inner.ready(now, limit)),
    nextDue: (after) => read('nextDue', () => inner.nextDue(after)),
    watch: (ring) => bells.watch(owner, ring),
    follow: (committed) => bells.follow(owner, committed),
    beginUse: (use) => write(`beginUse ${use.run}`, () => inner.beginUse(use)),
    endUse: (id, used) => write('endUse', () => inner.endUse(id, used)),
    usage: (query) => read('usage', () => inner.usage(query)),
    uses: (run) => read(`uses ${run}`, () => inner.uses(run)),
    usageOver: (span) => read('usageOver', () => inner.usageOver(span)),
    tree: (run) => read(`tree ${run}`, () => inner.tree(run)),
    slots: (limit) => read('slots', () => inner.slots(limit)),
    closeAccount: (closed) => write(`closeAccount ${closed.account}`, () => inner.closeAccount(closed)),
    closedAccounts: (now) => read('closedAccounts', () => inner.closedAccounts(now)),
    openAccounts: () => write('openAccounts', () => inner.openAccounts()),
    origin: () => inner.origin(),
    bind: (origin) => inner.bind(origin),
    backup: (file, run) => inner.backup(file, run),
    check: () => inner.check(),
    prune: (request) => inner.prune(request),
    close: () => Promise.resolve(),
  };
}

async function commit({ inner, owner, observer }: DiskParts, delta: Delta) {
  const result = await inner.commit(delta);
  if (result.result === 'committed') observer.committed(owner, delta, result.released);
  return result;
}

async function post({ inner, observer, random, faults }: DiskParts, mail: Mail) {
  const result = await inner.post(mail);
  observer.posted(mail, result);
  if (random.chance(faults.mailTwice)) observer.posted(mail, await inner.post(mail));
  return result;
}

/** The calls of one engine that have not reached the store yet. */
class OperationQueue {
  private readonly parts: DiskParts;
  private readonly waiting: Operation[] = [];

  constructor(parts: DiskParts) {
    this.parts = parts;
  }

  add<T>({ name, writes, call }: { name: string; writes: boolean; call: () => Promise<T> }): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ name, writes, call, resolve: resolve as (value: unknown) => void, reject });
      this.parts.schedule.soon(this.parts.owner, `${this.parts.owner} ${name}`, () => this.flush());
    });
  }

  // Sometimes several calls reach the store in one turn, where they share a transaction.
  private async flush(): Promise<void> {
    const { random } = this.parts;
    const count = random.chance(SHARED_TRANSACTION) ? random.int(1, this.waiting.length) : 1;
    const batch: Operation[] = [];
    while (batch.length < count && this.waiting.length > 0) batch.push(...this.waiting.splice(random.int(0, this.waiting.length - 1), 1));
    const faults = batch.map((operation) => this.faultFor(operation));
    await Promise.all(batch.map((operation, index) => this.perform(operation, faults[index])));
  }

  private faultFor({ writes }: Operation): 'failed' | 'unanswered' | undefined {
    const { random, faults } = this.parts;
    if (!writes) return random.chance(faults.unread) ? 'failed' : undefined;
    if (random.chance(faults.failed)) return 'failed';
    return random.chance(faults.unanswered) ? 'unanswered' : undefined;
  }

  private async perform(operation: Operation, fault: 'failed' | 'unanswered' | undefined): Promise<void> {
    const { name, call, resolve, reject } = operation;
    if (fault !== undefined) this.parts.observer.count(fault);
    if (fault === 'failed') return this.answer(`${name} failed`, () => reject(brokenDisk(name)));
    const settle = await call().then(
      (value) => () => resolve(value),
      (error: unknown) => () => reject(error),
    );
    this.answer(
      fault === undefined ? `${name} answered` : `${name} unanswered`,
      fault === undefined ? settle : () => reject(brokenDisk(name)),
    );
  }

  private answer(what: string, happen: () => void): void {
    const { random, schedule, owner, faults } = this.parts;
    if (random.chance(faults.slow)) schedule.after(owner, random.int(1, SLOW_MS_MAX), { what: `${owner} ${what}`, happen });
    else schedule.soon(owner, `${owner} ${what}`, happen);
  }
}

function brokenDisk(name: string): EngineError {
  return new EngineError('STORE_UNAVAILABLE', `the simulated disk gave no answer to: ${name}`);
}

/** The bells between all stores of a simulation: delivered late, twice, or not at all. */
export class Bells {
  private readonly rings = new Map<string, (run: string) => void>();
  private readonly followers = new Map<string, Set<() => void>>();
  private lost: { readonly owner: string; readonly run: string }[] = [];
  private readonly parts: Pick<DiskParts, 'random' | 'schedule' | 'faults' | 'observer'>;

  constructor(parts: Pick<DiskParts, 'random' | 'schedule' | 'faults' | 'observer'>) {
    this.parts = parts;
  }

  /** Passes the bells of a store on to every engine. */
  connect(store: Store): void {
    store.watch((run) => this.ring(run));
    store.follow(() => this.tell());
  }

  watch(owner: string, ring: (run: string) => void): () => void {
    this.rings.set(owner, ring);
    return () => this.rings.delete(owner);
  }

  follow(owner: string, committed: () => void): () => void {
    const own = this.followers.get(owner) ?? new Set();
    this.followers.set(owner, own.add(committed));
    return () => own.delete(committed);
  }

  /** Repeats the lost bells of runs that an engine drives itself; a sweep finds the other runs. */
  repeat(drives: (owner: string, run: string) => boolean): void {
    const { lost } = this;
    this.lost = [];
    for (const { owner, run } of lost) if (drives(owner, run)) this.deliver(owner, run);
  }

  private ring(run: string): void {
    const { random, faults, observer } = this.parts;
    for (const owner of this.rings.keys()) {
      if (random.chance(faults.lostWakeUps)) {
        observer.count('lostWakeUps');
        this.lost.push({ owner, run });
        continue;
      }
      this.deliver(owner, run);
      if (random.chance(faults.repeatedWakeUps)) this.deliver(owner, run);
    }
  }

  private deliver(owner: string, run: string): void {
    this.parts.schedule.soon(owner, `${owner} bell ${run}`, () => this.rings.get(owner)?.(run));
  }

  private tell(): void {
    for (const [owner, own] of this.followers) {
      for (const committed of own) this.parts.schedule.soon(owner, `${owner} told`, () => (own.has(committed) ? committed() : undefined));
    }
  }
}
