// Owns the work of a job: it takes the event, finds what happened since the last job, drives every open run until nothing is left
// to do without people, CI or time, shows the runs at GitHub as they are then, and saves the state.

import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../../api/engine.ts';
import { isUndriven, resumeUndriven } from '../../api/undriven.ts';
import { EngineError } from '../../base/error.ts';
import { isFinal, isSettled } from '../../definition/run-status.ts';
import { type RunTree, readRunTree } from '../../engine/run-tree.ts';
import type { GitHubForge } from '../../forge/github/github-forge.ts';
import { dueTimeOf, type Wait, waitOf } from '../../kernel/activation.ts';
import { isDead } from '../../process/owner.ts';
import type { Alarm } from '../../server/events/alarm.ts';
import type { Deliveries, ReceivedDelivery } from '../../server/events/deliveries.ts';
import type { EventServices } from '../../server/events/events.ts';
import type { RunSurface } from '../../server/surface/run-surface.ts';
import { deliveryOfEvent } from '../../server/triggers/forge-watch.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import type { SavedState } from './saved-state.ts';

interface JobParts {
  readonly services: EventServices;
  readonly deliveries: Deliveries;
  readonly forge: GitHubForge;
  readonly state: SavedState;
  /** Shows runs at GitHub. */
  readonly surface: RunSurface | undefined;
  /** Asks people at GitHub. */
  readonly people: Alarm | undefined;
  /** How often the state is saved while steps work, so that the hold does not run out. */
  readonly saveMs: number;
}

/** How long a job stays for a delay that is about to end, and for the owner of a run that may be dead. */
const SOON_MS = 60_000;
const POLL_MS = 1000;
const ROUNDS_MAX = 20;

/** Does all that can be done now. Returns the open runs. */
export async function workOff(parts: JobParts, delivery: ReceivedDelivery | undefined): Promise<RunSummary[]> {
  const { deliveries, state, saveMs, surface } = parts;
  const saving = setInterval(() => void state.save().catch(() => undefined), saveMs);
  try {
    if (delivery !== undefined) deliveries.receive(delivery);
    await deliveries.ring();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const found = await catchUp(parts);
      await driveAll(parts);
      const decided = await askPeople(parts);
      // What the runs did at GitHub starts no job of its own, so it is looked for here.
      if (!found && !decided && round > 0) break;
    }
    // People decide by what they see there until the next job.
    await surface?.flush();
    return await openRuns(parts.services.engine);
  } finally {
    clearInterval(saving);
  }
}

/** Takes events that no job was started for: GitHub keeps one job in a queue and drops those before it. */
async function catchUp({ services: { database }, deliveries, forge }: JobParts): Promise<boolean> {
  const kept = database.get('SELECT cursor FROM forge_cursors WHERE forge = ?', forge.name)?.cursor;
  const found = await forge.poll(kept === undefined ? undefined : String(kept));
  // A limit or an outage: the next job looks again.
  if (found.result !== 'ok') return false;
  const { events, cursor } = found.value;
  const isNew = events.map((event) => deliveries.receive(deliveryOfEvent(forge.name, event))).includes('stored');
  database.run('INSERT OR REPLACE INTO forge_cursors (forge, cursor) VALUES (?, ?)', forge.name, cursor);
  await deliveries.ring();
  return isNew;
}

/** Asks people about the questions that are open, and takes reviews that were there first. Returns whether runs went on. */
async function askPeople({ services: { engine }, people }: JobParts): Promise<boolean> {
  const heads = async (): Promise<string> => JSON.stringify(await engine.store.heads({ of: (await openRuns(engine)).map(({ id }) => id) }));
  const before = await heads();
  await people?.ring();
  return before !== (await heads());
}

async function openRuns(engine: Engine): Promise<RunSummary[]> {
  return (await engine.list()).filter(({ parent, status }) => parent === undefined && !isFinal(status));
}

async function driveAll({ services: { engine, warn }, state }: JobParts): Promise<void> {
  const all = await openRuns(engine);
  await Promise.all(all.map(({ id }) => driveOne(engine, id).catch((error: unknown) => warn(error))));
  if (state.isLost) throw new EngineError('STATE_TAKEN', 'another job took the state of this project; this one has stopped');
}

/** Drives a run until only people, the forge or a time that is more than a minute away can continue it. */
async function driveOne(engine: Engine, run: string): Promise<void> {
  for (;;) {
    if (isUndriven(await engine.store.load(run))) await resumeUndriven(engine, run);
    await engine.run(run).waitOnly('idle');
    const at = nearestTime(await readRunTree(engine.store, run));
    if (at === undefined || at - Date.now() > SOON_MS) return;
    await setTimeout(Math.max(0, at - Date.now()));
  }
}

/** The nearest time at which a run goes on by itself, without the times at which it only asks the forge again. */
function nearestTime({ runs }: RunTree): number | undefined {
  const times = runs
    .filter(({ state }) => !isSettled(state.status) && !state.paused)
    .flatMap(({ state }) => Object.values(state.live))
    .flatMap((activation) => [isForForge(waitOf(activation)) ? undefined : dueTimeOf(activation), activation.deadline])
    .filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether an event of the forge ends a wait: a gate without a verdict, or a merge that is in a queue or waits for checks. */
function isForForge(wait: Wait | undefined): boolean {
  return wait?.kind === 'checks' || (wait?.kind === 'capacity' && wait.news === true);
}

/** Waits until the owners of restored runs count as dead: they were processes of a job that was killed. */
export async function outliveOwners(store: Store): Promise<void> {
  for (const { id, status } of await store.list({})) {
    if (isFinal(status)) continue;
    for (;;) {
      const { owner } = await store.load(id);
      if (owner === undefined || isDead(owner)) break;
      await setTimeout(POLL_MS);
    }
  }
}
