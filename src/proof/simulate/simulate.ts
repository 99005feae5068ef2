// Owns the simulation: one seed generates a workflow, faults, and the order of all events; the real engine and the real
// store must follow the rules. A failing seed is a repeatable test.

import { hash } from 'node:crypto';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { isFinal } from '../../definition/run-status.ts';
import { waitOf } from '../../kernel/activation.ts';
import { openConnection } from '../../store/sqlite/connection.ts';
import { migrate } from '../../store/sqlite/migrate.ts';
import { createStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { createVirtualClock } from '../virtual-clock.ts';
import type { Faults } from './disk.ts';
import { Engines } from './engines.ts';
import { type ObservedRun, Observer, type SimulationCount } from './observer.ts';
import { People } from './people.ts';
import { Random } from './random.ts';
import { Schedule } from './schedule.ts';
import { findViolations } from './verdict.ts';
import { createWideWorkflow } from './wide.ts';
import { createWorkflow, SHARED_SLOT } from './workflow.ts';

/** Options of a simulation. */
export interface SimulationOptions {
  /** Simulates a fan-out of up to 500 members instead of a small workflow. */
  readonly wide?: boolean;
  /** Puts a known fault between the engines and their store, to see that the simulation finds it. */
  readonly breakStore?: (store: Store) => Store;
}

/** The result of simulating a seed. */
export interface SimulationReport {
  readonly seed: number;
  readonly steps: number;
  readonly simulatedMs: number;
  readonly runs: number;
  readonly counts: Readonly<Partial<Record<SimulationCount, number>>>;
  /** How the runs ended. */
  readonly ends: readonly string[];
  /** The digest of all events in order: the same for the same seed. */
  readonly digest: string;
  readonly trace: readonly string[];
}

/** A seed that broke a rule. */
export class SimulationFailed extends Error {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly trace: readonly string[];

  constructor(seed: number, problems: readonly string[], { trace, wide }: { readonly trace: readonly string[]; readonly wide: boolean }) {
    const list = problems.map((problem) => `  ${problem}`).join('\n');
    super(
      `the simulation of seed ${seed} failed after ${trace.length} events:\n${list}\nreplay: npm run simulate -- --seed ${seed}${wide ? ' --wide' : ''}`,
    );
    this.name = 'SimulationFailed';
    this.seed = seed;
    this.problems = problems;
    this.trace = trace;
  }
}

const STEPS_MAX = 100_000;
const SHOWN_MAX = 20;
const CALM = {
  failed: 0,
  unanswered: 0,
  unread: 0,
  slow: 0,
  lostWakeUps: 0,
  repeatedWakeUps: 0,
  mailTwice: 0,
  crash: 0,
  zombie: 0,
  close: 0,
};

/** Simulates one seed; throws SimulationFailed when a rule is broken. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationReport> {
  const world = await openWorld(seed, options);
  const unhandled = (error: unknown): void => world.unhandled(error);
  process.on('unhandledRejection', unhandled);
  try {
    await world.run();
    return world.report();
  } finally {
    process.off('unhandledRejection', unhandled);
    world.parts.close();
  }
}

async function openWorld(seed: number, options: SimulationOptions): Promise<World> {
  const connection = await openConnection({ file: ':memory:', synchronous: 'NORMAL', walAutocheckpoint: 1000, busyMs: 0 });
  const clock = createVirtualClock();
  await migrate(connection, clock.now);
  const openStore = (isDead: (owner: string) => boolean): Store => {
    const store = createStore(connection, { isDead, now: clock.now });
    return options.breakStore?.(store) ?? store;
  };
  const slotsLeft = (): number => Number(connection.sql('SELECT count(*) AS n FROM slots').get()?.n);
  return new World({ seed, wide: options.wide === true, clock, openStore, slotsLeft, close: () => connection.db.close() });
}

interface WorldParts {
  readonly seed: number;
  readonly wide: boolean;
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly openStore: (isDead: (owner: string) => boolean) => Store;
  /** How many semaphores are held. */
  readonly slotsLeft: () => number;
  readonly close: () => void;
}

class World {
  readonly parts: WorldParts;
  private readonly random: Random;
  private readonly schedule: Schedule;
  private readonly observer: Observer;
  private readonly faults: Faults;
  private readonly engines: Engines;
  private readonly people: People;
  private readonly store: Store;
  private readonly began: number;
  private steps = 0;
  private randomActs: number;

  constructor(parts: WorldParts) {
    const { seed, wide, clock, openStore } = parts;
    this.parts = parts;
    this.began = clock.now();
    this.random = new Random(seed);
    const { random } = this;
    this.schedule = new Schedule(clock, random);
    const slotLimit = random.int(1, 2);
    this.observer = new Observer({ [`key:${SHARED_SLOT}`]: slotLimit });
    this.faults = drawFaults(random, wide);
    this.randomActs = random.chance(0.3) ? 0 : random.next() * 0.15;
    this.schedule.timeChance = random.chance(0.5) ? 0 : 0.05;
    const workflow: CompiledWorkflow = wide ? createWideWorkflow(random) : createWorkflow(random);
    const { schedule, observer, faults } = this;
    const successRate = random.pick([0.5, 0.8, 1]);
    const skewMsMax = random.chance(0.3) ? 50 : 0;
    this.engines = new Engines({ random, schedule, observer, faults, workflow, successRate, slotLimit, skewMsMax, openStore });
    const wanted = Array.from({ length: wide ? 1 : random.pick([1, 1, 2, 3]) }, (_, index) => `run${index}`);
    this.people = new People({ random, observer, engines: this.engines, workflow, wanted });
    this.store = openStore(() => false);
  }

