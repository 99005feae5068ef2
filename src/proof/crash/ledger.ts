// Owns the ledger of effects: a plain file outside the store, in which every attempt writes when it begins and what it
// does. The ledger has what really happened, and the store is compared with it.
//
// - Lines are only appended, each with one write, so that processes that follow each other write one history in order.
// - A line is on disk before the attempt continues. Attempts that work at the same time share one wait for the disk.

import { closeSync, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Json } from '../../base/json.ts';
import type { StepContext } from '../../definition/code.ts';

/** One line of the ledger. */
export type LedgerLine =
  /** A process has opened the store. Everything that was acknowledged there must not happen again. */
  | { readonly at: 'opened'; readonly pid: number; readonly acknowledged: readonly string[] }
  | { readonly at: 'begun'; readonly key: string }
  | { readonly at: 'done'; readonly key: string; readonly output: Json }
  /** A person was asked a question and gave an answer. */
  | { readonly at: 'asked'; readonly key: string };

/** The facts about an attempt that an effect needs. */
export type EffectContext = Pick<StepContext, 'idempotencyKey'>;

/** The ledger of one run and its children. */
export interface Ledger {
  append(line: LedgerLine): Promise<void>;
  /** The effect that must not happen twice: records its begin and its end, and returns the output. */
  effect<T extends Json>(context: EffectContext, output: T): Promise<T>;
  /** The output of the attempt, as `reconcile` returns it; false if the attempt had no effect. */
  found(context: EffectContext): { readonly output: Json } | false;
  close(): void;
}

/** Opens the ledger, creating the file if there is none. */
export function openLedger(file: string): Ledger {
  const handle = openSync(file, 'a', 0o600);
  const synced = shareSync(handle);
  const append = (line: LedgerLine): Promise<void> => {
    writeSync(handle, `${JSON.stringify(line)}\n`);
    return synced();
  };
  return {
    append,
    async effect(context, output) {
      await append({ at: 'begun', key: context.idempotencyKey });
      await append({ at: 'done', key: context.idempotencyKey, output });
      return output;
    },
    found: (context) => foundIn(readLedger(file), context.idempotencyKey),
    close: () => closeSync(handle),
  };
}

/** Everything that was written before a sync began shares that sync. */
function shareSync(handle: number): () => Promise<void> {
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  return () => {
    next ??= last.then(() => {
      next = undefined;
      last = new Promise((resolve, reject) => fdatasync(handle, (error) => (error === null ? resolve() : reject(error))));
      return last;
    });
    return next;
  };
}

function foundIn(lines: readonly LedgerLine[], key: string): { readonly output: Json } | false {
  const done = lines.find((line) => line.at === 'done' && line.key === key);
  return done?.at === 'done' ? { output: done.output } : false;
}

/** All lines of a ledger, oldest first. */
export function readLedger(file: string): readonly LedgerLine[] {
  const text = readFileSync(file, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerLine);
}
