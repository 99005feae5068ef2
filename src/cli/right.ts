// Owns who calls a command: the terminal, the personal token and what stands above this process, put before the one
// function that knows what each verb takes.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Ancestor, readAncestors, withDrivers } from '../authority/ancestry.ts';
import { type Caller, isOthersRun, type Right, rightOf, type Wanted } from '../authority/right.ts';
import type { demandsOf } from '../authority/rights.ts';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import type { Store } from '../store/store.ts';
import { accountName, userActor } from './actor.ts';
import { callingSession, readSession } from './agent-session.ts';
import type { Project } from './project.ts';
import { readSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { isKnownSigned, rememberSigned } from './trust/signed-projects.ts';

/** Demands every right that a command line takes by the table; what asks by itself does so when it knows more. */
export async function takeRights(shell: Shell, demands: ReturnType<typeof demandsOf>): Promise<void> {
  for (const { demand, on } of demands) if (demand !== 'asks') await demandRight(shell, { demand, on: `pawl ${on}` });
}

/** The right of whoever calls, or the error that says why there is none and how a person gets it. */
export async function demandRight(shell: Shell, wanted: Wanted): Promise<Right> {
  const right = rightOf(await callerOf(shell, wanted), wanted);
  shell.right = right;
  return right;
}

/**
 * Lets whoever calls cancel or pause a run that they started or work in. A run that somebody else started takes the right
 * to override. A child belongs to whoever started the run that it came from.
 */
export async function demandSteering(
  shell: Shell,
  store: Store,
  { run, on }: { readonly run: string; readonly on: string },
): Promise<void> {
  let { state, origin } = await store.load(run);
  while (state.parent !== undefined) ({ state, origin } = await store.load(state.parent.run));
  if (!isOthersRun(await callerOf(shell, { demand: 'steer', on }), origin.actor)) return;
  await demandRight(shell, { demand: 'override', on, about: `a run that ${origin.actor ?? 'nobody here is known to have'} started` });
}

/** The same for what is offered and not asked for: nothing where whoever calls has no right. */
export async function tryRight(shell: Shell, wanted: Wanted): Promise<Right | undefined> {
  try {
    return await demandRight(shell, wanted);
  } catch (error) {
    if (isEngineError(error) && error.code === 'NOT_ALLOWED') return undefined;
    throw error;
  }
}

async function callerOf(shell: Shell, wanted: Wanted): Promise<Caller> {
  const signer = wanted.demand === 'steer' ? undefined : await signerOf(shell, wanted);
  const secret = secretOf(shell);
  const token = secret === undefined ? undefined : (await import('./tokens.ts')).checkToken(shell, secret);
  const ancestors = await ancestorsOf(shell);
  return {
    user: accountName(shell),
    isTerminal: shell.isInteractive,
    env: shell.env,
    ancestors: () => ancestors,
    ...(signer === undefined ? {} : { signer }),
    ...(token === undefined ? {} : { token: { name: token.name, scopes: token.scopes } }),
    ...(isOwn(shell, ancestors, shell.given.maybe('RUN')) ? { isOwnRun: true } : {}),
  };
}

/** Under which name a run is started: that of the personal token that was given, else that of the account. */
export async function starterName(shell: Shell): Promise<string> {
  const secret = shell.right === undefined ? secretOf(shell) : undefined;
  if (secret === undefined) return userActor(shell);
  try {
    return (await import('./tokens.ts')).checkToken(shell, secret).name;
  } catch (error) {
    // Starting takes no right, so a token that no longer holds is in nobody's way.
    if (isEngineError(error)) return userActor(shell);
    throw error;
  }
}

/** The processes above, with what each of them drives in the database that the command is about. */
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
    // What cannot be read, or is not trusted yet, is told by the command itself.
    if (isEngineError(error)) return [];
    throw error;
  }
}

/**
 * Who signs, where the command line says so or the project takes signatures. A decision is signed itself, when what it is
 * about was shown; for everything else the passphrase is asked for now.
 */
async function signerOf(shell: Shell, { demand, isFirstKey, standsIn }: Wanted): Promise<string | undefined> {
  const { asksToSign, identityFor } = await import('./identity/identity.ts');
  if (isFirstKey === true) return undefined;
  if ((standsIn === true || !asksToSign(shell)) && !(await takesSignatures(shell))) return undefined;
  // What is done at a forge is not signed itself, so the key is asked for now.
  if (demand === 'decide' && standsIn !== true) return identityFor(shell, shell.given).name;
  return (await (await import('./identity/signing.ts')).unlock(shell, shell.given)).name;
}

/** Whether people sign what they do in any project that the command is about, from wherever it is given. */
async function takesSignatures(shell: Shell): Promise<boolean> {
  const { projectsConcerned } = await import('./projects-concerned.ts');
  for (const project of await projectsConcerned(shell)) if (await isSigned(shell, project)) return true;
  return false;
}

/** Whether a project takes signatures; once it did, only its own file in the state folder ends that. */
async function isSigned(shell: Shell, project: Project): Promise<boolean> {
  try {
    const settings = await readSettings(shell, project);
    rememberSigned(shell, project, settings);
    return settings.decisions === 'signed' || isKnownSigned(shell, project);
  } catch (error) {
    // What is about to be trusted cannot be read before: then what the project said before counts.
    if (!isEngineError(error) || error.code !== 'NOT_TRUSTED') throw error;
    return isKnownSigned(shell, project);
  }
}

/**
 * True for the run that this process works in, and for those that the session of the calling agent took up. A variable
 * does not tell which run that is, since anybody can set it: the process above that drives the run does.
 */
function isOwn(shell: Shell, ancestors: readonly Ancestor[], prefix: string | undefined): boolean {
  if (prefix === undefined || prefix === '') return false;
  const wanted = prefix.toLowerCase();
  if (ancestors.some(({ drives = [] }) => drives.some((run) => run.startsWith(wanted)))) return true;
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