  async run(): Promise<void> {
    for (let engines = this.random.int(1, 2); engines > 0; engines -= 1) this.engines.start();
    for (let left = this.parts.wide ? this.random.int(200, 2000) : this.random.int(100, 400); left > 0; left -= 1) {
      const went = await this.step();
      this.engines.disturb();
      if (!went || this.random.chance(this.randomActs)) this.people.actAtRandom();
    }
    await this.calmDown();
    this.check(await findViolations(this.store, this.observer));
    const held = this.parts.slotsLeft();
    if (held > 0) this.check([`J7: ${held} semaphores are held, but nothing is at work`]);
  }

  /** Ends all faults: from now on every run must end. */
  private async calmDown(): Promise<void> {
    Object.assign(this.faults, CALM);
    this.schedule.timeChance = 0;
    this.people.onlyHelps = true;
    for (;;) {
      await this.settle();
      if (this.engines.endLeftovers()) continue;
      if (this.engines.live.length === 0) this.engines.start();
      else if (this.people.startWanted()) continue;
      else if (await this.moves(() => this.sweep())) continue;
      else if (this.unfinished().length === 0) return;
      else if (!(await this.moves(() => this.help()))) this.check(this.unfinished().map((run) => this.stuck(run)));
    }
  }

  private async step(): Promise<boolean> {
    this.steps += 1;
    const went = await this.schedule.step();
    this.engines.checkFailures();
    this.check(this.observer.problems);
    if (this.steps > STEPS_MAX) this.check([`it does not come to an end: ${this.unfinished().map((run) => this.stuck(run))}`]);
    return went;
  }

  private async settle(): Promise<void> {
    while (await this.step());
  }

  /** Whether something new reached the disk, or a run was released that its owner did not know of. */
  private async moves(push: () => void): Promise<boolean> {
    const before = this.standing();
    push();
    await this.settle();
    return this.standing() !== before;
  }

  private standing(): string {
    const owners = this.unfinished().map(({ id, owner }) => `${id} ${owner ?? ''}`);
    return [this.observer.counts.get('commits'), ...owners].join('\n');
  }

  private sweep(): void {
    this.engines.bells.repeat((owner, run) => this.engines.live.some(({ me, core }) => me === owner && core.driverOf(run) !== undefined));
    for (const engine of this.engines.live) this.engines.sweep(engine);
  }

  private unfinished(): ObservedRun[] {
    return [...this.observer.runs.values()].filter(
      ({ state }) => !isFinal(state.status) && !(state.status === 'failed' && state.parent !== undefined),
    );
  }

  private help(): void {
    for (const run of this.unfinished()) {
      const owner = this.engines.ownerOf(run.id);
      if (owner !== undefined && owner.core.driverOf(run.id) === undefined) this.people.driveOn(run, owner);
      else this.people.help(run);
    }
  }

  private stuck({ id, state, owner }: ObservedRun): string {
    const live = Object.values(state.live).map(
      (activation) => `${activation.path} ${activation.state} for ${waitOf(activation)?.kind ?? 'nothing'}`,
    );
    return `run ${id} is stuck: ${state.status}, owned by ${owner ?? 'nobody'}, at ${live.slice(0, SHOWN_MAX).join(', ') || 'nothing'}`;
  }

  private check(problems: readonly string[]): void {
    const { seed, wide } = this.parts;
    if (problems.length > 0) throw new SimulationFailed(seed, problems, { trace: this.schedule.trace, wide });
  }

  /** A rejected promise without a handler: an error that the engine lost. */
  unhandled(error: unknown): void {
    this.observer.problem(`unhandled promise rejection: ${error instanceof Error ? error.stack : String(error)}`);
  }

  report(): SimulationReport {
    const { steps, schedule, observer } = this;
    const runs = [...observer.runs.values()];
    const ends = runs.map(({ state }) => state.status);
    const content = JSON.stringify([schedule.trace, runs.map(({ rows }) => rows)]);
    return {
      seed: this.parts.seed,
      steps,
      simulatedMs: schedule.clock.now() - this.began,
      runs: runs.length,
      counts: Object.fromEntries(observer.counts),
      ends,
      digest: hash('sha256', content, 'hex'),
      trace: schedule.trace,
    };
  }
}

/** Unanswered commits are drawn more often here: in a wide run many results share one. */
const UNANSWERED_WIDE = 0.3;

/** Some seeds have no faults; each of the others has a selection. */
function drawFaults(random: Random, wide: boolean): Faults {
  const upTo = (share: number): number => (random.chance(0.5) ? random.next() * share : 0);
  if (random.chance(0.15)) return { ...CALM };
  return {
    failed: upTo(0.1),
    unanswered: upTo(wide ? UNANSWERED_WIDE : 0.1),
    unread: upTo(0.05),
    slow: upTo(0.3),
    lostWakeUps: upTo(0.5),
    repeatedWakeUps: upTo(0.5),
    mailTwice: upTo(0.5),
    crash: upTo(0.05),
    zombie: upTo(0.04),
    close: upTo(0.02),
  };
}
