// Owns which runs belong to a session of a coding agent, so that its hooks know them, and that a run is not handed to two
// sessions by accident. Claude Code passes the id of the session to the programs it starts, in the environment, and to its
// hooks, on stdin; for other programs the process of the agent is the session (`PAWL_AGENT` names the program). A session
// is a file in the user's state directory, named after the digest of its id, so it is the same in every folder.
//
// - A session lives while one of the processes that spoke for it lives: its MCP server, or the agent's own process.
// - After "/clear" Claude Code continues with a new id, which a running server does not learn: the old record then names the
//   new one, and everything that asks with the old id gets the new one.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findAgentProcess, readAncestors } from '../authority/ancestry.ts';
import { changeStateFile } from '../authority/state-file.ts';
import { digestText } from '../base/digest.ts';
import { present } from '../base/fields.ts';
import { readPlainFile } from '../base/plain-file.ts';
import { formatIdentity, identityOf, livenessOf, parseIdentity } from '../process/identity.ts';
import { readProcess } from '../process/process-table.ts';
import { stateHome } from './project.ts';
import type { Shell } from './shell.ts';

/** A run of a session, and the database it is in. */
export interface SessionRun {
  readonly run: string;
  readonly db: string;
  /** The session took it up but did not start it: it does the steps of the run, and cannot cancel it. */
  readonly taken?: true;
}

/** The record of a session. */
export interface AgentSession {
  readonly id: string;
  /** Its runs, in the order in which they were added. */
  readonly runs: readonly SessionRun[];
  /** How often it was kept from stopping while its runs were at the same position. */
  readonly kept: { readonly at: string; readonly times: number };
  /** The processes that spoke for it. */
  readonly processes?: readonly string[];
  /** The session in which the same agent continues. */
  readonly movedTo?: string;
}

const ID_MAX = 200;
const DIGEST_LENGTH = 32;
const MOVES_MAX = 100;
const PROCESSES_MAX = 4;

/** The session of the agent that started this process, if an agent did; the present one, if it has moved since. */
export function callingSession(shell: Shell): string | undefined {
  const id = shell.env.CLAUDE_CODE_SESSION_ID;
  return isSessionId(id) ? currentSession(shell, id) : agentProcessSession(shell, shell.env.PAWL_AGENT);
}

/**
 * The session of an agent that passes no session id to the programs it starts: the nearest parent process that is the
 * named program. Its MCP server and its hooks both have that parent, so they agree on it.
 */
