// Owns the identity of a process, so that another process can later prove that it has ended. A pid alone proves nothing,
// because it is reused. Anything that cannot be proved is `unknown`.
//
// - `dead` is returned only on the machine of the process, and only if it cannot be running any more. A machine is
//   identified by its boot id and machine id, never by its host name, which containers and networks change.
// - A pid is never compared with one of another pid namespace (container).

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCodeOf } from '../base/error.ts';
import { readProcess } from './process-table.ts';

/** Identifies one process on one boot of one machine. */
export interface ProcessIdentity {
  /** The machine id, or the host name if the system has none; inside a container, followed by `#` and the pid namespace. */
  readonly host: string;
  /** The boot id; undefined if the system has none. */
  readonly boot: string | undefined;
  readonly pid: number;
  /** The start time of the process in the system's format (Linux: clock ticks since boot). */
  readonly start: string;
}

/** `unknown`: this process cannot prove whether the other one is running. */
type Liveness = 'alive' | 'dead' | 'unknown';

const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';

let here: Pick<ProcessIdentity, 'host' | 'boot'> | undefined;

/** Returns the identity of a running process, by default this one. Returns undefined if there is no such process. */
export function identityOf(pid: number = process.pid): ProcessIdentity | undefined {
  const row = readProcess(pid);
  if (row === undefined || row.ended) return undefined;
  return { ...currentPlace(), pid, start: row.start };
}

/** Formats an identity as text for a column: `host|boot|pid|start`. */
export function formatIdentity(identity: ProcessIdentity): string {
  return [identity.host, identity.boot, identity.pid, identity.start].join('|');
}

/** Parses the output of `formatIdentity`. Returns undefined for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, host, boot, pid, start] = /^(.+)\|([^|]+)?\|([1-9]\d*)\|([^|]+)$/s.exec(text) ?? [];
  if (host === undefined || start === undefined || !Number.isSafeInteger(Number(pid))) return undefined;
  return { host, boot, pid: Number(pid), start };
}

/** Whether the process with this identity is still running, as far as this process can prove it. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const place = currentPlace();
  const isOtherBoot = isOfOtherBoot(identity, place);
  const isSameMachine = machineOf(identity.host) === machineOf(place.host);
  // The machine id may come from an image that many containers share.
  if (isOtherBoot) return isSameMachine && !isContained(identity.host) && !isContained(place.host) ? 'dead' : 'unknown';
  // The same boot is the same machine, even if its name has changed.
  if (!(identity.boot !== undefined && identity.boot === place.boot) && !isSameMachine) return 'unknown';
  if (namespaceOf(identity.host) !== namespaceOf(place.host)) return 'unknown';
  const row = readProcess(identity.pid);
  if (row === undefined) return isUnused(identity.pid) ? 'dead' : 'unknown';
  return row.ended || row.start !== identity.start ? 'dead' : 'alive';
}

/** True if the process belonged to an earlier boot of this host, so that nothing it started can be running. */
export function isOfEarlierBoot(identity: ProcessIdentity): boolean {
  return livenessOf(identity) === 'dead' && isOfOtherBoot(identity, currentPlace());
}

function isOfOtherBoot(identity: ProcessIdentity, { boot }: Pick<ProcessIdentity, 'boot'>): boolean {
  return identity.boot !== undefined && boot !== undefined && identity.boot !== boot;
}

function machineOf(host: string): string {
  return host.replace(/#\d+$/, '');
}

/** The pid namespace of a container. */
function namespaceOf(host: string): string | undefined {
  return /#(\d+)$/.exec(host)?.[1];
}

function isContained(host: string): boolean {
  return namespaceOf(host) !== undefined;
}

// An unreadable process may be hidden from us, but `kill` shows whether the pid is in use.
function isUnused(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ESRCH';
  }
}

function currentPlace(): Pick<ProcessIdentity, 'host' | 'boot'> {
  here ??= { host: readHost(), boot: readBoot() };
  return here;
}

function readHost(): string {
  const namespace = readIfAny(() => readlinkSync('/proc/self/ns/pid'));
  const place = readMachine();
  return namespace === undefined || namespace === INITIAL_PID_NAMESPACE ? place : `${place}#${namespace.replace(/\D/g, '')}`;
}

/** The id of this machine, or its host name if the system has none. */
function readMachine(): string {
  const id = readIfAny(() => readFileSync('/etc/machine-id', 'utf8').trim());
  return id !== undefined && /^[0-9a-f]{32}$/.test(id) ? id : hostname();
}

function readBoot(): string | undefined {
  if (process.platform === 'linux') return readIfAny(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  return readIfAny(() =>
    process
      .getBuiltinModule('node:child_process')
      .execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', stdio: 'pipe' })
      .trim(),
  );
}

/** The value read from the system; undefined if it cannot be read, or is empty. */
function readIfAny(read: () => string): string | undefined {
  try {
    return read() || undefined;
  } catch {
    return undefined;
  }
}
