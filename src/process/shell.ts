// Owns the choice of the shell for a shell line. Usually that is `/bin/sh`. A line whose exit code decides something must
// not lose the failure of a program before a `|`, so it runs with `pipefail`: in `/bin/sh` if it supports that, else in bash.

import { SHELL_NAME } from './not-run.ts';

/** The exit code of a program whose reader stopped reading (128 + SIGPIPE). */
const SIGPIPE_EXIT = 141;
const PIPE = /(?<!\|)\|(?!\|)/;
const BASH = ['bash', '--posix', '-O', 'xpg_echo'];

let strict: readonly string[] | undefined;

/** A shell line, and whether it fails if any program in a pipe fails. */
export interface ShellLine {
  readonly shell: string;
  readonly pipefail: boolean;
}

/** Returns the program and arguments that run a shell line. */
export function shellWords({ shell, pipefail }: ShellLine): string[] {
  const words = pipefail && PIPE.test(shell) ? strictShell() : ['/bin/sh'];
  return [...words, '-c', shell, SHELL_NAME];
}

/** Returns the exit code of a shell line; `yes | head -1` has not failed because `head` stopped reading. */
export function shellExitCode({ shell, pipefail }: ShellLine, exitCode: number): number {
  return pipefail && exitCode === SIGPIPE_EXIT && PIPE.test(shell) ? 0 : exitCode;
}

function strictShell(): readonly string[] {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  strict ??= [['/bin/sh'], BASH]
    .map((words) => [...words, '-o', 'pipefail'])
    .find(([file = '', ...words]) => spawnSync(file, [...words, '-c', ':'], { stdio: 'ignore' }).status === 0) ?? ['/bin/sh'];
  return strict;
}
