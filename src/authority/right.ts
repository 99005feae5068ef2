// Decides whether a caller may do something. Command line, MCP, library and server pass in the facts about the
// caller; this file reads no terminal, no file and no clock.
//
// A caller gets a right by a signature, by a personal token with the scope, or, if the project does not require
// signatures, at a terminal that was not started by a run or a coding agent. A caller over HTTP has the rights of the scopes
// of the login; the author of a comment at the forge, those of the permission there.

import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { type Ancestor, type AutomatedParent, findAutomatedParent } from './ancestry.ts';
import type { LoginScope, RequiredRight, Scope } from './rights.ts';

/** The caller of a command. */
export interface Caller {
  /** The user of the operating system, by name. */
  readonly user: string;
  /** True if a person can be asked: stdin and stdout are a terminal. */
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The parent processes, read only when needed. */
  readonly ancestors: () => readonly Ancestor[];
  /** The personal token, already checked. */
  readonly token?: { readonly name: string; readonly scopes: readonly Scope[] };
  /** The name of the signer; the signature is made for the action itself, or was already checked. */
  readonly signer?: string;
  /** True if the caller works for the run or session in question. */
  readonly isOwnRun?: boolean;
}

/** A person who is logged in to the server. */
export interface LoginIdentity {
  readonly kind: 'person';
  readonly name: string;
  readonly scopes: ReadonlySet<LoginScope>;
  /** By a session that began with a one-time link or a passkey, a personal token, a link for one decision, or a comment at the forge. */
  readonly via: 'session' | 'token' | 'passkey' | 'link' | 'comment';
}

/** A right, and the name to record for actions with it. */
export interface Right {
  readonly actor: string;
  readonly by: 'terminal' | 'token' | 'signature' | 'account' | LoginIdentity['via'];
}

/** A request for a right: the demand, and the command that has it. */
export interface RightRequest {
  readonly demand: Exclude<RequiredRight, 'free' | 'asks'>;
  /** The command as typed: `pawl resume --to`. */
  readonly on: string;
  /** The object that makes a right necessary: `a run that ann started`. */
  readonly about?: string;
  /** A token is not enough, whatever its scopes. */
  readonly withoutToken?: true;
  /** No signature is required: no one can sign yet, or the action does not allow a decision without a signature. */
  readonly withoutSignature?: true;
  /** `--as` is the person to act as, not the signer. */
  readonly actsAs?: true;
}

/** The caller's right, or an error with the reason why it is missing and how a person gets it. */
export function rightOf(caller: Caller | LoginIdentity, request: RightRequest): Right {
  if ('kind' in caller) return rightOfLogin(caller, request);
  const { demand, on, withoutToken } = request;
  const { token, user } = caller;
  if (demand === 'steer') return rightToSteer(caller, on);
  if (caller.signer !== undefined) return { actor: caller.signer, by: 'signature' };
  if (withoutToken === undefined && token?.scopes.includes(demand) === true) return { actor: token.name, by: 'token' };
  if (!caller.isTerminal) throw deniedError(request, noTerminal(caller, demand));
  const parent = findAutomatedParent(caller.env, caller.ancestors());
  if (parent === undefined) return { actor: user, by: 'terminal' };
  throw deniedError(request, `this terminal belongs to ${describeParent(parent)}`);
}

/**
 * Whether a run belongs to someone else: its recorded starter is not the caller's account or token, and the caller does
 * not work in it. A run without a recorded starter belongs to someone else.
 */
export function isOthersRun(caller: Caller | LoginIdentity, startedBy: string | undefined): boolean {
  if ('kind' in caller) return startedBy !== caller.name;
  return caller.isOwnRun !== true && (startedBy === undefined || ![caller.user, caller.token?.name].includes(startedBy));
}

/** The scope of a login that gives a right. Trust in code and upkeep of the database require access to the machine. */
const LOGIN_SCOPE_OF = { steer: 'operate', decide: 'decide', override: 'decide', trust: undefined, upkeep: undefined } as const;

function rightOfLogin({ name, scopes, via }: LoginIdentity, { demand, on, about, withoutToken }: RightRequest): Right {
  const scope = LOGIN_SCOPE_OF[demand];
  const isEnough = via === 'session' || via === 'passkey' || withoutToken !== true;
  if (scope !== undefined && scopes.has(scope) && isEnough) return { actor: name, by: via };
  const why =
    scope === undefined
      ? "this can only be done on the command line of the server's machine"
      : scopes.has(scope)
        ? `it requires a login in the browser, but this request came with a ${via}`
        : via === 'comment'
          ? `${name} needs write permission in the repository`
          : `the ${via} of ${name} does not have the scope "${scope}"`;
  throw new EngineError('NOT_ALLOWED', `"${on}"${about === undefined ? '' : ` of ${about}`} is not allowed: ${why}`, {
    details: { on, demand, ...omitUndefined({ scope }) },
  });
}

function noTerminal({ token }: Caller, demand: Scope): string {
  const about = token === undefined ? '' : `, and the token of ${token.name} does not have the scope "${demand}"`;
  return `this is not an interactive terminal${about}`;
}

function rightToSteer(caller: Caller, on: string): Right {
  if (caller.token !== undefined) return { actor: caller.token.name, by: 'token' };
  const parent = caller.isOwnRun === true ? undefined : findAutomatedParent(caller.env, caller.ancestors());
  if (parent === undefined) return { actor: caller.user, by: 'account' };
  throw new EngineError('NOT_ALLOWED', `"${on}" is not allowed inside ${describeParent(parent)}; run it in a terminal of your own`, {
    details: { on, demand: 'steer' },
  });
}

function deniedError({ on, about, demand, withoutToken }: RightRequest, why: string): EngineError {
  const seen = demand === 'decide' ? ' and give the --digest that "pawl inbox RUN" shows' : '';
  const token = `, or set PAWL_TOKEN to a personal token ("pawl token create NAME --scope ${demand}", at a terminal)${seen}`;
  return new EngineError(
    'NOT_ALLOWED',
    `only a person can run "${on}"${about === undefined ? '' : ` for ${about}`}, and ${why}; run it in a terminal of your own${withoutToken === true ? '' : token}`,
    { details: { on, demand } },
  );
}

/** A run or an agent, for messages. */
function describeParent(parent: AutomatedParent): string {
  const process = parent.pid === undefined ? '' : ` (process ${parent.pid})`;
  if (parent.is === 'agent') return `${parent.name}${process}`;
  return `${parent.run === undefined ? 'a step of a run' : `a step of run ${parent.run}`}${process}`;
}
