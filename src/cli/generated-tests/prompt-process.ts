// Owns running a generated case in a separate process: `pawl prompt` with the values of the case, as a user would call it.

import { spawn } from 'node:child_process';
import type { GeneratedCase } from '../../proof/generated/inputs.ts';
import type { Shell } from '../shell.ts';
import { plain } from '../terminal.ts';

const OUTPUT_CHARACTERS_MAX = 400;
const TIMEOUT_MS = 60_000;

/** Runs the command for a case; returns a problem if it fails. */
export async function promptProblems(shell: Shell, workflow: string, { step, params, args }: GeneratedCase): Promise<readonly string[]> {
  const named = shell.named.flatMap(([option, value]) => [`--${option}`, value]);
  const words = ['prompt', workflow, step, '--params', JSON.stringify({ ...params, ...args }), '--json', ...named];
  const { code, stderr } = await runCommand(shell, words);
  if (code === 0) return [];
  const why = plain(stderr).trim().slice(-OUTPUT_CHARACTERS_MAX);
  return [`"pawl ${words.slice(0, 3).join(' ')}" exited with ${code ?? 'no code'}${why === '' ? '' : `: ${why}`}`];
}

function runCommand(shell: Shell, words: readonly string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [process.argv[1] as string, ...words], {
      cwd: shell.cwd,
      env: { ...shell.env },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TIMEOUT_MS,
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stderr }));
  });
}
