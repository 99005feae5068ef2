// Claims runs that have no live owner, and releases runs that have no new mail.

import type { Definition } from '../../definition/model.ts';
import type { Mail, Ownership, RefusedClaim, SuccessfulClaim } from '../store.ts';
import type { CommitContext } from './commit.ts';
import { unknownRun } from './failure.ts';
import { hasMail, readInbox, removeMail } from './mail.ts';
import { type LoadedRun, type RunRow, readRunRow, verifyRun } from './run-row.ts';
import type { AfterCommit } from './transactions.ts';

/** The context of a claim. */
export interface ClaimContext extends CommitContext {
  readonly isDead: (owner: string) => boolean;
  readonly definitionOf: (row: RunRow) => Definition;
}

/** Claims a run inside a transaction; a damaged one is not claimed. */
export function claimRun(
  context: ClaimContext,
  who: { readonly run: string; readonly me: string },
  afterCommit: AfterCommit,
): SuccessfulClaim | RefusedClaim {
  const { connection } = context;
  const row = readRunRow(connection, who.run);
  if (row.owner !== undefined && row.owner !== who.me && !context.isDead(row.owner)) return { claimed: false, owner: row.owner };
  const claimed = toClaimed(context, verifyRun(connection, row));
  connection.sql('UPDATE runs SET owner = ?, epoch = epoch + 1 WHERE key = ?').run(who.me, row.key);
  afterCommit(() => {
    context.owned.set(who.run, row);
    context.bell.silence(who.run);
  });
  return claimed;
}

function toClaimed(context: ClaimContext, { row, state, origin }: LoadedRun): SuccessfulClaim {
  return {
    claimed: true,
    epoch: row.epoch + 1,
    state,
    mail: readInbox(context.connection, row, 0),
    definition: context.definitionOf(row),
    codeHash: row.code,
    origin,
  };
}

/** Releases a run inside a transaction, unless it has mail newer than `seenMail`. */
export function releaseRun(
  context: CommitContext,
  held: Ownership & { readonly run: string; readonly seenMail: number },
  afterCommit: AfterCommit,
): 'released' | 'mail' | 'stale' {
  const { connection } = context;
  const found = connection.sql('SELECT key, epoch, owner FROM runs WHERE id = ?').get(held.run);
  if (found === undefined) throw unknownRun(held.run, connection.name);
  if (found.epoch !== held.epoch || found.owner !== held.owner) return 'stale';
  if (hasMail(connection, found.key as number, held.seenMail)) return 'mail';
  connection.sql('UPDATE runs SET owner = NULL WHERE key = ?').run(found.key as number);
  afterCommit(() => {
    context.owned.delete(held.run);
    context.bell.silence(held.run);
    context.bell.released();
  });
  return 'released';
}

/** Withdraws mail inside a transaction, unless a live owner may have read it and may act on it in its next commit. */
export function withdrawMail(
  context: ClaimContext,
  { run, dedupe }: Pick<Mail, 'run' | 'dedupe'>,
  me: string,
): 'withdrawn' | 'held' | 'gone' {
  const row = readRunRow(context.connection, run);
  const other = row.owner === me ? undefined : row.owner;
  if (other !== undefined && !context.isDead(other)) return 'held';
  const result = removeMail(context.connection, row.key, dedupe);
  // An owner that was considered dead but still runs would act on it in its next commit, so its claim becomes stale.
  if (other !== undefined && result === 'withdrawn') context.connection.sql('UPDATE runs SET epoch = epoch + 1 WHERE key = ?').run(row.key);
  return result;
}
