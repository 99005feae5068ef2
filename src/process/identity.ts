// Owns who a process is, so that another one can later prove that it is gone. A pid alone proves nothing: it
// is reused. It refuses to guess: whatever cannot be proved is `unknown`.
//
// I1. `dead` is said only on the machine of the process, and only when it cannot be running any more. The machine is told
//     by the id of its boot and its own id, never by its host name, which containers and networks change.
// I2. Processes of two pid namespaces (containers) never judge each other by pid.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readProcess } from './process-table.ts';

/** Names one process on one boot of one machine. */
export interface ProcessIdentity {
  /**
   * `id:` and the id of the machine; inside a container, followed by `#` and the pid namespace. Earlier versions wrote the
   * host name instead of the id.
   */
  readonly host: string;
  /** The id of the boot; empty where the system has none. */
  readonly boot: string;
  readonly pid: number;
  /** When the process started, as the system spells it (Linux: clock ticks since boot). */
  readonly start: string;
}

/** Whether a process is running, is provably not, or cannot be judged from here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';
/** What tells the id of a machine from the host name that earlier versions wrote. */
const ID = 'id:';

let here: { readonly host: string; readonly boot: string } | undefined;

/** The identity of a running process, this one by default; undefined if there is none of that number. */
export function identityOf(pid: number = process.pid): ProcessIdentity | undefined {
  const row = readProcess(pid);
  if (row === undefined || row.ended) return undefined;
  return { ...currentPlace(), pid, start: row.start };
}

/** One compact text for a column, `host|boot|pid|start`. */
export function formatIdentity(identity: ProcessIdentity): string {
  return [identity.host, identity.boot, identity.pid, identity.start].join('|');
}

/** Reads what `formatIdentity` wrote; undefined for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const match = /^(.+)\|([^|]*)\|([1-9]\d*)\|([^|]+)$/s.exec(text);
  if (match === null) return undefined;
  const [, host, boot, pid, start] = match as unknown as [string, string, string, string, string];
  return Number.isSafeInteger(Number(pid)) ? { host, boot, pid: Number(pid), start } : undefined;
}

/** Whether the process with this identity still runs, as far as this process can prove it. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const place = currentPlace();
  const isOtherBoot = identity.boot !== '' && place.boot !== '' && identity.boot !== place.boot;
  const isSameMachine = machineOf(identity.host) === (isId(identity.host) ? machineOf(place.host) : hostname());
  // The id of a machine may be part of an image that many containers are made of.
  if (isOtherBoot) return isSameMachine && !isContained(identity.host) && !isContained(place.host) ? 'dead' : 'unknown';
  // The same boot is the same machine, whatever it calls itself by now.
  if (!(identity.boot !== '' && identity.boot === place.boot) && !isSameMachine) return 'unknown';
  if (namespaceOf(identity.host) !== namespaceOf(place.host)) return 'unknown';
  const row = readProcess(identity.pid);
  if (row === undefined) return isVacant(identity.pid) ? 'dead' : 'unknown';
  return row.ended || row.start !== identity.start ? 'dead' : 'alive';
}

/** True when the process belonged to an earlier boot of this host, so that nothing it started can be running. */
export function isOfEarlierBoot(identity: ProcessIdentity): boolean {
  const place = currentPlace();
  return livenessOf(identity) === 'dead' && identity.boot !== '' && place.boot !== '' && identity.boot !== place.boot;
}

function isId(host: string): boolean {
  return host.startsWith(ID);
}

function machineOf(host: string): string {
  return (isId(host) ? host.slice(ID.length) : host).replace(/#\d+$/, '');
}

function namespaceOf(host: string): string {
  return /#(\d+)$/.exec(host)?.[1] ?? '';
}

function isContained(host: string): boolean {
  return namespaceOf(host) !== '';
}

// A process that cannot be read may only be hidden from us; the kernel still says whether the number is taken.
function isVacant(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function currentPlace(): { readonly host: string; readonly boot: string } {
  here ??= { host: readHost(), boot: readBoot() };
  return here;
}

function readHost(): string {
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  const place = `${ID}${readMachine()}`;
  return namespace === '' || namespace === INITIAL_PID_NAMESPACE ? place : `${place}#${namespace.replace(/\D/g, '')}`;
}

/** The id of this machine; where the system has none, its name has to do. */
function readMachine(): string {
  const id = attempt(() => readFileSync('/etc/machine-id', 'utf8').trim());
  return /^[0-9a-f]{32}$/.test(id) ? id : hostname();
}

function readBoot(): string {
  if (process.platform === 'linux') return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  return attempt(() =>
    process
      .getBuiltinModule('node:child_process')
      .execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', stdio: 'pipe' })
      .trim(),
  );
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
