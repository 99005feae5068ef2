// Owns what the benchmarks read off a server that is a process of its own: its address, CPU time, memory and open handles.

import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The address that `pawl serve --json` prints, once it listens. */
export function addressOf(child: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      text += chunk.toString();
      const [, url] = /"url": "(.*?)"/.exec(text) ?? [];
      if (url !== undefined && text.includes('"pid"')) resolve(url);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('close', () => reject(new Error(`serve ended: ${text}`)));
  });
}

const TICK_MS = 10;

/** The CPU time that a process has used, all threads together, in steps of 10 ms. */
export function cpuMsOf(pid: number): number {
  const [user = '0', system = '0'] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
  return (Number(user) + Number(system)) * TICK_MS;
}

/** The memory of a process that is in RAM. */
export function rssMbOf(pid: number): number {
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

/** How many files, sockets and pipes a process has open. */
export function handlesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