export function agentProcessSession({ world }: Shell, agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  const names = [agent, `${agent}-cli`];
  const found = (world.ancestors?.() ?? readAncestors()).find(({ programs }) => programs.some((program) => names.includes(program)));
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

/** Who a run is given to. `process`: the process that speaks for the session; by default that of the agent. */
interface Binding {
  readonly session?: string | undefined;
  readonly process?: string | undefined;
}

/** Adds a run to the session of the agent that started this process, if an agent did. */
export function bindRun(shell: Shell, run: SessionRun, binding: Binding = {}): void {
  const id = binding.session ?? callingSession(shell);
  if (id === undefined) return;
  const speaker = binding.process ?? agentProcess(shell);
  const added = (session: AgentSession): AgentSession => ({
    ...session,
    runs: session.runs.some((known) => isSameRun(known, run)) ? session.runs : [...session.runs, run],
    ...present({ processes: withProcess(session.processes, speaker) }),
  });
  const before = readSession(shell, id);
  if (JSON.stringify(added(before)) !== JSON.stringify(before)) changeSession(shell, id, added);
}

function withProcess(known: readonly string[] = [], speaker: string | undefined): readonly string[] | undefined {
  if (speaker === undefined || known.includes(speaker)) return known.length === 0 ? undefined : known;
  return [...known.filter(isAlive), speaker].slice(-PROCESSES_MAX);
}

/** Whether two records are about the same run. */
export function isSameRun(one: SessionRun, other: SessionRun): boolean {
  return one.run === other.run && one.db === other.db;
}

/** Gives a run to the session of this process, and takes it from the sessions that had it. */
export function assignRun(shell: Shell, run: SessionRun, binding: Binding = {}): void {
  const id = binding.session ?? callingSession(shell);
  if (id === undefined || readSession(shell, id).runs.some((known) => isSameRun(known, run))) return bindRun(shell, run, binding);
  for (const other of readSessions(shell))
    if (other.id !== id && other.runs.some((known) => isSameRun(known, run)))
      changeSession(shell, other.id, (now) => ({ ...now, runs: now.runs.filter((known) => !isSameRun(known, run)) }));
  bindRun(shell, { ...run, taken: true }, binding);
}

/**
 * Whether the agent that started this process has started a run in its session. The id of the session is only a variable,
 * so while a process speaks for the session, it must be one of the same agent.
 */
export function hasStarted(shell: Shell, isMeant: (run: string) => boolean): boolean {
  const id = callingSession(shell);
  const { runs, processes = [] } = id === undefined ? { runs: [] } : readSession(shell, id);
  if (!runs.some(({ run, taken }) => taken !== true && isMeant(run))) return false;
  const live = processes.filter(isAlive);
  const agent = agentProcess(shell);
  return live.length === 0 || agent === undefined || live.some((one) => one === agent || agentOfServer(one) === agent);
}

/** Whether a live session other than this one works on a run. */
export function isHeldByOther(shell: Shell, run: SessionRun, session: string | undefined = callingSession(shell)): boolean {
  return readSessions(shell).some((other) => other.id !== session && other.runs.some((known) => isSameRun(known, run)) && isLive(other));
}

function isLive({ processes = [] }: AgentSession): boolean {
  return processes.some(isAlive);
}

/** Whether a process may still run. One of another machine cannot be seen, so it counts as alive. */
function isAlive(text: string): boolean {
  const identity = parseIdentity(text);
  return identity !== undefined && livenessOf(identity) !== 'dead';
}

/** The sessions of this user that have runs. */
function readSessions(shell: Shell): readonly AgentSession[] {
  let names: string[];
  try {
    names = readdirSync(folderOf(shell));
  } catch {
    // Without the folder there are none.
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readFile(join(folderOf(shell), name)) ?? [])
    .filter(({ runs }) => runs.length > 0);
}

/** Reads the record of a session; an unknown session has no runs. */
export function readSession(shell: Shell, id: string): AgentSession {
  // The file is missing or damaged: a session without runs may always stop.
  return readFile(fileOf(shell, id)) ?? { id, runs: [], kept: { at: '', times: 0 } };
}

function readFile(file: string): AgentSession | undefined {
  try {
    const { id, runs, kept, processes, movedTo } = JSON.parse(readPlainFile(file).toString('utf8')) as AgentSession;
    return Array.isArray(runs) ? { id, runs, kept, ...present({ processes, movedTo }) } : undefined;
  } catch {
    return undefined;
  }
}

/** Changes the record of a session under a lock; the record of a session without runs is removed, unless it has moved. */
export function changeSession(shell: Shell, id: string, change: (session: AgentSession) => AgentSession): void {
  changeStateFile({ file: fileOf(shell, id), what: 'the session of the agent', hasSum: false }, () => {
    const before = readSession(shell, id);
    const now = change(before);
    if (JSON.stringify(before) === JSON.stringify(now)) return { result: undefined };
    return { text: now.runs.length === 0 && now.movedTo === undefined ? null : `${JSON.stringify(now)}\n`, result: undefined };
  });
}

/** Moves the runs of earlier sessions of the same agent process to its current session. */
export function moveSessions(shell: Shell, to: string): void {
  const agent = agentProcess(shell);
  if (agent === undefined) return;
  for (const from of readSessions(shell)) {
    if (from.id === to || !(from.processes ?? []).some((one) => one === agent || agentOfServer(one) === agent)) continue;
    changeSession(shell, from.id, (now) => ({ ...now, runs: [], movedTo: to }));
    changeSession(shell, to, (now) => ({ ...now, runs: [...now.runs, ...from.runs], ...present({ processes: from.processes }) }));
  }
}

/** The process of the agent that started this one. */
function agentProcess(shell: Shell): string | undefined {
  return identityText(findAgentProcess(process.pid, shell.env, shell.world.ancestors?.()));
}

/** The agent that started another process, if that is known here. */
function agentOfServer(text: string): string | undefined {
  const identity = parseIdentity(text);
  return identity === undefined || livenessOf(identity) !== 'alive' ? undefined : identityText(findAgentProcess(identity.pid));
}

function identityText(pid: number | undefined): string | undefined {
  const identity = pid === undefined ? undefined : identityOf(pid);
  return identity === undefined ? undefined : formatIdentity(identity);
}

/** This process, as one that speaks for a session. */
export function ownProcess(): string | undefined {
  return identityText(process.pid);
}

function folderOf(shell: Shell): string {
  return join(stateHome(shell), 'sessions');
}

function fileOf(shell: Shell, id: string): string {
  return join(folderOf(shell), `${digestText(id).slice(0, DIGEST_LENGTH)}.json`);
}
