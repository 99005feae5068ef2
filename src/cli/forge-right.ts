// Owns who may be a person or the CI at the local forge. Approving a pull request and reporting a check let work pass a
// gate, so each is a decision of a person; opening an issue or a pull request decides nothing, and agents may do it.

import { EngineError } from '../base/error.ts';
import { isSamePerson } from '../forge/people.ts';
import { userActor } from './actor.ts';
import type { Given } from './command.ts';
import { secretOf } from './decision-right.ts';
import type { Shell } from './shell.ts';

/** `decides`: the act lets work pass, or keeps it from passing. */
export type Act = 'decides' | 'asks';

/**
 * The name under which somebody acts at the forge. A decision takes a person at a terminal, who may stand in for anybody
 * there; elsewhere a personal token, which speaks for its own name and only about the commit that --head names.
 */
export async function rightAtForge(shell: Shell, given: Given, act: Act): Promise<string> {
  const name = given.option('as');
  if (name !== undefined && !/^[^\s\p{C}]{1,64}$/u.test(name))
    throw new EngineError('USAGE', `--as takes the name of a person, without spaces, not "${name}"`);
  if (act === 'asks' || shell.isInteractive) return name ?? userActor(shell);
  const secret = secretOf(shell, given);
  if (secret === undefined)
    throw new EngineError('NOT_ALLOWED', `only a person can do this, and this is not an interactive terminal; ${WAYS}`);
  const { checkToken } = await import('./tokens.ts');
  const actor = checkToken(shell, secret).name;
  if (name !== undefined && !isSamePerson(name, actor))
    throw new EngineError('NOT_ALLOWED', `the token of ${actor} cannot act as "${name}"; leave --as out, or use a token of that name`);
  if (given.option('head') === undefined)
    throw new EngineError(
      'NOT_ALLOWED',
      `the token of ${actor} decides only on what was seen, and no --head says which commit that is; ${WAYS}`,
    );
  return actor;
}

const WAYS =
  'do it at a terminal, or set PAWL_TOKEN to a personal token ("pawl token create NAME", at a terminal) and give the --head that "pawl forge pr show" prints';
