// Owns the difference between a command that ran and failed and one that could not be run at all. The second says
// nothing about the work: a gate that could not run neither passes nor fails.

import { accessSync, constants, statSync } from 'node:fs';

/** Why a command could not be run. */
export type NotRunReason = 'not-found' | 'not-executable' | 'cwd-missing' | 'failed';

/** A command that could not be run, and what to do about it. */
export interface NotRun {
  readonly kind: 'not-run';
  readonly reason: NotRunReason;
  readonly message: string;
}

/**
 * The name under which our shell speaks of itself (its `$0`). A shell inside the command calls itself `sh` or by the
 * name of its script, so its complaints are not taken for ours, in whatever language they are.
 */
export const SHELL_NAME = 'pawl-sh';

/** Says what is wrong with a working directory; undefined when a command can be started in it. */
export function checkWorkingDirectory(cwd: string): NotRun | undefined {
  const refuse = (what: string): NotRun => ({
    kind: 'not-run',
    reason: 'cwd-missing',
    message: `the working directory ${cwd} ${what}; create it or name another one`,
  });
  try {
    if (!statSync(cwd).isDirectory()) return refuse('is not a directory');
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return refuse((error as NodeJS.ErrnoException).code === 'EACCES' ? 'may not be entered' : 'does not exist');
  }
}

/** Turns what the system said when it did not start the command into a reason. */
export function notStarted(command: string, error: NodeJS.ErrnoException): NotRun {
  const refuse = (reason: NotRunReason, message: string): NotRun => ({ kind: 'not-run', reason, message });
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return refuse('not-found', `no command "${command}" (or no interpreter that its first line names); install it or correct PATH`);
    case 'EACCES':
    case 'ENOEXEC':
      return refuse('not-executable', `"${command}" is not executable; make it so (chmod +x) or name its interpreter`);
    case 'E2BIG':
      return refuse('failed', `the arguments and environment of "${command}" are too large for the system; pass large values by stdin`);
    default:
      return refuse('failed', `"${command}" could not be started: ${error.message}`);
  }
}

/** Recognises that our shell itself could not find (127) or execute (126) a command: it says so last, under its name. */
export function notRunByShell(exitCode: number, stderr: string): NotRun | undefined {
  if (exitCode !== 126 && exitCode !== 127) return undefined;
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith(`${SHELL_NAME}: `)) return undefined;
  const complaint = last.slice(SHELL_NAME.length + 2);
  if (exitCode === 127)
    return { kind: 'not-run', reason: 'not-found', message: `sh could not find a command: ${complaint}; install it or correct PATH` };
  return {
    kind: 'not-run',
    reason: 'not-executable',
    message: `sh could not execute a command: ${complaint}; make it executable (chmod +x)`,
  };
}
