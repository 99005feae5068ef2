// Owns the difference between a command that ran and failed and one that could not be run. The latter proves nothing about
// the work: a gate that could not run neither passes nor fails.

import { accessSync, constants, statSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../base/error.ts';

/** Why a command could not be run. */
export type CommandStartFailureReason = 'not-found' | 'not-executable' | 'cwd-missing' | 'failed';

/** A command that could not be run, and what to do about it. */
export interface CommandStartFailure {
  readonly kind: 'not-run';
  readonly reason: CommandStartFailureReason;
  readonly message: string;
}

/**
 * The name that our shell uses for itself (its `$0`). A shell inside the command uses `sh` or the name of its script,
 * so its messages are not mistaken for ours, in any language.
 */
export const SHELL_NAME = 'pawl-sh';

/** Returns why a command cannot start in a working directory; undefined if it can. */
export function checkWorkingDirectory(cwd: string): CommandStartFailure | undefined {
  const refuse = (fault: string): CommandStartFailure =>
    notRun('cwd-missing', `the working directory ${cwd} ${fault}; create it or use another one`);
  try {
    if (!statSync(cwd).isDirectory()) return refuse('is not a directory');
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return refuse(systemCodeOf(error) === 'EACCES' ? 'is not accessible' : 'does not exist');
  }
}

/**
 * Converts a spawn error into a reason.
 * @internal
 */
export function notStarted(command: string, error: unknown): CommandStartFailure {
  switch (systemCodeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notRun('not-found', `command "${command}" (or the interpreter in its first line) was not found; install it or fix PATH`);
    case 'EACCES':
    case 'ENOEXEC':
      return notRun('not-executable', `"${command}" is not executable; run "chmod +x" on it, or call its interpreter`);
    case 'E2BIG':
      return notRun('failed', `the arguments and environment of "${command}" are too large for the system; pass large values by stdin`);
    default:
      return notRun('failed', `"${command}" could not be started: ${messageOf(error)}`);
  }
}

/** Recognises that our shell could not find (127) or execute (126) a command: the last line is its message, with its name. */
export function notRunByShell(exitCode: number, stderr: string): CommandStartFailure | undefined {
  if (exitCode !== 126 && exitCode !== 127) return undefined;
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith(`${SHELL_NAME}: `)) return undefined;
  const complaint = last.slice(SHELL_NAME.length + 2);
  if (exitCode === 127) return notRun('not-found', `sh could not find a command: ${complaint}; install it or fix PATH`);
  return notRun('not-executable', `sh could not execute a command: ${complaint}; make it executable (chmod +x)`);
}

function notRun(reason: CommandStartFailureReason, message: string): CommandStartFailure {
  return { kind: 'not-run', reason, message };
}
