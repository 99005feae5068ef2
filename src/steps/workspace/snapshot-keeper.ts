// Stores the snapshots of an engine's runs: in a folder next to its database, or in a temporary one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSnapshotLocation, SnapshotRepository, type SnapshotSource } from '../../process/snapshot-repository.ts';
import type { Snapshot, SnapshotLocation } from '../../process/snapshot-scan.ts';
import { type SnapshotLine, SnapshotLog } from './snapshot-log.ts';

/** The abort reason if the run continues without the attempt, because it timed out or was cancelled. */
export const DROPPED: DOMException = new DOMException('the run continued without this attempt', 'AbortError');

/** Takes and stores the snapshots of an engine's runs. */
export class SnapshotKeeper {
  /** True if snapshots of every step that may write are kept; otherwise only of those that may have to be restored. */
  readonly isKept: boolean;
  private folder: string | undefined;
  private readonly repositories = new Map<string, Promise<SnapshotRepository | undefined>>();
  private readonly places = new Map<string, string>();

  /** Without a folder, snapshots live as long as the engine. */
  constructor(folder: string | undefined) {
    this.folder = folder;
    this.isKept = folder !== undefined;
  }

  get log(): SnapshotLog {
    this.folder ??= mkdtempSync(join(tmpdir(), 'pawl-snapshots-'));
    return new SnapshotLog(this.folder);
  }

  /** Removes temporary snapshots. */
  close(): void {
    if (!this.isKept && this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  /** The snapshot repository of a workspace; undefined if it would be empty. Cached per source. */
  async repositoryFor(source: SnapshotSource, key: string): Promise<SnapshotRepository | undefined> {
    const known = this.repositories.get(key) ?? this.open(source);
    this.repositories.set(key, known);
    return await known;
  }

  /** Takes a snapshot for a run and keeps it. */
  async take(run: string, repository: SnapshotRepository, title: string): Promise<Snapshot> {
    const snapshot = await repository.take();
    await repository.keep(run, snapshot.tree, title);
    return snapshot;
  }

  /** Adds a line to a run's record, after a line with its place if that is new. */
  add(run: string, place: SnapshotLocation, line: SnapshotLine): void {
    const text = JSON.stringify(place);
    const isNew = this.places.get(run) !== text;
    this.places.set(run, text);
    this.log.add(run, ...(isNew ? [{ is: 'place' as const, at: line.at, place }] : []), line);
  }

  private async open(source: SnapshotSource): Promise<SnapshotRepository | undefined> {
    const place = await findSnapshotLocation(source);
    return place === undefined ? undefined : new SnapshotRepository(place, this.log.home);
  }
}
