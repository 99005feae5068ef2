// Owns who acts when a command is given: whoever has shown a right, else the user of the operating system.

import { userInfo } from 'node:os';
import type { Shell } from './shell.ts';

/** The name under which what this command does is recorded. */
export function userActor(shell: Shell): string {
  return shell.right?.actor ?? accountName(shell);
}

/** The user of the operating system. */
export function accountName(shell: Shell): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's table, as in some containers, has no name there.
    return shell.env.USER ?? shell.env.USERNAME ?? 'unknown';
  }
}
