// Owns which runs belong to a session of an agent, so that its Stop hook knows them. Claude Code names the session to
// the programs it starts, in the environment, and to its hooks, on stdin. It is kept in the user's state directory by
// the digest of that name: an agent that goes to another folder is still the same session.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestText } from '../base/digest.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { stateHome } from './project.ts';
import type { Shell } from './shell.ts';

/** A run of a session, and the database it is in. */
export interface SessionRun {
  readonly run: string;
  readonly db: string;
}

/** What is known of a session. */
export interface AgentSession {
  readonly id: string;
  /** Its runs, in the order in which it took them up. */
  readonly runs: readonly SessionRun[];
  /** How often it was kept from stopping while its runs stood at the same place. */
  readonly kept: { readonly at: string; readonly times: number };
}

const ID_MAX = 200;
const DIGEST_LENGTH = 32;

/** The session of the agent that started this process, if an agent did. */
export function callingSession({ env }: Pick<Shell, 'env'>): string | undefined {
  const id = env.CLAUDE_CODE_SESSION_ID;
  return isSessionId(id) ? id : undefined;
}

/** Whether something is the name of a session. */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= ID_MAX;
}

/** Binds a run to the session of the agent that started this process; without one nothing happens. */
export function bindRun(shell: Shell, run: SessionRun): void {
  const id = callingSession(shell);
  if (id === undefined) return;
  const session = readSession(shell, id);
  if (session.runs.some((known) => known.run === run.run && known.db === run.db)) return;
  writeSession(shell, { ...session, runs: [...session.runs, run] });
}

/** What is known of a session; one that nobody told about has no runs. */
export function readSession(shell: Shell, id: string): AgentSession {
  try {
    const { runs, kept } = JSON.parse(readFileSync(fileOf(shell, id), 'utf8')) as AgentSession;
    return { id, runs, kept };
  } catch {
    // Not there, or damaged: a session without runs may always stop.
    return { id, runs: [], kept: { at: '', times: 0 } };
  }
}

/** Keeps what is known of a session; one without runs is forgotten. */
export function writeSession(shell: Shell, session: AgentSession): void {
  const file = fileOf(shell, session.id);
  const fresh = `${file}.${process.pid}`;
  try {
    if (session.runs.length === 0) return rmSync(file, { force: true });
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, `${JSON.stringify(session)}\n`, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new EngineError('STORE_UNAVAILABLE', `the session of the agent cannot be kept in ${file}: ${messageOf(cause)}`, { cause });
  }
}

function fileOf(shell: Shell, id: string): string {
  return join(stateHome(shell), 'sessions', `${digestText(id).slice(0, DIGEST_LENGTH)}.json`);
}
