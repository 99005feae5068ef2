// Owns who may act at the local forge. A review or a check can let work pass a gate, so only a person may add one; opening
// an issue or a pull request decides nothing, and agents may do it.

import { EngineError } from '../../base/error.ts';
import { isSamePerson } from '../../base/person.ts';
import { accountName } from '../actor.ts';
import type { ParsedArgs } from '../command.ts';
import { demandRight } from '../right.ts';
import type { Shell } from '../shell.ts';

/** `decides`: the action can let work pass a gate. */
export type Act = 'decides' | 'asks';

/**
 * The name to act under at the forge. A decision needs the right to decide. At a terminal a person may act as anyone;
 * elsewhere only under their own name, and only on the commit of --head.
 */
export async function rightAtForge(shell: Shell, given: ParsedArgs, act: Act): Promise<string> {
  const name = given.option('as');
  if (name !== undefined && !/^[^\s\p{C}]{1,64}$/u.test(name))
    throw new EngineError('USAGE', `--as must be a name without spaces, not "${name}"`);
  if (act === 'asks') return name ?? accountName(shell);
  const { actor, by } = await demandRight(shell, { demand: 'decide', on: `pawl forge ${given.word('KIND')}`, standsIn: true });
  if (by === 'terminal') return name ?? actor;
  if (name !== undefined && !isSamePerson(name, actor))
    throw new EngineError('NOT_ALLOWED', `${actor} cannot act as "${name}" without a terminal; remove --as`);
  if (given.option('head') === undefined)
    throw new EngineError(
      'NOT_ALLOWED',
      `--head is required without a terminal: it must name the commit that ${actor} reviewed; "pawl forge pr show" prints it`,
    );
  return actor;
}
