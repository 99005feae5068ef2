// Owns the decision whether a caller may do something. Command line, MCP, library and server pass in what they know about
// the caller; this file reads no terminal, no file and no clock itself.
//
// A caller gets a right by a signature, by a personal token with the scope, or, if the project does not require
// signatures, at a terminal that was not started by a run or a coding agent. Who comes over HTTP has logged in, and has the
// rights that the scopes of the login give. Who writes a comment at the forge has the scopes that the permission there gives.

import { EngineError } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { type Above, type Ancestor, standsAbove } from './ancestry.ts';
import type { Demand, LoginScope, Scope } from './rights.ts';

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

/** A person who logged in to the server. */
export interface LoggedIn {
  readonly kind: 'person';
  readonly name: string;
  readonly scopes: ReadonlySet<LoginScope>;
  /** By a session that began with a one-time link or a passkey, a personal token, a link for one decision, or a comment at the forge. */
  readonly via: 'session' | 'token' | 'passkey' | 'link' | 'comment';
}

/** A right, and the name to record for actions with it. */
export interface Right {
  readonly actor: string;
  readonly by: 'terminal' | 'token' | 'signature' | 'account' | LoggedIn['via'];
}

/** A request for a right: what is required, and for which command. */
export interface RightRequest {
  readonly demand: Exclude<Demand, 'free' | 'asks'>;
  /** The command as typed: `pawl resume --to`. */
  readonly on: string;
  /** What it affects, if that is why a right is needed: `a run that ann started`. */
  readonly about?: string;
  /** A token is not enough, whatever its scopes. */
  readonly withoutToken?: true;
  /** No signature is asked for: no one can sign yet, or what it gives allows no decision without a signature. */
  readonly withoutSignature?: true;
  /** `--as` is the person to act as, not the signer. */
  readonly standsIn?: true;
}

/** The caller's right, or an error that says why it is missing and how a person gets it. */
export function rightOf(caller: Caller | LoggedIn, request: RightRequest): Right {
  if ('kind' in caller) return rightOfLogin(caller, request);
  const { demand, on, withoutToken, about } = request;
  const { token, user } = caller;
  if (demand === 'steer') return rightToSteer(caller, on);
  if (caller.signer !== undefined) return { actor: caller.signer, by: 'signature' };
  if (withoutToken === undefined && token?.scopes.includes(demand) === true) return { actor: token.name, by: 'token' };
  if (!caller.isTerminal) throw refused({ on, about, demand, withoutToken, why: noTerminal(caller, demand) });
  const above = standsAbove(caller.env, caller.ancestors());
  if (above === undefined) return { actor: user, by: 'terminal' };
  throw refused({ on, about, demand, withoutToken, why: `this terminal belongs to ${describeAbove(above)}` });
}

/**
 * Whether a run belongs to someone else: its recorded starter is not the caller's account or token, and the caller does
 * not work in it. A run without a recorded starter belongs to someone else.
 */
export function isOthersRun(caller: Caller | LoggedIn, startedBy: string | undefined): boolean {
  if ('kind' in caller) return startedBy !== caller.name;
  return caller.isOwnRun !== true && (startedBy === undefined || ![caller.user, caller.token?.name].includes(startedBy));
}

/** The scope of a login that a right takes. What runs on this machine, and what becomes of its database, is decided at it. */
const LOGIN_SCOPE_OF = { steer: 'operate', decide: 'decide', override: 'decide', trust: undefined, upkeep: undefined } as const;

function rightOfLogin({ name, scopes, via }: LoggedIn, { demand, on, about, withoutToken }: RightRequest): Right {
  const scope = LOGIN_SCOPE_OF[demand];
  const isEnough = via === 'session' || via === 'passkey' || withoutToken !== true;
  if (scope !== undefined && scopes.has(scope) && isEnough) return { actor: name, by: via };
  const why =
    scope === undefined
      ? 'it is only possible on the command line, at the machine of the server'
      : scopes.has(scope)
        ? `it requires a login in the browser, but this request came with a ${via}`
        : via === 'comment'
          ? `${name} needs write permission in the repository`
          : `the ${via} of ${name} does not have the scope "${scope}"`;
  throw new EngineError('NOT_ALLOWED', `"${on}"${about === undefined ? '' : ` of ${about}`} is not allowed: ${why}`, {
    details: { on, demand, ...present({ scope }) },
  });
}

function noTerminal({ token }: Caller, demand: Scope): string {
  const about = token === undefined ? '' : `, and the token of ${token.name} does not have the scope "${demand}"`;
  return `this is not an interactive terminal${about}`;
}

function rightToSteer(caller: Caller, on: string): Right {
  if (caller.token !== undefined) return { actor: caller.token.name, by: 'token' };
  const above = caller.isOwnRun === true ? undefined : standsAbove(caller.env, caller.ancestors());
  if (above === undefined) return { actor: caller.user, by: 'account' };
  throw new EngineError('NOT_ALLOWED', `"${on}" is not allowed inside ${describeAbove(above)}; run it in a terminal of your own`, {
    details: { on, demand: 'steer' },
  });
}

interface Refusal {
  readonly on: string;
  readonly about: string | undefined;
  readonly demand: Scope;
  readonly withoutToken: true | undefined;
  readonly why: string;
}

function refused({ on, about, demand, withoutToken, why }: Refusal): EngineError {
  const seen = demand === 'decide' ? ' and give the --digest that "pawl inbox RUN" shows' : '';
  const token = `, or set PAWL_TOKEN to a personal token ("pawl token create NAME --scope ${demand}", at a terminal)${seen}`;
  return new EngineError(
    'NOT_ALLOWED',
    `only a person can do "${on}"${about === undefined ? '' : ` to ${about}`}, and ${why}; run it in a terminal of your own${withoutToken === true ? '' : token}`,
    { details: { on, demand } },
  );
}

/** A run or an agent, for messages. */
function describeAbove(above: Above): string {
  const process = above.pid === undefined ? '' : ` (process ${above.pid})`;
  if (above.what === 'agent') return `${above.name}${process}`;
  return `${above.run === undefined ? 'a step of a run' : `a step of run ${above.run}`}${process}`;
}
