// Owns the engines of a simulation: real ones, each with its own store object over one database, as separate
// processes would be. They are started, killed without warning, closed, or declared dead while they still run.

import { KeyList } from '../../authority/enrolment.ts';
import { isEngineError, messageOf } from '../../base/error.ts';
import { reservedName } from '../../base/reserved-name.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { EngineCore } from '../../engine/engine.ts';
import type { DefinitionSource } from '../../engine/host.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { Store } from '../../store/store.ts';
import { Bells, createDisk, type Faults } from './disk.ts';
import type { Observer } from './observer.ts';
import type { Random } from './random.ts';
import { NOBODY, type Schedule } from './schedule.ts';
import { createWork } from './work.ts';
import { SHARED_SLOT } from './workflow.ts';

/** One engine of a simulation. */
export interface SimulatedEngine {
  readonly me: string;
  readonly core: EngineCore;
  /** Declared dead although it still runs. */
  isZombie: boolean;
  closing: boolean;
}

interface EnginesParts {
  readonly random: Random;
  readonly schedule: Schedule;
  readonly observer: Observer;
  readonly faults: Faults;
  readonly workflow: CompiledWorkflow;
  readonly successRate: number;
  readonly slotLimit: number;
  readonly skewMsMax: number;
  /** Opens a separate store object over the database. */
  readonly openStore: (isDead: (owner: string) => boolean) => Store;
}

// Errors that requests and sweeps may get when disks fail or another process is faster.
const EXPECTED: ReadonlySet<string> = new Set([
  'STORE_UNAVAILABLE',
  'RUN_FINAL',
  'RUN_LOCKED',
  'RUN_EXISTS',
  'RUN_NOT_FOUND',
  'ALREADY_DECIDED',
  'WAIT_NOT_FOUND',
  'CONTENT_CHANGED',
  'RESUME_REFUSED',
  'ENGINE_CLOSED',
]);
const REPLACE_MS_MAX = 200;

/** The running engines. */
export class Engines {
  readonly bells: Bells;
  private readonly parts: EnginesParts;
  private readonly dead = new Set<string>();
  private readonly up = new Map<string, SimulatedEngine>();
  private started = 0;
  private results = 0;

  constructor(parts: EnginesParts) {
    this.parts = parts;
    this.bells = new Bells(parts);
    parts.observer.isDead = (owner) => this.dead.has(owner);
  }

  /** Engines that were not declared dead. */
  get live(): readonly SimulatedEngine[] {
    return [...this.up.values()].filter(({ isZombie, closing }) => !isZombie && !closing);
  }

  /** Starts an engine, which searches for work immediately. */
  start(): SimulatedEngine {
    const { random, schedule, workflow, openStore, slotLimit, skewMsMax, successRate, observer } = this.parts;
    this.started += 1;
    const me = `e${this.started}`;
    const inner = openStore((owner) => this.dead.has(owner));
    this.bells.connect(inner);
    const core = new EngineCore({
      store: createDisk({ ...this.parts, inner, owner: me, bells: this.bells }),
      clock: schedule.clockOf(me, random.int(-skewMsMax, skewMsMax)),
      source: sourceOf(workflow),
      runAttempt: createWork({ owner: me, random, schedule, observer, successRate, number: () => ++this.results }),
      facts: REGISTRY,
      outside: { key: reservedName('outside'), dependsOn: [], read: () => Promise.resolve({}) },
      signing: { all: false, keys: () => KeyList.none },
      mayDecide: (_from, actor) => actor,
      tokenKey: () => 'simulation',
      mask: (value) => value,
      childInput: () => Promise.resolve({}),
      me,
      limits: { limits: { keys: { [SHARED_SLOT]: slotLimit } }, repository: 'simulation', credentialOf: () => undefined },
      sweep: () => Promise.resolve(),
      drives: 'all',
      depthMax: 4,
      runsMax: 10_000,
      warn: (error) => this.checkError(me, error),
    });
    const engine = { me, core, isZombie: false, closing: false };
    this.up.set(me, engine);
    schedule.soon(me, `${me} sweeps`, () => this.sweep(engine));
    return engine;
  }

  /** Makes an engine search for runs that are due, have mail or lost their owner. */
  sweep({ me, core }: SimulatedEngine): void {
    core.recover().catch((error: unknown) => this.checkError(me, error));
  }

  /** Reports an error unless the simulated faults explain it. */
  checkError(who: string, error: unknown): void {
    if (isEngineError(error) && EXPECTED.has(error.code)) return;
    const trace = error instanceof Error && !isEngineError(error) ? `\n${error.stack ?? ''}` : '';
    this.parts.observer.problem(`${who} met an error that should not be: ${messageOf(error)}${trace}`);
  }

  /** The engine that drives a run, or that would drive it on request. */
  ownerOf(run: string): SimulatedEngine | undefined {
    const owner = this.parts.observer.runs.get(run)?.owner;
    return owner === undefined ? undefined : this.up.get(owner);
  }

  /** Reports the errors of drivers that no request received. */
  checkFailures(): void {
    for (const { me, core } of this.up.values())
      for (const run of this.parts.observer.runs.keys()) {
        const failure = core.takeFailure(run);
        if (failure !== undefined) this.checkError(me, failure);
      }
  }

  /** Applies a fault to one of the engines, if the seed says so. */
  disturb(): void {
    const { random, faults, observer } = this.parts;
    if (this.live.length === 0) return;
    if (random.chance(faults.crash)) {
      observer.count('crashes');
      this.kill(random.pick(this.live));
    } else if (random.chance(faults.zombie)) {
      observer.count('zombies');
      this.makeZombie(random.pick(this.live));
    } else if (random.chance(faults.close)) {
      observer.count('closed');
      this.close(random.pick(this.live));
    }
  }

  /** Ends an engine without warning; its work in progress is lost. */
  kill(engine: SimulatedEngine): void {
    this.remove(engine);
    this.startReplacement();
  }

  private remove({ me }: SimulatedEngine): void {
    this.parts.schedule.drop(me);
    this.dead.add(me);
    this.up.delete(me);
  }

  // One at a time: several that stay declared dead would take a run from each other forever. A real engine
  // that still runs renews its heartbeat, and counts as alive again.
  private makeZombie(engine: SimulatedEngine): void {
    if ([...this.up.values()].some(({ isZombie }) => isZombie)) return;
    engine.isZombie = true;
    this.dead.add(engine.me);
    this.startReplacement();
  }

  private close(engine: SimulatedEngine): void {
    engine.closing = true;
    this.startReplacement();
    engine.core.close({ abort: this.parts.random.chance(0.5) }).then(
      () => this.remove(engine),
      (error: unknown) => this.checkError(engine.me, error),
    );
  }

  /** Ends engines that were declared dead, and those that hang while closing. */
  endLeftovers(): boolean {
    const over = [...this.up.values()].filter(({ isZombie, closing }) => isZombie || closing);
    for (const engine of over) this.remove(engine);
    return over.length > 0;
  }

  private startReplacement(): void {
    const { random, schedule } = this.parts;
    schedule.after(NOBODY, random.int(0, REPLACE_MS_MAX), { name: 'an engine starts', happen: () => void this.start() });
  }
}

function sourceOf(workflow: CompiledWorkflow): DefinitionSource {
  const known = new Map([[workflow.definition.name, workflow], ...workflow.children]);
  return { find: (name) => known.get(name), names: () => [...known.keys()] };
}
