// Owns who calls a command: the terminal, the personal token and what stands above this process, put before the one
// function that knows what each verb takes.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readAncestors } from '../authority/ancestry.ts';
import { type Caller, type Right, rightOf, type Wanted } from '../authority/right.ts';
import type { Demand, demandsOf } from '../authority/rights.ts';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { accountName } from './actor.ts';
import { callingSession, readSession } from './agent-session.ts';
import type { Shell } from './shell.ts';

/** Demands every right that a command line takes by the table; what asks by itself does so when it knows more. */
export async function takeRights(shell: Shell, demands: ReturnType<typeof demandsOf>): Promise<void> {
  for (const { demand, on } of demands) if (demand !== 'asks') await demandRight(shell, { demand, on: `pawl ${on}` });
}

/** The right of whoever calls, or the error that says why there is none and how a person gets it. */
export async function demandRight(shell: Shell, wanted: Wanted): Promise<Right> {
  const right = rightOf(await callerOf(shell), wanted);
  shell.right = right;
  return right;
}

/** Whether whoever calls may do something, for what is offered and not asked for. */
export async function hasRight(shell: Shell, demand: Exclude<Demand, 'free' | 'asks'>): Promise<boolean> {
  try {
    rightOf(await callerOf(shell), { demand, on: 'pawl' });
    return true;
  } catch (error) {
    if (isEngineError(error) && error.code === 'NOT_ALLOWED') return false;
    throw error;
  }
}

async function callerOf(shell: Shell): Promise<Caller> {
  const secret = secretOf(shell);
  const token = secret === undefined ? undefined : (await import('./tokens.ts')).checkToken(shell, secret);
  const isOwnRun = isOwn(shell, shell.given.maybe('RUN'));
  return {
    user: accountName(shell),
    isTerminal: shell.isInteractive,
    env: shell.env,
    ancestors: () => shell.world.ancestors?.() ?? readAncestors(),
    ...(token === undefined ? {} : { token: { name: token.name, scopes: token.scopes } }),
    ...(isOwnRun ? { isOwnRun } : {}),
  };
}

/** True for the run that this process works in, and for those that the session of the calling agent took up. */
function isOwn(shell: Shell, prefix: string | undefined): boolean {
  if (prefix === undefined || prefix === '') return false;
  const wanted = prefix.toLowerCase();
  if (shell.env.PAWL_RUN?.startsWith(wanted) === true) return true;
  const session = callingSession(shell);
  return session !== undefined && readSession(shell, session).runs.some(({ run }) => run.startsWith(wanted));
}

function secretOf(shell: Shell): string | undefined {
  const file = shell.given.option('token-file');
  if (file === undefined) return shell.env.PAWL_TOKEN?.trim() || undefined;
  try {
    return readFileSync(resolve(shell.cwd, file), 'utf8').trim();
  } catch (cause) {
    throw new EngineError('USAGE', `the token in ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
