// Owns waking up without polling: bells of runs, and word of commits, to this process and to others.
//
// B1. A ring reaches every watcher of every process. In this process it is a call; to others it is a file per run in a
//     directory beside the database, which they watch. A ring may be heard twice, never not at all.
// B2. A file that was there before anybody watched is a ring that nobody heard: the first watcher hears it.
// B3. Whoever takes the run takes its file away, so there are no more files than runs that want attention.
// B4. A commit of another process is heard when it can be read. The write-ahead log changes a moment before that, and
//     perhaps never after it; so who follows looks again a few times after the last change, and who gives a run up,
//     after which it may be still for days, touches the log. A plain step pays nothing for being followed.

import { chmodSync, type FSWatcher, mkdirSync, readdirSync, unlink, utimes, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOOK_AGAIN_MS = [5, 50, 500];

/** The bells of one store. */
export interface Bell {
  /** Tells every process that a run has something to look at. */
  ring(run: string): void;
  /** Takes the run's bell away: somebody is looking at it now. */
  silence(run: string): void;
  /** Tells followers in this process that something was committed; other processes see the file change. */
  committed(): void;
  /** Tells other processes that a run was given up and can be read. */
  released(): void;
  watch(ring: (run: string) => void): () => void;
  follow(committed: () => void): () => void;
  close(): void;
}

/** Opens the bells of a database file; undefined for one in memory, which no other process can see. */
export function openBell(file: string | undefined): Bell {
  const rings = new Set<(run: string) => void>();
  const followers = new Set<() => void>();
  const directory = file === undefined ? undefined : `${file}.bells`;
  const hear = (run: string): void => {
    for (const ring of rings) queueMicrotask(() => rings.has(ring) && ring(run));
  };
  const tell = (): void => {
    for (const committed of followers) queueMicrotask(() => followers.has(committed) && committed());
  };
  const touch = file === undefined ? () => {} : createTouch(`${file}-wal`);
  const bells = createEar(() => (directory === undefined ? undefined : watchBells(directory, hear)));
  const again = createLooks(tell);
  const log = createEar(() => (file === undefined ? undefined : watch(`${file}-wal`, again.soon)));

  return {
    ring: (run) => {
      hear(run);
      if (directory !== undefined) writeBell(directory, run);
    },
    silence: (run) => {
      if (directory !== undefined) unlink(join(directory, run), () => {});
    },
    committed: tell,
    released: touch,
    watch: (ring) => listen(rings, ring, bells),
    follow: (committed) => listen(followers, committed, log),
    close: () => {
      rings.clear();
      followers.clear();
      bells.close();
      log.close();
      again.stop();
    },
  };
}

/** Looks at once and a few times more after the last call. */
function createLooks(look: () => void): { soon(): void; stop(): void } {
  let timers: NodeJS.Timeout[] = [];
  const stop = (): void => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const soon = (): void => {
    look();
    stop();
    timers = LOOK_AGAIN_MS.map((ms) => setTimeout(look, ms).unref());
  };
  return { soon, stop };
}

/** Touches a file soon; many touches while one is under way are one. */
function createTouch(path: string): () => void {
  let underWay = false;
  let again = false;
  const touch = (): void => {
    again = underWay;
    if (underWay) return;
    underWay = true;
    const now = new Date();
    utimes(path, now, now, () => {
      underWay = false;
      if (again) touch();
    });
  };
  return touch;
}

function writeBell(directory: string, run: string): void {
  try {
    writeFileSync(join(directory, run), '', { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    createDirectory(directory);
    writeFileSync(join(directory, run), '', { mode: 0o600 });
  }
}

function createDirectory(directory: string): void {
  if (mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(directory, 0o700);
}

// Every change in the directory is a ring, also that a file went: a rival that was quicker to take it away must not
// make the ring unheard.
function watchBells(directory: string, hear: (run: string) => void): FSWatcher {
  createDirectory(directory);
  const watcher = watch(directory, (_, run) => run !== null && hear(run));
  for (const run of readdirSync(directory)) hear(run);
  return watcher;
}

interface Ear {
  open(): void;
  close(): void;
}

function createEar(open: () => FSWatcher | undefined): Ear {
  let watcher: FSWatcher | undefined;
  return {
    open: () => {
      watcher ??= open();
    },
    close: () => {
      watcher?.close();
      watcher = undefined;
    },
  };
}

function listen<T>(listeners: Set<T>, listener: T, ear: Ear): () => void {
  listeners.add(listener);
  ear.open();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) ear.close();
  };
}
