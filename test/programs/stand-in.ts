// Owns what the stand-ins of agent programs have in common: they behave as the driver suite asks, and leave word in a
// folder of the test about the processes they are and about the moment when they hang.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriverBehaviour } from '../../src/proof/driver-suite.ts';

const dir = process.env.STAND_IN_DIR as string;

/** How this stand-in behaves. */
export const behaviour = JSON.parse(process.env.STAND_IN as string) as DriverBehaviour;

/** Says that a process of the test runs, so that the test can see that it does no more. */
export function note(pid: number): void {
  writeFileSync(join(dir, `pid-${pid}`), '');
}

/** What it was told, without how to answer. */
export function promptIn(told: string): string {
  return told.split('\n\n## How to answer\nWhen you have finished, end your answer with one JSON object')[0] as string;
}

/** All that the stand-in says to what it was told, now and earlier; it may also break off, or say nothing ever. */
export async function wordsFor(told: string, heard: readonly string[] = [told]): Promise<string> {
  switch (behaviour.agent) {
    case 'crashes':
      process.stderr.write('the stand-in broke\n');
      return process.exit(3);
    case 'hangs':
      writeFileSync(join(dir, 'begun'), '');
      return await hang();
    case 'babbles':
      return 'It went well, I think.';
    default:
      return `Done.\n${JSON.stringify(replyTo(told, heard))}`;
  }
}

function replyTo(told: string, heard: readonly string[]): object {
  switch (behaviour.agent) {
    case 'answers':
      return { success: behaviour.success ?? true, output: behaviour.output };
    case 'corrects':
      return { success: true, output: told.includes(behaviour.told) ? { corrected: true } : behaviour.first };
    case 'remembers':
      return { success: true, output: { heard: heard.map(promptIn) } };
    case 'looks':
      return { success: true, output: { env: Object.keys(process.env) } };
    case 'forks':
      leaveDaemon();
      return { success: true, output: behaviour.output };
    case 'lingers':
      return { success: true, output: behaviour.output };
    default:
      return { success: true, output: { prompt: promptIn(told) } };
  }
}

/** Does nothing, and does not listen when it is told to stop. */
export function hang(): Promise<never> {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
  return new Promise(() => {});
}

function leaveDaemon(): void {
  const daemon = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  daemon.unref();
  note(daemon.pid as number);
}

/** What a session has heard so far, or undefined when there is none of this name. */
export function recall(session: string): readonly string[] | undefined {
  const file = join(dir, `session-${session}`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : undefined;
}

/** Keeps what a session has heard. */
export function remember(session: string, heard: readonly string[]): void {
  writeFileSync(join(dir, `session-${session}`), JSON.stringify(heard));
}

/** Reads the whole standard input. */
export async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  return text;
}
