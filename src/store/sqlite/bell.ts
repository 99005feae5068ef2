// Wakes this process and others without polling: bells of runs, and notice of commits.
//
// - A ring reaches every watcher of every process: watchers in this process are called, others watch a directory next to
//   the database that has a file per run. A ring may arrive twice, but is never lost.
// - A file that existed before anything watched is a ring that was not received: the first watcher receives it.
// - Claiming a run removes its file, so there are no more files than runs that need attention.
// - A follower is notified when a commit of another process can be read. The write-ahead log changes a moment before
//   that, and perhaps never after it; so followers are notified again a few times after the last change, and releasing a
//   run, after which nothing may happen for days, touches the log.

import { chmodSync, type FSWatcher, mkdirSync, readdirSync, unlink, utimes, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/error.ts';
import { storeGone } from './home.ts';

const NOTIFY_AGAIN_MS = [5, 50, 500];

/** The bells of one store. */
export interface Bell {
  /** Wakes every process that watches: the run has mail or a free slot. */
  ring(run: string): void;
  /** Removes the run's bell, because the run has a driver now. */
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
  const repeated = repeatNotice(notifyFollowers);
  const log = createLazyWatcher(() => (file === undefined ? undefined : watchLog(file, repeated.notify)));

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
      repeated.stop();
    },
  };
}

/** Calls back immediately, and a few more times after the last notice. */
function repeatNotice(callback: () => void): { notify(): void; stop(): void } {
  let timers: NodeJS.Timeout[] = [];
  const stop = (): void => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const notify = (): void => {
    callback();
    stop();
    timers = NOTIFY_AGAIN_MS.map((ms) => setTimeout(callback, ms).unref());
  };
  return { notify, stop };
}

/** Touches a file in the background; touches while one is under way are combined. */
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
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    createDirectory(directory);
    writeFileSync(join(directory, run), '', { mode: 0o600 });
  }
}

function createDirectory(directory: string): void {
  if (mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(directory, 0o700);
}

// Every change in the directory is a ring, even the removal of a file: another process may remove it before this one sees it.
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
    throw systemCodeOf(error) === 'ENOENT' ? storeGone(file, 'its write-ahead log was removed') : error;
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
