// Owns how long a request waits for the process that drives a run. Nobody waits without a word: whom for is told after a
// moment, an owner that dies meanwhile is seen, and one that does not answer is an error that names it.

import { EngineError } from '../base/error.ts';
import { isDead, isStopped, ownerText } from '../process/owner.ts';
import type { EngineCore } from './engine.ts';

/** How a request waits for another process. */
export interface Patience {
  /** How long an owner may take to answer. */
  readonly ms: number;
  /** Told once, when a request has to wait for more than a moment. */
  readonly note: (text: string) => void;
}

const LOOK_MS = 500;
const NOTE_MS = 2000;

/** What a request waits for. `answer`: that it is taken, which an owner at work does at once. `work`: that work ends. */
type Awaited = 'answer' | 'work';

/**
 * Watches the owner of a run for as long as a request waits for it. `free` resolves when somebody else may take the run;
 * it rejects when the owner does not answer. Work may take its time, unless its process was stopped.
 */
export function watchOwner(core: EngineCore, run: string, awaited: Awaited): { readonly free: Promise<void>; stop(): void } {
  const { patience } = core.parts;
  if (patience === undefined) return { free: new Promise(() => {}), stop: () => {} };
  let timer: NodeJS.Timeout | undefined;
  const free = new Promise<void>((resolve, reject) => {
    const waiting = new Waiting(patience, run, awaited);
    const look = async (): Promise<void> => {
      const { owner, state } = await core.store.load(run);
      // What we drive ourselves is not waited for.
      if (owner === core.me) return;
      if (owner === undefined || isDead(owner)) resolve();
      else waiting.look(owner, state.at);
    };
    timer = setInterval(() => look().catch(reject), LOOK_MS);
  });
  free.catch(() => undefined);
  return { free, stop: () => clearInterval(timer) };
}

/** One wait for one owner. */
class Waiting {
  private readonly patience: Patience;
  private readonly run: string;
  private readonly awaited: Awaited;
  private isNoted = false;
  private waitedMs = 0;
  private stuckMs = 0;

  constructor(patience: Patience, run: string, awaited: Awaited) {
    this.patience = patience;
    this.run = run;
    this.awaited = awaited;
  }

  /** Counts one more look at an owner that is there; throws when it took too long. */
  look(owner: string, at: number): void {
    this.waitedMs += LOOK_MS;
    this.stuckMs = this.awaited === 'answer' || isStopped(owner) ? this.stuckMs + LOOK_MS : 0;
    if (this.stuckMs >= this.patience.ms) throw heldError(this.run, owner, { at, isRecorded: true });
    if (this.isNoted || this.waitedMs < NOTE_MS) return;
    this.isNoted = true;
    this.patience.note(`waiting for ${ownerText(owner)}, which drives run ${this.run}; nothing happened in it since ${timeOf(at)}`);
  }
}

/** The error of a request for a run that another process owns. */
export function heldError(
  run: string,
  owner: string,
  { at, isRecorded }: { readonly at: number; readonly isRecorded: boolean },
): EngineError {
  const recorded = isRecorded ? '; what you asked for is recorded, and is taken when that process goes on or the run is resumed' : '';
  return new EngineError(
    'RUN_LOCKED',
    `run ${run} is driven by ${ownerText(owner)}; nothing happened in it since ${timeOf(at)}${recorded}; wait for it, or end that process and "pawl resume ${run}"`,
    { details: { run, owner, since: timeOf(at), recorded: isRecorded } },
  );
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
