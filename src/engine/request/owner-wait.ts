// Limits how long a request waits for the process that drives a run. After a moment the caller is told which process it
// waits for; a dead process is noticed; a process that does not answer leads to an error that names it.

import { EngineError } from '../../base/error.ts';
import { isDead, isStopped, ownerText } from '../../process/owner.ts';
import type { EngineCore } from '../engine.ts';

/** How long a request waits for the process that drives its run. */
export interface OwnerTimeout {
  /** After this time without an answer the request fails with RUN_LOCKED. */
  readonly ms: number;
  /** Called once with a message when a request has waited for two seconds. */
  readonly onWait: (text: string) => void;
}

const CHECK_MS = 500;
const NOTE_MS = 2000;

/** `answer`: until the request is consumed, which a working owner does immediately. `work`: until work ends. */
type WaitTarget = 'answer' | 'work';

/**
 * Watches the owner of a run while a request waits for it. `free` resolves when the run can be claimed, and rejects
 * when the owner does not answer. Work may take any time, unless its process was stopped.
 */
export function watchOwner(core: EngineCore, run: string, awaited: WaitTarget): Disposable & { readonly free: Promise<void> } {
  const { ownerTimeout } = core.parts;
  if (ownerTimeout === undefined) return { free: new Promise(() => {}), [Symbol.dispose]: () => {} };
  let timer: NodeJS.Timeout | undefined;
  const free = new Promise<void>((resolve, reject) => {
    const waiting = new OwnerWait(ownerTimeout, run, awaited);
    const check = async (): Promise<void> => {
      const { owner, state } = await core.store.load(run);
      // A run that this process drives is never waited for.
      if (owner === core.me) return;
      if (owner === undefined || isDead(owner)) resolve();
      else waiting.check(owner, state.at);
    };
    timer = setInterval(() => check().catch(reject), CHECK_MS);
  });
  free.catch(() => undefined);
  return { free, [Symbol.dispose]: () => clearInterval(timer) };
}

class OwnerWait {
  private readonly timeout: OwnerTimeout;
  private readonly run: string;
  private readonly awaited: WaitTarget;
  private isNoted = false;
  private waitedMs = 0;
  private stuckMs = 0;

  constructor(timeout: OwnerTimeout, run: string, awaited: WaitTarget) {
    this.timeout = timeout;
    this.run = run;
    this.awaited = awaited;
  }

  /** Counts one more check of a live owner. Throws when it took too long. */
  check(owner: string, at: number): void {
    this.waitedMs += CHECK_MS;
    this.stuckMs = this.awaited === 'answer' || isStopped(owner) ? this.stuckMs + CHECK_MS : 0;
    if (this.stuckMs >= this.timeout.ms) throw runLockedError(this.run, owner, { at, isRecorded: true });
    if (this.isNoted || this.waitedMs < NOTE_MS) return;
    this.isNoted = true;
    this.timeout.onWait(`waiting for ${ownerText(owner)}, which drives run ${this.run}; last change: ${timeOf(at)}`);
  }
}

/** The error of a request for a run that another process owns. */
export function runLockedError(
  run: string,
  owner: string,
  { at, isRecorded }: { readonly at: number; readonly isRecorded: boolean },
): EngineError {
  const recorded = isRecorded ? '; the request is recorded and takes effect when that process continues or the run is resumed' : '';
  return new EngineError(
    'RUN_LOCKED',
    `run ${run} is driven by ${ownerText(owner)}; last change: ${timeOf(at)}${recorded}; wait for it, or end that process and run "pawl resume ${run}"`,
    { details: { run, owner, since: timeOf(at), recorded: isRecorded } },
  );
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
