// Owns waking up without polling: bells of runs, and notice of commits, for this process and others.
//
// - A ring reaches every watcher of every process. In this process it is a call; to others it is a file per run in a
//   directory beside the database, which they watch. A ring may arrive twice, but never gets lost.
// - A file that was there before anything watched is a ring that nobody received: the first watcher receives it.
// - Claiming a run removes its file, so there are no more files than runs that need attention.
// - A follower is notified when a commit of another process can be read. The write-ahead log changes a moment before
//   that, and perhaps never after it; so a follower is notified again a few times after the last change, and releasing a
//   run, after which nothing may happen for days, touches the log. A step costs nothing more for being followed.

import { chmodSync, type FSWatcher, mkdirSync, readdirSync, unlink, utimes, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gone } from './home.ts';

const NOTIFY_AGAIN_MS = [5, 50, 500];

/** The bells of one store. */
export interface Bell {
  /** Wakes every process that watches: the run has mail or a free slot. */
  ring(run: string): void;
  /** Removes the run's bell: somebody is driving it now. */
  silence(run: string): void;
  /** Notifies followers in this process of a commit; other processes see the file change. */
  committed(): void;
  /** Notifies other processes that a run was released and can be read. */
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
  const notifyWatchers = (run: string): void => {
    for (const ring of rings) queueMicrotask(() => rings.has(ring) && ring(run));
  };
  const notifyFollowers = (): void => {
    for (const committed of followers) queueMicrotask(() => followers.has(committed) && committed());
  };
  const touch = file === undefined ? () => {} : createTouch(`${file}-wal`);
  const bells = createLazyWatcher(() => (directory === undefined ? undefined : watchBells(directory, notifyWatchers)));
  const again = createRepeats(notifyFollowers);
  const log = createLazyWatcher(() => (file === undefined ? undefined : watchLog(file, again.soon)));

  return {
    ring: (run) => {
      notifyWatchers(run);
      if (directory !== undefined) writeBell(directory, run);
    },
    silence: (run) => {
      if (directory !== undefined) unlink(join(directory, run), () => {});
    },
    committed: notifyFollowers,
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

/** Notifies at once and a few times more after the last call. */
function createRepeats(notify: () => void): { soon(): void; stop(): void } {
  let timers: NodeJS.Timeout[] = [];
  const stop = (): void => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const soon = (): void => {
    notify();
    stop();
    timers = NOTIFY_AGAIN_MS.map((ms) => setTimeout(notify, ms).unref());
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

// Every change in the directory is a ring, also the removal of a file: if another process removes it first, the ring must
// still arrive here.
function watchBells(directory: string, notifyWatchers: (run: string) => void): FSWatcher {
  createDirectory(directory);
  const watcher = watch(directory, (_, run) => run !== null && notifyWatchers(run));
  for (const run of readdirSync(directory)) notifyWatchers(run);
  return watcher;
}

function watchLog(file: string, changed: () => void): FSWatcher {
  try {
    return watch(`${file}-wal`, changed);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? gone(file, 'its write-ahead log was removed') : error;
  }
}

interface LazyWatcher {
  open(): void;
  close(): void;
}

function createLazyWatcher(open: () => FSWatcher | undefined): LazyWatcher {
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

function listen<T>(listeners: Set<T>, listener: T, watcher: LazyWatcher): () => void {
  listeners.add(listener);
  watcher.open();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) watcher.close();
  };
}
