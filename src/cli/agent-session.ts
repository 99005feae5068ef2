// Owns the runs of each session of a coding agent, so that its hooks know them and two sessions do not work on the same
// run by accident. Claude Code passes the session id to the programs it starts, in the environment, and to its hooks, on
// stdin; for other programs the agent's process identifies the session (`PAWL_AGENT` names the program). A session is a file
// in the user's state directory, named after the digest of its id, so it is the same in every folder.
//
// - A session is live while one of its processes is: its MCP server, or the agent itself.
// - After "/clear" Claude Code continues under a new id, which a running server does not learn. The old record then points to
//   the new id, and lookups by the old id follow it.

import { join } from 'node:path';
import { findAgentProcess, readAncestors } from '../authority/ancestry.ts';
import { changeStateFile } from '../authority/state-file.ts';
import { digestText } from '../base/digest.ts';
import { omitUndefined } from '../base/fields.ts';
import { readPlainFile } from '../base/plain-file.ts';
import { formatIdentity, identityOf, livenessOf, parseIdentity } from '../process/identity.ts';
import { readProcess } from '../process/process-table.ts';
import { namesIn, stateHome } from './project.ts';
import type { Shell } from './shell.ts';

/** A run of a session, and the database it is in. */
export interface SessionRun {
  readonly run: string;
  readonly db: string;
  /** The session works on the run but did not start it, so it cannot cancel it. */
  readonly taken?: true;
}

/** A session as stored. */
export interface AgentSession {
  readonly id: string;
  readonly runs: readonly SessionRun[];
  /** How often the agent was prevented from stopping while its runs stayed at the same position, if it ever was. */
  readonly kept?: { readonly at: string; readonly times: number };
  /** The MCP servers and agent processes of the session. */
  readonly processes?: readonly string[];
  /** The id under which the same agent continues. */
  readonly movedTo?: string;
}

const ID_MAX = 200;
const DIGEST_LENGTH = 32;
const MOVES_MAX = 100;
const PROCESSES_MAX = 4;

/** The current session of the agent that started this process, if an agent did. */
export function callingSession(shell: Shell): string | undefined {
  const id = shell.env.CLAUDE_CODE_SESSION_ID;
  return isSessionId(id) ? currentSession(shell, id) : agentProcessSession(shell, shell.env.PAWL_AGENT);
}

/**
 * The session of an agent that passes no session id to the programs it starts: it is identified by the nearest ancestor
 * process of that program, which its MCP server and its hooks have in common.
 */
export function agentProcessSession({ context }: Shell, agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  const names = [agent, `${agent}-cli`];
  const found = (context.ancestors?.() ?? readAncestors()).find(({ programs }) => programs.some((program) => names.includes(program)));
  const row = found === undefined ? undefined : readProcess(found.pid);
  return row === undefined ? undefined : `${agent}:${row.pid}:${row.start}`;
}

/** Whether something is a valid session id. */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= ID_MAX;
}

function currentSession(shell: Shell, id: string): string {
  let now = id;
  for (let moves = 0; moves < MOVES_MAX; moves += 1) {
    const { movedTo } = readSession(shell, now);
    if (movedTo === undefined) return now;
    now = movedTo;
  }
  return now;
}

/** The session that a run is added to, and a process of it; by default those of the calling agent. */
interface Binding {
  readonly session?: string | undefined;
  readonly process?: string | undefined;
}

/** Adds a run to the session of the agent that started this process, if an agent did. */
export function bindRun(shell: Shell, run: SessionRun, binding: Binding = {}): void {
  const id = binding.session ?? callingSession(shell);
  if (id === undefined) return;
  const process = binding.process ?? agentProcess(shell);
  const added = (session: AgentSession): AgentSession => ({
    ...session,
    runs: session.runs.some((known) => isSameRun(known, run)) ? session.runs : [...session.runs, run],
    ...omitUndefined({ processes: withProcess(session.processes, process) }),
  });
  const before = readSession(shell, id);
  if (JSON.stringify(added(before)) !== JSON.stringify(before)) changeSession(shell, id, added);
}

function withProcess(known: readonly string[] = [], added: string | undefined): readonly string[] | undefined {
  if (added === undefined || known.includes(added)) return known.length === 0 ? undefined : known;
  return [...known.filter(isAlive), added].slice(-PROCESSES_MAX);
}

/** Whether two records are about the same run. */
export function isSameRun(one: SessionRun, other: SessionRun): boolean {
  return one.run === other.run && one.db === other.db;
}

