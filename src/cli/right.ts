// Owns checking the rights of a command's caller: collects the terminal, the personal token and the parent processes for
// `authority/right.ts`, which decides.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Ancestor, readAncestors, withDrivers } from '../authority/ancestry.ts';
import { type Caller, isOthersRun, type Right, type RightRequest, rightOf } from '../authority/right.ts';
import type { demandsOf } from '../authority/rights.ts';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { startedText, starterOf } from '../control/starter.ts';
import type { Store } from '../store/store.ts';
import { accountName, userActor } from './actor.ts';
import { hasStarted } from './agent-session.ts';
import type { Project } from './project.ts';
import { readSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { isKnownSigned, rememberSigned } from './trust/signed-projects.ts';

/** Checks every right that the table requires for a command line; `asks` means that the command checks later. */
export async function takeRights(shell: Shell, demands: ReturnType<typeof demandsOf>): Promise<void> {
  for (const { demand, on } of demands) if (demand !== 'asks') await demandRight(shell, { demand, on: `pawl ${on}` });
}

/** The caller's right, or an error that says why it is missing and how a person gets it. */
export async function demandRight(shell: Shell, request: RightRequest): Promise<Right> {
  const right = rightOf(await callerOf(shell, request), request);
  shell.right = right;
  return right;
}

/**
 * Checks that the caller may cancel or pause a run. Their own runs, and the run they work in, need no further right; a
 * run that someone else started needs the right to override. A child run belongs to the starter of its topmost parent.
 */
export async function demandSteering(
  shell: Shell,
  store: Store,
  { run, on }: { readonly run: string; readonly on: string },
): Promise<void> {
  const starter = await starterOf(store, run);
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
    ...present({ signer, token: token && { name: token.name, scopes: token.scopes } }),
    isOwnRun: isOwn(shell, ancestors, shell.given.maybe('RUN')),
  };
}

/** The name to record as the starter of a run: that of the personal token, else that of the account. */
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

/** The parent processes, with the runs that each of them drives in the command's database. */
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
    // The command itself reports what cannot be read or is not trusted.
    if (isEngineError(error)) return [];
    throw error;
  }
}

/**
 * The signer, if the command line asks for a signature or the project requires one. A decision is signed later, once its
 * content was shown; for everything else the passphrase is asked for now.
 */
async function signerOf(shell: Shell, { demand, withoutSignature, actsAs }: RightRequest): Promise<string | undefined> {
  const { asksToSign, identityFor } = await import('./identity/identity.ts');
  if (withoutSignature === true) return undefined;
  if ((actsAs === true || !asksToSign(shell)) && !(await requiresSignatures(shell))) return undefined;
  // An action at the forge is not signed itself, so the key is unlocked now.
  if (demand === 'decide' && actsAs !== true) return identityFor(shell, shell.given).name;
  return (await (await import('./identity/signing.ts')).unlock(shell, shell.given)).name;
}

/** Whether any project that the command affects requires signatures. */
async function requiresSignatures(shell: Shell): Promise<boolean> {
  const { affectedProjects } = await import('./affected-projects.ts');
  for (const project of await affectedProjects(shell)) if (await isSigned(shell, project)) return true;
  return false;
}

/** Whether a project requires signatures; once it did, only removing it from the state folder ends that. */
async function isSigned(shell: Shell, project: Project): Promise<boolean> {
  try {
    const settings = await readSettings(shell, project);
    rememberSigned(shell, project, settings);
    return settings.decisions === 'signed' || isKnownSigned(shell, project);
  } catch (error) {
    // Settings that are not trusted yet cannot be read; use what is recorded for the project.
    if (!isEngineError(error) || error.code !== 'NOT_TRUSTED') throw error;
    return isKnownSigned(shell, project);
  }
}

/**
 * True for the run that this process works in, and for runs of the calling agent's session. The run is identified by the
 * parent process that drives it, because anyone can set an environment variable.
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
