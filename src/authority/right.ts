// Owns the one answer to "may they?". Command line, MCP and library ask it with what they know of the caller; it knows
// no terminal, no file and no clock itself.
//
// A right is had in one of three ways: by a signature, by a personal token with the scope, or, where the project asks
// for no signatures, at a terminal that neither a run nor a coding agent stands above.

import { EngineError } from '../base/error.ts';
import { type Above, type Ancestor, standsAbove } from './ancestry.ts';
import type { Demand, Scope } from './rights.ts';

/** Who asks to do something. */
export interface Caller {
  /** The user of the operating system, by name. */
  readonly user: string;
  /** True where a person can be asked: standard input and output are a terminal. */
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The processes above, read when they matter. */
  readonly ancestors: () => readonly Ancestor[];
  /** The personal token that was given and checked. */
  readonly token?: { readonly name: string; readonly scopes: readonly Scope[] };
  /** Whoever signs what they do, by name: their signature is taken for the deed itself, or was taken already. */
  readonly signer?: string;
  /** True where the run or session that the caller works for is the one that it asks about. */
  readonly isOwnRun?: boolean;
}

/** A right that somebody has, and under which name what they do with it is recorded. */
export interface Right {
  readonly actor: string;
  readonly by: 'terminal' | 'token' | 'signature' | 'account';
}

/** What somebody wants to do: what that takes, and how messages call it. */
export interface Wanted {
  readonly demand: Exclude<Demand, 'free' | 'asks'>;
  /** As one would type it: `pawl resume --to`. */
  readonly on: string;
  /** What it is done to, where that is why it takes a right: `a run that ann started`. */
  readonly about?: string;
  /** A token will not do, whatever its scopes. */
  readonly withoutToken?: true;
  /** It makes the first key, so that nobody can sign yet. */
  readonly isFirstKey?: boolean;
  /** `--as` names whom a person stands in for, and not whose key signs. */
  readonly standsIn?: true;
}

/** The right of a caller, or the error that says why they have none and how a person gets it. */
export function rightOf(caller: Caller, { demand, on, withoutToken, about }: Wanted): Right {
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
 * Whether a run belongs to somebody else: it records another starter than the caller's account or token, and the caller does
 * not work in it. One that records nobody belongs to nobody who could say so.
 */
export function isOthersRun(caller: Caller, startedBy: string | undefined): boolean {
  return caller.isOwnRun !== true && (startedBy === undefined || ![caller.user, caller.token?.name].includes(startedBy));
}

function noTerminal({ token }: Caller, demand: Scope): string {
  const about = token === undefined ? '' : `, and the token of ${token.name} has no scope "${demand}"`;
  return `this is not an interactive terminal${about}`;
}

function rightToSteer(caller: Caller, on: string): Right {
  if (caller.token !== undefined) return { actor: caller.token.name, by: 'token' };
  const above = caller.isOwnRun === true ? undefined : standsAbove(caller.env, caller.ancestors());
  if (above === undefined) return { actor: caller.user, by: 'account' };
  throw new EngineError(
    'NOT_ALLOWED',
    `"${on}" is refused inside ${describeAbove(above)}: it is about what others do; run it in a terminal of your own`,
    {
      details: { on, demand: 'steer' },
    },
  );
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

/** A run or an agent as messages call it. */
function describeAbove(above: Above): string {
  const process = above.pid === undefined ? '' : ` (process ${above.pid})`;
  if (above.what === 'agent') return `${above.name}${process}`;
  return `${above.run === undefined ? 'a step of a run' : `a step of run ${above.run}`}${process}`;
}
