// Owns the record of a run's snapshots: a file next to the database with a line per snapshot, written after the snapshot is
// stored. It is not part of the run's history, because it must be on disk before an attempt begins.
//
// The last line may be incomplete after a crash; it is ignored then.

import { closeSync, fsyncSync, mkdirSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../base/json.ts';
import { appendPlainFile } from '../../base/plain-file.ts';
import type { UnrestoredFile } from '../../process/restore-files.ts';
import { SnapshotRepository } from '../../process/snapshot-repository.ts';
import type { Snapshot, SnapshotLocation } from '../../process/snapshot-scan.ts';

/** The attempt of a line. */
export interface SnapshotAttempt {
  readonly path: string;
  readonly step: string;
  readonly attempt: number;
}

/** The line for the beginning of an attempt. */
export interface BeginLine extends SnapshotAttempt {
  readonly is: 'before';
  readonly at: number;
  readonly snapshot: Snapshot;
  readonly kind: string;
  /** Its group, whose other members may write at the same time. */
  readonly group?: string;
  /** It runs in parallel to other steps. */
  readonly side?: true;
  /** Its files are restored if it fails. */
  readonly restores?: true;
}

/** One line of the record. */
export type SnapshotLine =
  /** Where the snapshots that follow are taken. */
  | { readonly is: 'place'; readonly at: number; readonly place: SnapshotLocation }
  | BeginLine
  /** `ended` is the outcome, the error code, or `interrupted`. `fails`: its files must be restored. */
  | (SnapshotAttempt & {
      readonly is: 'after';
      readonly at: number;
      readonly snapshot: Snapshot;
      readonly ended: string;
      readonly fails?: true;
    })
  /** The files of a failed attempt were restored. */
  | (SnapshotAttempt & {
      readonly is: 'restored';
      readonly at: number;
      readonly snapshot: Snapshot;
      readonly files: number;
      readonly kept: readonly UnrestoredFile[];
    })
  /** A person restored the workspace to its state before a step. */
  | {
      readonly is: 'undone';
      readonly at: number;
      readonly to: string;
      readonly actor: string;
      readonly snapshot: Snapshot;
      /** The tree that was there before. */
      readonly from: string;
      readonly files: number;
      readonly kept: readonly UnrestoredFile[];
    };

/** Returns the folder with the snapshots of a database. */
export function snapshotsOf(db: string): string {
  return `${db}.snapshots`;
}

/** The records of all runs of one database. */
export class SnapshotLog {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  /** The lines of a run; empty if none of its steps took a snapshot. */
  read(run: string): readonly SnapshotLine[] {
    let text: string;
    try {
      text = readFileSync(this.fileOf(run), 'utf8');
    } catch {
      return [];
    }
    const lines = text.split('\n').map((line) => parseJson(line) as SnapshotLine | undefined);
    return lines.filter((line) => line !== undefined);
  }

  /** Adds lines; they are on disk when it returns. */
  add(run: string, ...lines: readonly SnapshotLine[]): void {
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    const file = appendPlainFile(this.fileOf(run));
    try {
      // The line break at the start separates it from an incomplete line.
      writeSync(file, `\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** The snapshot repository of a run; undefined if it has none. */
  repositoryOf(run: string): SnapshotRepository | undefined {
    const place = this.read(run).findLast((line) => line.is === 'place')?.place;
    return place === undefined ? undefined : new SnapshotRepository(place, this.home);
  }

  /** Removes the snapshots of runs. If a repository no longer exists, its snapshots do not either. */
  async remove(runs: readonly string[]): Promise<void> {
    const known = new Set(this.names());
    for (const run of runs.filter((id) => known.has(`${id}.jsonl`))) {
      await this.repositoryOf(run)?.forget(run);
      rmSync(this.fileOf(run), { force: true });
    }
  }

  /** The runs that have snapshots. */
  runs(): readonly string[] {
    return this.names().flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : []));
  }

  private names(): readonly string[] {
    try {
      return readdirSync(this.home);
    } catch {
      return [];
    }
  }

  private fileOf(run: string): string {
    return join(this.home, `${run}.jsonl`);
  }
}

/** The attempts that began and have no recorded end. */
export function openAttempts(lines: readonly SnapshotLine[]): readonly BeginLine[] {
  const open = new Map<string, BeginLine>();
  for (const line of lines) {
    if (line.is === 'before') open.set(line.path, line);
    else if (line.is === 'after') open.delete(line.path);
  }
  return [...open.values()];
}

/** The failed attempts whose files were not restored, because that was interrupted. */
export function unrestored(lines: readonly SnapshotLine[]): readonly Extract<SnapshotLine, { readonly is: 'after' }>[] {
  const pending = new Map<string, Extract<SnapshotLine, { readonly is: 'after' }>>();
  for (const line of lines) {
    if (line.is === 'undone') pending.clear();
    else if (line.is === 'restored' || line.is === 'before') pending.delete(line.path);
    else if (line.is === 'after' && line.fails === true) pending.set(line.path, line);
  }
  return [...pending.values()];
}
