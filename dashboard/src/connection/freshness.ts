// Decides which data is read again after an event: the pages of its run, the lists and the inbox. The first event is
// handled immediately, those that follow within a moment together.

import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { follow, type LiveEvent, type LiveState } from './live.ts';

const TOGETHER_MS = 50;
const LATER_MS = 200;
let later: ReturnType<typeof setTimeout> | undefined;

type TouchedListener = (runs: ReadonlySet<string>) => void;
const listeners = new Set<TouchedListener>();

/** Calls a function with the runs that changed, for pages that keep their own list. */
export function useTouched(listener: TouchedListener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listener]);
}

/** Follows all events while a person is logged in, and reads again what they made stale. */
export function useFreshness(enabled: boolean): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    if (!enabled) return;
    const touched = new Batch((runs) => refresh(client, runs));
    const stop = follow('/events', {
      event: ({ run }: LiveEvent) => touched.add(run),
      state: setState,
      caughtUp: () => {
        void client.invalidateQueries();
        for (const listener of listeners) listener(new Set());
      },
    });
    return () => {
      stop();
      touched.end();
    };
  }, [client, enabled]);
  return state;
}

function refresh(client: QueryClient, runs: ReadonlySet<string>): void {
  for (const listener of listeners) listener(runs);
  for (const run of runs) void client.invalidateQueries({ queryKey: ['run', run] });
  // Lists cost the server more, so the open page comes first.
  if (later !== undefined) return;
  later = setTimeout(() => {
    later = undefined;
    for (const list of ['inbox', 'usage', 'schedules', 'deliveries']) void client.invalidateQueries({ queryKey: [list] });
  }, LATER_MS);
}

/** Passes on the first run immediately, and those that follow within a moment together. */
class Batch {
  readonly #take: (runs: ReadonlySet<string>) => void;
  #waiting = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(take: (runs: ReadonlySet<string>) => void) {
    this.#take = take;
  }

  add(run: string): void {
    this.#waiting.add(run);
    if (this.#timer === undefined) this.#flush();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    const runs = this.#waiting;
    this.#waiting = new Set();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.size > 0) this.#flush();
    }, TOGETHER_MS);
    this.#take(runs);
  }
}
