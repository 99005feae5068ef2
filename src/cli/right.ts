// Owns checking the rights of a command's caller: finds the terminal, the personal token and the parent processes, by which
// `authority/right.ts` decides.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Ancestor, readAncestors, withDrivers } from '../authority/ancestry.ts';
import { type Caller, isOthersRun, type Right, type RightRequest, rightOf } from '../authority/right.ts';
import type { requiredRightsOf } from '../authority/rights.ts';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { startedText, starterOf } from '../control/starter.ts';
import { accountName, userActor } from './actor.ts';
import { hasStarted } from './agent-session.ts';
import type { Project } from './project.ts';
import type { OpenRun } from './session.ts';
import { readSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { isKnownSigned, rememberSigned } from './trust/signed-projects.ts';

/** Checks every right that the table requires for a command line; `asks` means that the command itself checks later. */
export async function checkRights(shell: Shell, demands: ReturnType<typeof requiredRightsOf>): Promise<void> {
  for (const { demand, on } of demands) if (demand !== 'asks') await demandRight(shell, { demand, on: `pawl ${on}` });
}

/** Returns the caller's right, or throws an error with the reason and how a person gets the right. */
export async function demandRight(shell: Shell, request: RightRequest): Promise<Right> {
  const right = rightOf(await callerOf(shell, request), request);
  shell.right = right;
  return right;
}

/**
 * Checks that the caller may cancel or pause a run. No further right is needed for their own runs and the run they work in; a
 * run that someone else started needs the right to override. A child run belongs to whoever started its topmost parent.
 */
export async function demandSteering(shell: Shell, { store, id }: Pick<OpenRun, 'store' | 'id'>, on: string): Promise<void> {
  const starter = await starterOf(store, id);
  if (isOthersRun(await callerOf(shell, { demand: 'steer', on }), starter))
    await demandRight(shell, { demand: 'override', on, about: startedText(starter) });
}

/** Like `demandRight`, but returns undefined if the caller does not have the right. */
export async function tryRight(shell: Shell, request: RightRequest): Promise<Right | undefined> {
  try {
    return await demandRight(shell, request);
  } catch (error) {
    if (isEngineError(error) && error.code === 'NOT_ALLOWED') return undefined;
    throw error;
  }
}

async function callerOf(shell: Shell, request: RightRequest): Promise<Caller> {
  const signer = request.demand === 'steer' ? undefined : await signerOf(shell, request);
  const secret = secretOf(shell);
  const token = secret === undefined ? undefined : (await import('./tokens.ts')).checkToken(shell, secret);
  const ancestors = await ancestorsOf(shell);
  return {
    user: accountName(shell),
    isTerminal: shell.isInteractive,
    env: shell.env,
    ancestors: () => ancestors,
    ...omitUndefined({ signer, token: token && { name: token.name, scopes: token.scopes } }),
    isOwnRun: isOwn(shell, ancestors, shell.given.maybe('RUN')),
  };
}

/** The name to record as the starter of a run: from the personal token, else the account. */
export async function starterName(shell: Shell): Promise<string> {
  const secret = shell.right === undefined ? secretOf(shell) : undefined;
  if (secret === undefined) return userActor(shell);
  try {
    return (await import('./tokens.ts')).checkToken(shell, secret).name;
  } catch (error) {
    // Starting needs no right, so an invalid token does not matter.
    if (isEngineError(error)) return userActor(shell);
    throw error;
  }
}

/** The parent processes, each with the runs that it drives in the command's database. */
async function ancestorsOf(shell: Shell): Promise<readonly Ancestor[]> {
  const ancestors = shell.world.ancestors?.() ?? readAncestors();
  return ancestors.length === 0 ? ancestors : withDrivers(ancestors, await driversOf(shell));
}

async function driversOf(shell: Shell): Promise<readonly { readonly pid: number; readonly run: string }[]> {
  const [{ databaseOf }, { inspectFile }, { processOf }] = await Promise.all([
    import('./session.ts'),
    import('../store/sqlite/inspect.ts'),
    import('../process/owner.ts'),
  ]);
  try {
    const file = await databaseOf(shell, shell.given);
    const { owned } = existsSync(file) ? inspectFile(file) : { owned: [] };
    return owned.flatMap(({ run, owner }) => {
      const pid = processOf(owner);
      return pid === undefined ? [] : [{ pid, run }];
    });
  } catch (error) {
    // The command itself reports a database that cannot be read and settings that are not trusted.
    if (isEngineError(error)) return [];
    throw error;
  }
}

/**
 * The signer, if the command line asks for a signature or the project requires one. A decision is signed later, after its
 * content was shown; everything else asks for the passphrase now.
 */
async function signerOf(shell: Shell, { demand, withoutSignature, actsAs }: RightRequest): Promise<string | undefined> {
  const { asksToSign, identityFor } = await import('./identity/identity.ts');
  if (withoutSignature === true) return undefined;
  if ((actsAs === true || !asksToSign(shell)) && !(await requiresSignatures(shell))) return undefined;
  // Actions at the forge are not signed, so the key is unlocked now.
  if (demand === 'decide' && actsAs !== true) return identityFor(shell, shell.given).name;
  return (await (await import('./identity/signing.ts')).unlock(shell, shell.given)).name;
}

async function requiresSignatures(shell: Shell): Promise<boolean> {
  const { affectedProjects } = await import('./affected-projects.ts');
  for (const project of await affectedProjects(shell)) if (await isSigned(shell, project)) return true;
  return false;
}

/** Whether a project requires signatures. Once it did, that stays recorded in the state folder. */
async function isSigned(shell: Shell, project: Project): Promise<boolean> {
  try {
    const settings = await readSettings(shell, project);
    rememberSigned(shell, project, settings);
    return settings.decisions === 'signed' || isKnownSigned(shell, project);
  } catch (error) {
    // Settings that are not trusted cannot be read, so the record decides.
    if (!isEngineError(error) || error.code !== 'NOT_TRUSTED') throw error;
    return isKnownSigned(shell, project);
  }
}

/**
 * True for the run that this process works in, and for runs that the calling agent's session started. The parent process that
 * drives a run identifies it, because anyone can set an environment variable.
 */
function isOwn(shell: Shell, ancestors: readonly Ancestor[], prefix: string | undefined): boolean {
  if (prefix === undefined || prefix === '') return false;
  const id = prefix.toLowerCase();
  if (ancestors.some(({ drives = [] }) => drives.some((run) => run.startsWith(id)))) return true;
  return hasStarted(shell, (run) => run.startsWith(id));
}

function secretOf(shell: Shell): string | undefined {
  const file = shell.given.option('token-file');
  if (file === undefined) return shell.env.PAWL_TOKEN?.trim() || undefined;
  try {
    return readFileSync(resolve(shell.cwd, file), 'utf8').trim();
  } catch (cause) {
    throw new EngineError('USAGE', `cannot read the token from ${file}: ${messageOf(cause)}`, { cause });
  }
}
