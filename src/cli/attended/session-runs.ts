// Matches the open attended runs of a project with the agent sessions that work on them.

import { sourceOfFile } from '../../attended/attended-run.ts';
import { type ProjectRun, readOpenRuns } from '../../attended/open-runs.ts';
import { isWithin } from '../../base/inside-folder.ts';
import { rootOf } from '../../control/approvals.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import { assignRun, callingSession, isHeldByOther, isSameRun, readSession } from '../agent-session.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';

/** The open attended runs of a project, newest first, and whether the caller's session or another one works on each. */
export async function readProjectRuns(
  shell: Shell,
  setup: Setup,
  { store, session = callingSession(shell) }: { readonly store: Store; readonly session?: string | undefined },
): Promise<readonly ProjectRun[]> {
  const own = session === undefined ? [] : readSession(shell, session).runs;
  const runs = await readOpenRuns(sourceOfFile(store, setup.file), (run) => isOfProject(setup, run));
  return runs.map((run) => {
    const known = { run: run.id, db: setup.file };
    const isOwn = own.some((one) => isSameRun(one, known));
    return { run, holder: isOwn ? 'own' : isHeldByOther(shell, known, session) ? 'other' : undefined };
  });
}

/** Whether a run belongs to the project. Projects can share a database that was named; then the workflow's file decides. */
function isOfProject({ because, project }: Setup, { origin }: RunSummary): boolean {
  if (because === 'default') return true;
  return origin.file !== undefined && isWithin(project.root, origin.file);
}

/** The run that an agent works on. `isNamed`: the agent named it, so it is taken from another session if necessary. */
interface CalledRun {
  readonly store: Store;
  readonly run: string;
  readonly isNamed: boolean;
}

/** Adds a run to the session of the calling agent, so that the agent's hooks know it. An agent inside a run has only that run. */
export async function bindToCaller(shell: Shell, { file }: Setup, { store, run, isNamed }: CalledRun): Promise<void> {
  if (shell.env.CLAUDE_CODE_SESSION_ID === undefined || (shell.env.PAWL_RUN ?? '') !== '') return;
  const called = { run: await rootOf(store, run), db: file };
  if (isNamed || !isHeldByOther(shell, called)) assignRun(shell, called);
}
