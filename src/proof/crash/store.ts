// Owns the points at which a process can be killed: a store that counts its writes and reports each one, before it reaches
// the real store and after it was acknowledged.

import type { Store } from '../../store/store.ts';

/** The operations of a store that write. A process may die before and after each. */
export const CRASH_OPERATIONS = ['commit', 'post', 'claim', 'release'] as const;

/** An operation of a store that writes. */
export type CrashOperation = (typeof CRASH_OPERATIONS)[number];

/** Where a process dies: at the nth call of an operation, before it reaches the store or after it returned. */
export interface CrashPoint {
  readonly operation: CrashOperation;
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** How often each operation was called. */
export type OperationCounts = Record<CrashOperation, number>;

/** A store that counts its writes, and the current counts. */
interface CountedStore {
  readonly store: Store;
  readonly counts: OperationCounts;
}

/** Creates counts of zero. */
export function noOperations(): OperationCounts {
  return { commit: 0, post: 0, claim: 0, release: 0 };
}

/** Called at every write, before it reaches the store and after it returned. */
export type OnWrite = (point: CrashPoint) => void;

/** Kills the process at one of its writes, as `kill -9` does: nothing is flushed or closed. */
export function dieAt(place: CrashPoint | undefined): OnWrite {
  return ({ operation, nth, when }) => {
    if (place?.operation === operation && place.nth === nth && place.when === when) process.kill(process.pid, 'SIGKILL');
  };
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** Wraps a store so that it counts its writes and reports each. */
export function countStore(inner: Store, onWrite: OnWrite): CountedStore {
  const counts = noOperations();
  const counted = (operation: CrashOperation, call: Call): Call => {
    return async (...args) => {
      counts[operation] += 1;
      const nth = counts[operation];
      onWrite({ operation, nth, when: 'before' });
      const result = await call(...args);
      onWrite({ operation, nth, when: 'after' });
      return result;
    };
  };
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as Call;
      return isOperation(name) ? counted(name, call) : call;
    },
  });
  return { store, counts };
}

function isOperation(name: string | symbol): name is CrashOperation {
  return (CRASH_OPERATIONS as readonly (string | symbol)[]).includes(name);
}

/** A point as text: "before commit 3". */
export function formatPoint(point: CrashPoint): string {
  return `${point.when} ${point.operation} ${point.nth}`;
}
