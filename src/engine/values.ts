// Owns the values that a run refers to by digest: reading them from the store, and those that are in memory while the run
// is driven.
//
// E8. A value that is not on disk yet is never dropped: a queued input or a commit under way refers to it.

import type { Ref } from '../base/digest.ts';
import { digestText } from '../base/digest.ts';
import { invariant } from '../base/invariant.ts';
import type { Json } from '../base/json.ts';
import type { Store, StoredValue } from '../store/store.ts';

/** Converts a value to the form the store keeps. */
export function storedValue(value: Json): StoredValue {
  const text = JSON.stringify(value);
  return { ref: { digest: digestText(text), bytes: Buffer.byteLength(text) }, text };
}

/** Reads values from the store. The function that it returns gives each by its reference, and null without a reference. */
export async function readValues(
  store: Pick<Store, 'values'>,
  refs: readonly (Ref | undefined)[],
): Promise<(ref: Ref | undefined) => Json> {
  const digests = new Set(refs.flatMap((ref) => ref?.digest ?? []));
  const texts = digests.size === 0 ? NONE : await store.values([...digests]);
  return (ref) => {
    if (ref === undefined) return null;
    const text = texts.get(ref.digest);
    invariant(text !== undefined, 'a value is read from the store before it is used', ref.digest);
    return JSON.parse(text);
  };
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Values are dropped only when more than this many are in memory. */
const KNOWN_MAX = 64;

/** The values of one run in memory, some of which the next delta writes. */
export class KnownValues {
  private readonly known = new Map<string, Json>();
  private unwritten: StoredValue[] = [];

  get(ref: Ref): Json {
    const value = this.known.get(ref.digest);
    invariant(value !== undefined, 'E1: a value is loaded before it is read', ref.digest);
    return value;
  }

  has(refs: readonly Ref[]): boolean {
    return refs.every((ref) => this.known.has(ref.digest));
  }

  add(value: Json): Ref {
    const stored = storedValue(value);
    this.known.set(stored.ref.digest, value);
    this.unwritten.push(stored);
    return stored.ref;
  }

  async load(store: Store, refs: readonly Ref[]): Promise<void> {
    const missing = refs.filter((ref) => !this.known.has(ref.digest));
    const read = await readValues(store, missing);
    for (const ref of missing) this.known.set(ref.digest, read(ref));
  }

  /** Returns the values that were added since the last call. */
  takeUnwritten(): readonly StoredValue[] {
    const values = this.unwritten;
    this.unwritten = [];
    return values;
  }

  /** Restores values that were not written after all. */
  putBack(values: readonly StoredValue[]): void {
    this.unwritten = [...values, ...this.unwritten];
  }

  /** Whether there are so many values that some should be dropped. */
  get isFull(): boolean {
    return this.known.size >= KNOWN_MAX;
  }

  /** Drops the values that can be loaded again (E8), except those that are still referred to. */
  keepOnly(refs: readonly Ref[]): void {
    const kept = new Set(refs.map(({ digest }) => digest));
    for (const { ref } of this.unwritten) kept.add(ref.digest);
    for (const digest of this.known.keys()) if (!kept.has(digest)) this.known.delete(digest);
  }
}
