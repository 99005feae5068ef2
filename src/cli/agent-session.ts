// Owns which runs belong to a session of a coding agent, so that its Stop hook knows them. Claude Code passes the id of
// the session to the programs it starts, in the environment, and to its hooks, on stdin. A session is a file in the
// user's state directory, named after the digest of its id, so it is the same in every folder.

import { join } from 'node:path';
import { changeStateFile } from '../authority/state-file.ts';
import { digestText } from '../base/digest.ts';
import { readPlainFile } from '../base/plain-file.ts';
import { stateHome } from './project.ts';
import type { Shell } from './shell.ts';

/** A run of a session, and the database it is in. */
export interface SessionRun {
  readonly run: string;
  readonly db: string;
}

/** The record of a session. */
export interface AgentSession {
  readonly id: string;
  /** Its runs, in the order in which they were added. */
  readonly runs: readonly SessionRun[];
  /** How often it was kept from stopping while its runs were at the same position. */
  readonly kept: { readonly at: string; readonly times: number };
}

const ID_MAX = 200;
const DIGEST_LENGTH = 32;

/** The session of the agent that started this process, if an agent did. */
export function callingSession({ env }: Pick<Shell, 'env'>): string | undefined {
  const id = env.CLAUDE_CODE_SESSION_ID;
  return isSessionId(id) ? id : undefined;
}

/** Whether something is a valid session id. */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= ID_MAX;
}

/** Adds a run to the session of the agent that started this process, if an agent did. */
export function bindRun(shell: Shell, run: SessionRun): void {
  const id = callingSession(shell);
  if (id === undefined) return;
  const isIt = (known: SessionRun): boolean => known.run === run.run && known.db === run.db;
  if (readSession(shell, id).runs.some(isIt)) return;
  changeSession(shell, id, (session) => (session.runs.some(isIt) ? session : { ...session, runs: [...session.runs, run] }));
}

/** Reads the record of a session; an unknown session has no runs. */
export function readSession(shell: Shell, id: string): AgentSession {
  try {
    const { runs, kept } = JSON.parse(readPlainFile(fileOf(shell, id)).toString('utf8')) as AgentSession;
    return { id, runs, kept };
  } catch {
    // The file is missing or damaged: a session without runs may always stop.
    return { id, runs: [], kept: { at: '', times: 0 } };
  }
}

/** Changes the record of a session under a lock; the record of a session without runs is removed. */
export function changeSession(shell: Shell, id: string, change: (session: AgentSession) => AgentSession): void {
  changeStateFile({ file: fileOf(shell, id), what: 'the session of the agent', hasSum: false }, () => {
    const before = readSession(shell, id);
    const now = change(before);
    if (JSON.stringify(before) === JSON.stringify(now)) return { result: undefined };
    return { text: now.runs.length === 0 ? null : `${JSON.stringify(now)}\n`, result: undefined };
  });
}

function fileOf(shell: Shell, id: string): string {
  return join(stateHome(shell), 'sessions', `${digestText(id).slice(0, DIGEST_LENGTH)}.json`);
}
