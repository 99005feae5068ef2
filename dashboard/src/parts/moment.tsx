// Owns times that keep changing: one clock for the whole page, so that they change together.

import { useSyncExternalStore } from 'react';
import { duration, moment, relative } from '../text/time.ts';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time now, to the second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** How long ago something was; the exact time is its title. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  const current = useNow();
  if (at === null || at === undefined) return null;
  return (
    <time dateTime={at} title={moment(at)} className="nowrap">
      {relative(at, current)}
    </time>
  );
}

/** How long something took, or has taken so far. */
export function Took({ from, ms, open }: { readonly from: string | null; readonly ms: number | null | undefined; readonly open: boolean }) {
  const current = useNow();
  const shown = open && from !== null ? current - Date.parse(from) : ms;
  return <span className="nowrap">{duration(shown)}</span>;
}
