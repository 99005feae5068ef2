// Owns the work of a job: it handles the event and those since the last job, drives every open run until only people, CI or time
// can continue it, updates the runs shown at GitHub, and saves the state.

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
import type { RunSurface } from '../../server/surface/run/surface.ts';
import { deliveryOfEvent } from '../../server/triggers/forge-watch.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import type { SavedState } from './saved-state.ts';

interface JobParts {
  readonly services: EventServices;
  readonly deliveries: Deliveries;
  readonly forge: GitHubForge;
  readonly state: SavedState;
  /** The comments that show runs at GitHub. */
  readonly surface: RunSurface | undefined;
  readonly people: Alarm | undefined;
  /** How often the state is saved while steps work, so that the hold does not run out. */
  readonly saveMs: number;
}

/** A job waits for a delay that ends within this time. */
const SOON_MS = 60_000;
const POLL_MS = 1000;
const ROUNDS_MAX = 20;

/** Handles all events and drives all runs as far as possible. Returns the open runs. */
export async function processJob(parts: JobParts, delivery: ReceivedDelivery | undefined): Promise<RunSummary[]> {
  const { deliveries, state, saveMs, surface } = parts;
  const saving = setInterval(() => void state.save().catch(() => undefined), saveMs);
  try {
    if (delivery !== undefined) deliveries.receive(delivery);
    await deliveries.ring();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const found = await catchUp(parts);
      await driveAll(parts);
      const decided = await askPeople(parts);
      // Changes that the runs make at GitHub start no job, so look for them here.
      if (!found && !decided && round > 0) break;
    }
    // Until the next job, people decide by what is shown at GitHub.
    await surface?.flush();
    return await openRuns(parts.services.engine);
  } finally {
    clearInterval(saving);
  }
}

/** Receives events for which no job was started: GitHub queues only the newest job. Returns whether there were any. */
async function catchUp({ services: { database }, deliveries, forge }: JobParts): Promise<boolean> {
  const saved = database.get('SELECT cursor FROM forge_cursors WHERE forge = ?', forge.name)?.cursor;
  const found = await forge.poll(saved === undefined ? undefined : String(saved));
  // After a rate limit or an outage, the next job polls again.
  if (found.result !== 'ok') return false;
  const { events, cursor } = found.value;
  const isNew = events.map((event) => deliveries.receive(deliveryOfEvent(forge.name, event))).includes('stored');
  database.run('INSERT OR REPLACE INTO forge_cursors (forge, cursor) VALUES (?, ?)', forge.name, cursor);
  await deliveries.ring();
  return isNew;
}

/** Asks people the open questions, and uses reviews that exist already. Returns whether a run continued. */
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

/** The nearest time at which a run continues, not counting the times at which it only polls the forge. */
function nearestTime({ runs }: RunTree): number | undefined {
  const times = runs
    .filter(({ state }) => !isSettled(state.status) && !state.paused)
    .flatMap(({ state }) => Object.values(state.live))
    .flatMap((activation) => [isForgeWait(waitOf(activation)) ? undefined : dueTimeOf(activation), activation.deadline])
    .filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether an event of the forge ends a wait: for checks, or for a merge that is queued or waits for checks. */
function isForgeWait(wait: Wait | undefined): boolean {
  return wait?.kind === 'checks' || (wait?.kind === 'capacity' && wait.wakeOnSignal === true);
}

/** Waits until the owners of restored runs count as dead: they were processes of a killed job. */
export async function waitForDeadOwners(store: Store): Promise<void> {
  for (const { id, status } of await store.list({})) {
    if (isFinal(status)) continue;
    for (;;) {
      const { owner } = await store.load(id);
      if (owner === undefined || isDead(owner)) break;
      await setTimeout(POLL_MS);
    }
  }
}
