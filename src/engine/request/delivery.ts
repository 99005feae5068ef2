// Owns the delivery of mail to runs: mail is on disk before anything acts on it, the run's driver consumes it, and a
// rejected request is withdrawn, so that it does not take effect later.

import { EngineError, ERROR_CODES, isEngineError } from '../../base/error.ts';
import type { Mail } from '../../store/store.ts';
import { RunDriver } from '../driver.ts';
import type { DriveOptions, EngineCore } from '../engine.ts';
import { nextChange } from './follow.ts';
import { watchOwner } from './owner-wait.ts';

const ROUNDS_MAX = 3;

/**
 * Options for sending mail. `once`: the first mail with this key counts, and a duplicate does nothing. `stays`: the
 * mail reports a fact rather than a request, so it stays in the inbox if this process cannot drive the run.
 */
export type SendOptions = DriveOptions & { readonly once?: boolean; readonly stays?: boolean };

/**
 * Puts mail into the inbox of a run and waits until it is consumed: by us if the run is free, otherwise by its owner,
 * whose log we follow. A run that has no driver here is claimed in the same write that posts.
 */
export async function send(core: EngineCore, mail: Mail, options: SendOptions = {}): Promise<'posted' | 'duplicate'> {
  const { once = false, stays = false, ...driveOptions } = options;
  const { run } = mail;
  const posting = core.post(mail);
  const claiming = !once && core.driverOf(run) === undefined ? core.drive(run, driveOptions) : undefined;
  claiming?.catch(() => undefined);
  const posted = await posting;
  if (once && posted === 'duplicate') return posted;
  try {
    await claiming;
    await untilConsumed(core, mail, driveOptions);
  } catch (error) {
    if (stays || posted === 'duplicate' || !isRejection(error)) throw error;
    await withdrawOrThrow(core, mail, error);
  }
  return posted;
}

/** Whether a request was rejected. An unavailable store or a silent owner is no rejection: the request is handled later. */
function isRejection(error: unknown): boolean {
  return isEngineError(error) && ERROR_CODES[error.code].exit !== EXIT_STORE && ERROR_CODES[error.code].exit !== EXIT_OWNED;
}

const EXIT_STORE = 6;
const EXIT_OWNED = 7;

async function untilConsumed(core: EngineCore, { run, dedupe }: Mail, options: DriveOptions): Promise<void> {
  // A store may claim before it posts, and a driver that found nothing to do may have stopped by then. A driver that
  // only cancels the run never consumes other mail.
  for (let round = 0; round < ROUNDS_MAX && (await isPending(core, run, dedupe)); round += 1) {
    const driver = await core.drive(run, options);
    if (driver instanceof RunDriver) await driver.caughtUp();
    else await untilConsumedByOwner(core, run, dedupe);
  }
}

/** Whether mail to a run has not been consumed yet. */
export async function isPending(core: EngineCore, run: string, dedupe: string): Promise<boolean> {
  return (await core.store.inbox(run, 0)).some((received) => received.dedupe === dedupe);
}

/** Follows the log of a run until the mail has been consumed or the run has no owner. */
async function untilConsumedByOwner(core: EngineCore, run: string, dedupe: string): Promise<void> {
  using owned = watchOwner(core, run, 'answer');
  const taken = new Promise<void>((resolve, reject) => {
    const check = (): void => {
      isPending(core, run, dedupe).then(
        (isThere) => {
          if (!isThere) done(resolve);
        },
        (error: unknown) => done(() => reject(error)),
      );
    };
    const unfollow = core.store.follow(check);
    const done = (settle: () => void): void => {
      unfollow();
      settle();
    };
    check();
  });
  await Promise.race([taken, owned.free]);
}

/**
 * Withdraws mail that was posted to a run which could not be driven, and throws the error. If another owner has
 * consumed the mail, or is about to, nothing is thrown. If the process dies before this, its caller got no answer and
 * the request may still take effect.
 */
async function withdrawOrThrow(core: EngineCore, mail: { readonly run: string; readonly dedupe: string }, error: unknown): Promise<void> {
  const withdrawn = await isWithdrawn(core, mail).catch(() => undefined);
  if (withdrawn === false) return;
  if (withdrawn === true || !isEngineError(error)) throw error;
  const message = `${error.message}. The request to run ${mail.run} is recorded and may still take effect; check the run before you try again`;
  throw new EngineError(error.code, message, { cause: error, details: error.details });
}

/**
 * Returns true if the mail was withdrawn, false if it was consumed. While an owner may have read it, this waits for one
 * of the two.
 */
async function isWithdrawn(core: EngineCore, mail: { readonly run: string; readonly dedupe: string }): Promise<boolean> {
  for (;;) {
    const result = await core.withdraw(mail.run, mail.dedupe);
    if (result !== 'held') return result === 'withdrawn';
    if ((await untilConsumedOrFree(core, mail)) === 'consumed') return false;
  }
}

/** Waits until the mail was consumed or the run has no owner. It only reads: a write would notify every follower. */
async function untilConsumedOrFree(
  core: EngineCore,
  { run, dedupe }: { readonly run: string; readonly dedupe: string },
): Promise<'consumed' | 'free'> {
  for (;;) {
    using changed = nextChange(core);
    const ownDriver = core.driverOf(run)?.finished.catch(() => undefined);
    const { owner } = await core.store.load(run);
    if (!(await isPending(core, run, dedupe))) return 'consumed';
    if (owner === undefined && ownDriver === undefined) return 'free';
    await (ownDriver === undefined ? changed.happened : Promise.race([ownDriver, changed.happened]));
  }
}
