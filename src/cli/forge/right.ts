// Owns who may be a person or the CI at the local forge. Approving a pull request and reporting a check let work pass a
// gate, so each is a decision of a person; opening an issue or a pull request decides nothing, and agents may do it.

import { EngineError } from '../../base/error.ts';
import { isSamePerson } from '../../base/person.ts';
import { accountName } from '../actor.ts';
import type { Given } from '../command.ts';
import { demandRight } from '../right.ts';
import type { Shell } from '../shell.ts';

/** `decides`: the act lets work pass, or keeps it from passing. */
export type Act = 'decides' | 'asks';

/**
 * The name under which somebody acts at the forge. A decision takes the right to decide. A person at a terminal may stand
 * in for anybody there; elsewhere they speak for their own name, and only about the commit that --head names.
 */
export async function rightAtForge(shell: Shell, given: Given, act: Act): Promise<string> {
  const name = given.option('as');
  if (name !== undefined && !/^[^\s\p{C}]{1,64}$/u.test(name))
    throw new EngineError('USAGE', `--as takes the name of a person, without spaces, not "${name}"`);
  if (act === 'asks') return name ?? accountName(shell);
  const { actor, by } = await demandRight(shell, { demand: 'decide', on: `pawl forge ${given.word('KIND')}`, standsIn: true });
  if (by === 'terminal') return name ?? actor;
  if (name !== undefined && !isSamePerson(name, actor))
    throw new EngineError('NOT_ALLOWED', `${actor} cannot act as "${name}" without a terminal; leave --as out`);
  if (given.option('head') === undefined)
    throw new EngineError(
      'NOT_ALLOWED',
      `without a terminal ${actor} decides only on what was seen, and no --head says which commit that is; "pawl forge pr show" prints it`,
    );
  return actor;
}
