// Owns the delivery of mail to runs: it is on disk before anything acts on it, it is taken by whoever drives the run, and
// what was refused is taken back, so that it does not happen later when somebody drives the run who could have taken it.

import { digestText } from '../base/digest.ts';
import { EngineError, ERROR_CODES, isEngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { Mail, StoredValue } from '../store/store.ts';
import { RunDriver } from './driver.ts';
import type { DriveOptions, EngineCore } from './engine.ts';
import { nextChange } from './follow.ts';
import { watchOwner } from './patience.ts';

const ROUNDS_MAX = 3;

/**
 * How mail is sent: like the drive it may lead to. `once`: the first of its kind counts, and another one moves nothing.
 * `stays`: it tells a fact, not what somebody wants; when nobody here can take it, it waits for who can.
 */
export type SendOptions = DriveOptions & { readonly once?: boolean; readonly stays?: boolean };

/**
 * Puts mail into the inbox of a run and sees to it that it is taken: by us when the run is free, else by its owner,
 * whose log we follow. A run that nobody here drives is claimed in the same write that posts.
 */
export async function send(core: EngineCore, mail: Mail, how: SendOptions = {}): Promise<'posted' | 'duplicate'> {
  const { once = false, stays = false, ...options } = how;
  const { run } = mail;
  const posting = core.post(mail);
  const claiming = !once && core.driverOf(run) === undefined ? core.drive(run, options) : undefined;
  claiming?.catch(() => undefined);
  const posted = await posting;
  if (once && posted === 'duplicate') return posted;
  try {
    await claiming;
    await untilActedOn(core, mail, options);
  } catch (error) {
    if (stays || posted === 'duplicate' || !isRefusal(error)) throw error;
    await takeBack(core, mail, error);
  }
  return posted;
}

/** Trouble with the store or with an owner is no refusal: what was asked stays on record and is taken when that is over. */
function isRefusal(error: unknown): boolean {
  return isEngineError(error) && ERROR_CODES[error.code].exit !== EXIT_STORE && ERROR_CODES[error.code].exit !== EXIT_OWNED;
}

const EXIT_STORE = 6;
const EXIT_OWNED = 7;

async function untilActedOn(core: EngineCore, { run, dedupe }: Mail, options: DriveOptions): Promise<void> {
  // A store may take the claim before the mail, and whoever found nothing to do may have left by then. A driver that only
  // cancels the run never takes anything else.
  for (let round = 0; round < ROUNDS_MAX && (await isUntaken(core, run, dedupe)); round += 1) {
    const driver = await core.drive(run, options);
    if (driver instanceof RunDriver) await driver.caughtUp();
    else await untilTaken(core, run, dedupe);
  }
}

/** Whether mail to a run lies there still. */
export async function isUntaken(core: EngineCore, run: string, dedupe: string): Promise<boolean> {
  return (await core.store.inbox(run, 0)).some((received) => received.dedupe === dedupe);
}

/** Follows the log of a run until mail to it was acted on, or until the run is free to be taken. */
async function untilTaken(core: EngineCore, run: string, dedupe: string): Promise<void> {
  const owned = watchOwner(core, run, 'answer');
  const taken = new Promise<void>((resolve, reject) => {
    const look = (): void => {
      isUntaken(core, run, dedupe).then(
        (isThere) => {
          if (!isThere) done(resolve);
        },
        (error: unknown) => done(() => reject(error)),
      );
    };
    const unfollow = core.store.follow(look);
    const done = (settle: () => void): void => {
      unfollow();
      settle();
    };
    look();
  });
  try {
    await Promise.race([taken, owned.free]);
  } finally {
    owned.stop();
  }
}

/**
 * Mail was posted and the run could not be driven with it: it is taken back, and the error is thrown. When somebody else
 * has acted on it meanwhile, or is about to, nothing is thrown: the request was taken. A process that dies in between has
 * told its caller nothing, and its request may still happen.
 */
async function takeBack(core: EngineCore, mail: { readonly run: string; readonly dedupe: string }, error: unknown): Promise<void> {
  const isBack = await isWithdrawn(core, mail).catch(() => undefined);
  if (isBack === false) return;
  if (isBack === true || !isEngineError(error)) throw error;
  const message = `${error.message}. What was asked of run ${mail.run} is on record and may still happen; look at the run before you ask again`;
  throw new EngineError(error.code, message, { cause: error, details: error.details });
}

/** True when the mail is back; false when it was acted on. While an owner may have read it, this waits for one of the two. */
async function isWithdrawn(core: EngineCore, mail: { readonly run: string; readonly dedupe: string }): Promise<boolean> {
  for (;;) {
    const result = await core.withdraw(mail.run, mail.dedupe);
    if (result !== 'held') return result === 'withdrawn';
    if ((await untilLetGo(core, mail)) === 'taken') return false;
  }
}

/** Waits, by reading alone, until mail was acted on or nobody owns its run. A write in vain would tell everybody who follows. */
async function untilLetGo(core: EngineCore, { run, dedupe }: { readonly run: string; readonly dedupe: string }): Promise<'taken' | 'free'> {
  for (;;) {
    const changed = nextChange(core);
    try {
      const given = core.driverOf(run)?.finished.catch(() => undefined);
      const { owner } = await core.store.load(run);
      if (!(await isUntaken(core, run, dedupe))) return 'taken';
      if (owner === undefined && given === undefined) return 'free';
      await (given === undefined ? changed.happened : Promise.race([given, changed.happened]));
    } finally {
      changed.stop();
    }
  }
}

/** A value as the store keeps it. */
export function storedValue(value: Json): StoredValue {
  const text = JSON.stringify(value);
  return { text, ref: { digest: digestText(text), bytes: Buffer.byteLength(text) } };
}
