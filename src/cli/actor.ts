// Owns the name of the person who runs a command: from their right, else from the operating system.

import { userInfo } from 'node:os';
import type { Shell } from './shell.ts';

/** The name to record for this command's actions. */
export function userActor(shell: Shell): string {
  return shell.right?.actor ?? accountName(shell);
}

/** The user of the operating system. */
export function accountName(shell: Shell): string {
  try {
    return userInfo().username;
  } catch {
    // In some containers the user id has no account.
    return shell.env.USER ?? shell.env.USERNAME ?? 'unknown';
  }
}
