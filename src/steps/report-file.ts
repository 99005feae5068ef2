// Finds and reads a report of another program. An older one does not count, because it is no evidence of the
// current work.

import { realpath, stat } from 'node:fs/promises';
import { isStoreFile } from '../base/store-files.ts';
import { readWorkspaceFile } from './workspace/workspace-file.ts';
import { locateInWorkspace } from './workspace/workspace-path.ts';

/** Where to search, and since when the report must have been written. */
export interface ReportQuery {
  readonly cwd: string;
  /** Paths inside the workspace; the first that is new enough is read. */
  readonly places: readonly string[];
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** A report, or why there is none. */
export type ReportReading = { readonly path: string; readonly text: string } | { readonly refusal: string };

const BYTES_MAX = 64 << 20;
// The clock of a file system lags a little behind ours, and some store whole seconds.
const LAG_MS = 20;
const SECOND_MS = 1000;

/** Reads the first report that was written in time. */
export async function readFreshReport({ cwd, places, since }: ReportQuery): Promise<ReportReading> {
  const root = await realpath(cwd);
  let stale: { readonly path: string; readonly writtenAt: number } | undefined;
  for (const path of places) {
    const found = await findReport(root, path);
    if (found === undefined) continue;
    if ('refusal' in found) return found;
    if (found.latest >= since) return read(path, found.real);
    if (stale === undefined || found.writtenAt > stale.writtenAt) stale = { path, writtenAt: found.writtenAt };
  }
  if (stale === undefined) return { refusal: `there is no report; searched for ${places.join(', ')}` };
  const times = `it was written at ${timeOf(stale.writtenAt)}, and this began at ${timeOf(since)}`;
  return {
    refusal: `the report ${stale.path} is older than the work that it should be about: ${times}; write a new one before this check`,
  };
}

interface ReportFile {
  readonly real: string;
  readonly writtenAt: number;
  /** The latest time at which it can have been written, given the resolution of its time. */
  readonly latest: number;
}

async function findReport(root: string, path: string): Promise<ReportFile | { readonly refusal: string } | undefined> {
  const place = await locateInWorkspace(root, path);
  if (place.kind !== 'inside')
    return place.kind === 'missing' ? undefined : { refusal: `"${path}" leads out of the workspace; name a path inside it` };
  const facts = await stat(place.real);
  if (!facts.isFile()) return { refusal: `"${path}" is not a file` };
  if (isStoreFile(place.real, facts)) return { refusal: `"${path}" is a file of the database, not a report` };
  if (facts.size > BYTES_MAX) return { refusal: `the report ${path} has ${facts.size} bytes; at most ${BYTES_MAX} are allowed` };
  // Anyone can set the modification time, but not the change time.
  const writtenAt = Math.min(facts.mtimeMs, facts.ctimeMs);
  return { real: place.real, writtenAt, latest: writtenAt + (writtenAt % SECOND_MS === 0 ? SECOND_MS - 1 : LAG_MS) };
}

async function read(path: string, real: string): Promise<ReportReading> {
  const bytes = await readWorkspaceFile(real);
  if (bytes === undefined) return { refusal: `the report ${path} was deleted again` };
  try {
    return { path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { refusal: `the report ${path} is not UTF-8` };
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