/** Moves a run from the sessions that have it to the session of this process. */
export function assignRun(shell: Shell, run: SessionRun, binding: Binding = {}): void {
  const id = binding.session ?? callingSession(shell);
  if (id === undefined || readSession(shell, id).runs.some((known) => isSameRun(known, run))) return bindRun(shell, run, binding);
  for (const other of readSessions(shell))
    if (other.id !== id && other.runs.some((known) => isSameRun(known, run)))
      changeSession(shell, other.id, (now) => ({ ...now, runs: now.runs.filter((known) => !isSameRun(known, run)) }));
  bindRun(shell, { ...run, taken: true }, binding);
}

/**
 * Whether the session of the calling agent started a run that matches. The session id is only an environment variable, so if
 * the session has live processes, one of them must belong to the same agent.
 */
export function hasStarted(shell: Shell, matches: (run: string) => boolean): boolean {
  const id = callingSession(shell);
  const { runs, processes = [] } = id === undefined ? { runs: [] } : readSession(shell, id);
  if (!runs.some(({ run, taken }) => taken !== true && matches(run))) return false;
  const live = processes.filter(isAlive);
  const agent = agentProcess(shell);
  return live.length === 0 || agent === undefined || live.some((process) => belongsTo(process, agent));
}

/** Whether a live session other than this one works on a run. */
export function isHeldByOther(shell: Shell, run: SessionRun, session: string | undefined = callingSession(shell)): boolean {
  return readSessions(shell).some(
    ({ id, runs, processes = [] }) => id !== session && runs.some((known) => isSameRun(known, run)) && processes.some(isAlive),
  );
}

/** Whether a process may still run. A process on another machine cannot be checked, so it counts as alive. */
function isAlive(text: string): boolean {
  const identity = parseIdentity(text);
  return identity !== undefined && livenessOf(identity) !== 'dead';
}

/** The sessions of this user that have runs. */
function readSessions(shell: Shell): readonly AgentSession[] {
  return namesIn(folderOf(shell))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => parseSession(join(folderOf(shell), name)) ?? [])
    .filter(({ runs }) => runs.length > 0);
}

/** Reads a session. If its file is missing or damaged it has no runs, so its agent may always stop. */
export function readSession(shell: Shell, id: string): AgentSession {
  return parseSession(fileOf(shell, id)) ?? { id, runs: [] };
}

function parseSession(file: string): AgentSession | undefined {
  try {
    const { id, runs, kept, processes, movedTo } = JSON.parse(readPlainFile(file).toString('utf8')) as AgentSession;
    return Array.isArray(runs) ? { id, runs, ...omitUndefined({ kept, processes, movedTo }) } : undefined;
  } catch {
    return undefined;
  }
}

/** Changes a session under a lock. One without runs is removed, unless it points to a new id. */
export function changeSession(shell: Shell, id: string, change: (session: AgentSession) => AgentSession): void {
  changeStateFile({ file: fileOf(shell, id), what: 'the session of the agent', hasSum: false }, () => {
    const before = readSession(shell, id);
    const now = change(before);
    if (JSON.stringify(before) === JSON.stringify(now)) return { result: undefined };
    return { text: now.runs.length === 0 && now.movedTo === undefined ? null : `${JSON.stringify(now)}\n`, result: undefined };
  });
}

/** Moves the runs of earlier sessions of the calling agent to its current session. */
export function moveSessions(shell: Shell, to: string): void {
  const agent = agentProcess(shell);
  if (agent === undefined) return;
  for (const from of readSessions(shell)) {
    if (from.id === to || !(from.processes ?? []).some((process) => belongsTo(process, agent))) continue;
    changeSession(shell, from.id, (now) => ({ ...now, runs: [], movedTo: to }));
    changeSession(shell, to, (now) => ({ ...now, runs: [...now.runs, ...from.runs], ...omitUndefined({ processes: from.processes }) }));
  }
}

function agentProcess(shell: Shell): string | undefined {
  return identityText(findAgentProcess(process.pid, shell.env, shell.context.ancestors?.()));
}

function belongsTo(process: string, agent: string): boolean {
  if (process === agent) return true;
  const identity = parseIdentity(process);
  return identity !== undefined && livenessOf(identity) === 'alive' && identityText(findAgentProcess(identity.pid)) === agent;
}

function identityText(pid: number | undefined): string | undefined {
  const identity = pid === undefined ? undefined : identityOf(pid);
  return identity === undefined ? undefined : formatIdentity(identity);
}

/** The identity of this process. */
export function currentProcess(): string | undefined {
  return identityText(process.pid);
}

function folderOf(shell: Shell): string {
  return join(stateHome(shell), 'sessions');
}

function fileOf(shell: Shell, id: string): string {
  return join(folderOf(shell), `${digestText(id).slice(0, DIGEST_LENGTH)}.json`);
}
