// Measures a server in a separate process: its address, CPU time, memory and open handles.

import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Waits until `pawl serve --json` prints its address, and returns it. */
export function addressOf(child: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const [, url] = /"url": "(.*?)"/.exec(text) ?? [];
      if (url !== undefined && text.includes('"pid"')) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', () => reject(new Error(`serve ended: ${text}`)));
  });
}

const TICK_MS = 10;

/** The CPU time of all threads of a process, with a resolution of 10 ms. */
export function cpuMsOf(pid: number): number {
  const [user = '0', system = '0'] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
  return (Number(user) + Number(system)) * TICK_MS;
}

/** The resident memory of a process. */
export function rssMbOf(pid: number): number {
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

/** The number of open files, sockets and pipes of a process. */
export function handlesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
