// Owns what the stand-ins of agent programs have in common: they behave as the driver suite requests, and write their pids,
// and a file when they hang, into a folder of the test.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriverBehaviour } from '../../src/proof/driver-suite.ts';

const dir = process.env.STAND_IN_DIR as string;

/** How this stand-in behaves. */
export const behaviour = JSON.parse(process.env.STAND_IN as string) as DriverBehaviour;

/** Records a pid, so that the test can check that the process was ended. */
export function note(pid: number): void {
  writeFileSync(join(dir, `pid-${pid}`), '');
}

/** The prompt without its instructions for the answer. */
export function promptIn(prompt: string): string {
  return prompt.split('\n\n## How to answer\n')[0] as string;
}

/** The answer of the stand-in to the prompts of its session; it may also crash, or never answer. */
export async function wordsFor(prompt: string, prompts: readonly string[] = [prompt]): Promise<string> {
  switch (behaviour.agent) {
    case 'crashes':
      process.stderr.write('the stand-in broke\n');
      return process.exit(3);
    case 'hangs':
      writeFileSync(join(dir, 'begun'), '');
      return await hang();
    case 'sends-garbage':
      return 'It went well, I think.';
    default:
      return `Done.\n${JSON.stringify(replyTo(prompt, prompts))}`;
  }
}

function replyTo(prompt: string, prompts: readonly string[]): object {
  switch (behaviour.agent) {
    case 'answers':
      return { success: behaviour.success ?? true, output: behaviour.output };
    case 'corrects':
      return { success: true, output: prompt.includes(behaviour.feedback) ? { corrected: true } : behaviour.first };
    case 'remembers':
      return { success: true, output: { prompts: prompts.map(promptIn) } };
    case 'lists-env':
      return { success: true, output: { env: Object.keys(process.env) } };
    case 'forks':
      leaveDaemon();
      return { success: true, output: behaviour.output };
    case 'lingers':
      return { success: true, output: behaviour.output };
    default:
      return { success: true, output: { prompt: promptIn(prompt) } };
  }
}

/** Does nothing, and ignores the request to stop. */
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

/** Returns the prompts of a session; undefined if there is no such session. */
export function recall(session: string): readonly string[] | undefined {
  const file = join(dir, `session-${session}`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : undefined;
}

/** Stores the prompts of a session. */
export function remember(session: string, prompts: readonly string[]): void {
  writeFileSync(join(dir, `session-${session}`), JSON.stringify(prompts));
}

/** Reads the whole standard input. */
export async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  return text;
}
