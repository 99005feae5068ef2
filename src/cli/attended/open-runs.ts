// Owns which open attended runs belong to a project, and which session works on each.

import { isAbsolute, relative } from 'node:path';
import { sourceOfFile } from '../../attended/attended-run.ts';
import { type ProjectRun, readOpenRuns } from '../../attended/open-runs.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import { callingSession, isHeldByOther, isSameRun, readSession } from '../agent-session.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/** The open attended runs of a project, newest first, and whether the session of the caller or another one works on each. */
export async function readProjectRuns(
  shell: Shell,
  place: Place,
  { store, session = callingSession(shell) }: { readonly store: Store; readonly session?: string | undefined },
): Promise<readonly ProjectRun[]> {
  const own = session === undefined ? [] : readSession(shell, session).runs;
  const runs = await readOpenRuns(sourceOfFile(store, place.file), (run) => isOfProject(place, run));
  return runs.map((run) => {
    const known = { run: run.id, db: place.file };
    const isOwn = own.some((one) => isSameRun(one, known));
    return { run, holder: isOwn ? 'own' : isHeldByOther(shell, known, session) ? 'other' : undefined };
  });
}

/** Whether a run belongs to the project. A database that was named may be shared by several, so there the workflow's file decides. */
function isOfProject({ because, project }: Place, { origin }: RunSummary): boolean {
  if (because === 'default') return true;
  if (origin.file === undefined) return false;
  const path = relative(project.root, origin.file);
  return !path.startsWith('..') && !isAbsolute(path);
}
