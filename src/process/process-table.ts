// Owns the operating system's list of processes. On Linux it reads /proc; elsewhere it runs `ps`, which shows neither
// sessions nor environments, so fewer stray processes are recognised there. It only reads and sends no signals.

import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

/** The variable that every process of a command inherits, and that identifies stray processes. */
export const MARK_VARIABLE = 'PAWL_MARK';

/** One process at the time of reading. `pid` and `start` together identify it within one boot. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** The session, or the process group if the system does not report it. */
  readonly session: number;
  readonly start: string;
  /** True for a zombie: it has ended and only waits for its parent. */
  readonly ended: boolean;
  /** True if it was stopped by a signal and has not been continued. */
  readonly stopped: boolean;
}

const HAS_PROC = process.platform === 'linux';
const PS_COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=';

/** Returns the process with a pid, including zombies, or undefined if there is none visible. */
export function readProcess(pid: number): ProcessRow | undefined {
  if (!HAS_PROC) return readPs(['-p', String(pid)])[0];
  const text = readProcFile(pid, 'stat');
  return text === undefined ? undefined : parseStat(text.toString('latin1'));
}

/** Returns every visible process that has not ended. */
export function readProcesses(): ProcessRow[] {
  const rows = HAS_PROC ? readProc() : readPs(['-ax']);
  return rows.filter((row) => !row.ended);
}

/** Returns the command line of a process; empty if it cannot be read. */
export function readCommand(pid: number): string[] {
  if (!HAS_PROC)
    return runPs(['-p', String(pid), '-o', 'command='])
      .trim()
      .split(/\s+/);
  return (readProcFile(pid, 'cmdline')?.toString() ?? '').split('\0').slice(0, -1);
}

/** Returns the environment a process was started with, or undefined if it cannot be read. */
export function readEnvironment(pid: number): Record<string, string> | undefined {
  const text = HAS_PROC ? readProcFile(pid, 'environ')?.toString() : undefined;
  return text === undefined ? undefined : Object.fromEntries(text.split('\0').map(pairOf));
}

function pairOf(entry: string): readonly [name: string, value: string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}

/** True if the environment that the process was started with contains exactly this mark. */
export function carriesMark(pid: number, mark: string): boolean {
  const environment = HAS_PROC ? readProcFile(pid, 'environ') : undefined;
  if (environment === undefined) return false;
  const entry = Buffer.from(`${MARK_VARIABLE}=${mark}`);
  for (let at = environment.indexOf(entry); at !== -1; at = environment.indexOf(entry, at + 1)) {
    const end = at + entry.length;
    if ((at === 0 || environment[at - 1] === 0) && (end === environment.length || environment[end] === 0)) return true;
  }
  return false;
}

/** Parses a line of /proc/<pid>/stat. The name in parentheses may contain spaces and parentheses. */
export function parseStat(text: string): ProcessRow | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
  const [state, ppid, pgid, session] = fields;
  const threads = Number(fields[17]);
  const start = fields[19];
  if (!(pid > 0) || start === undefined || !/^\d+$/.test(start)) return undefined;
  // A program whose first thread has returned looks like a zombie while its other threads still work.
  const ended = (state === 'Z' || state === 'X') && threads <= 1;
  return { pid, ppid: Number(ppid), pgid: Number(pgid), session: Number(session), start, ended, stopped: state === 'T' || state === 't' };
}

/** Parses a line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. */
export function parsePsLine(line: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
  if (match === null) return undefined;
  const [pid, ppid, pgid] = match.slice(1, 4).map(Number) as [number, number, number];
  const [state = '', start = ''] = match.slice(4);
  return { pid, ppid, pgid, session: pgid, start, ended: state.startsWith('Z'), stopped: state.startsWith('T') };
}

function readProc(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first < 48 || first > 57) continue;
    const row = readProcess(Number(name));
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

// One shared buffer: a listing reads hundreds of files, and each would allocate 64 KB.
const page = Buffer.allocUnsafeSlow(1 << 16);

/** Reads a file of a process. The content is valid until the next call. */
function readProcFile(pid: number, file: 'stat' | 'environ' | 'cmdline'): Buffer | undefined {
  const path = `/proc/${pid}/${file}`;
  try {
    const descriptor = openSync(path, 'r');
    try {
      let length = readSync(descriptor, page);
      // The system returns `stat` in one read, the other files in several.
      for (let read = file === 'stat' ? 0 : length; read > 0 && length < page.length; length += read)
        read = readSync(descriptor, page, length, page.length - length, null);
      return length < page.length ? page.subarray(0, length) : readFileSync(path);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The process has ended, or processes of its user are hidden from us.
    return undefined;
  }
}

function readPs(selection: readonly string[]): ProcessRow[] {
  const lines = runPs([...selection, '-o', PS_COLUMNS]).split('\n');
  return lines.map(parsePsLine).filter((row) => row !== undefined);
}

function runPs(args: readonly string[]): string {
  try {
    const env = { ...process.env, LC_ALL: 'C' };
    return process
      .getBuiltinModule('node:child_process')
      .execFileSync('ps', args, { encoding: 'utf8', env, maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // `ps` exits with 1 if nothing matches.
    return '';
  }
}
