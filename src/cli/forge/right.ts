// Owns who may act at the local forge. A review, a check, a command in a comment, and a comment or a label that a question
// waits for can let work pass a gate, so only a person may add one. Any other comment or label, and closing something, can
// wake, restart or cancel runs, so runs and agents may not do it. Everybody may open an issue or a pull request.

import { EngineError } from '../../base/error.ts';
import { isSamePerson } from '../../base/person.ts';
import { commandIn } from '../../server/surface/command/command.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { demandRight } from '../right.ts';
import type { Shell } from '../shell.ts';

/**
 * `decides`: the action can let work pass a gate. `commands`: it is a comment with a command, such as `/pawl approve`.
 * `settles`: a question waits for this comment or label. `changes`: runs may react to it. `opens`: it decides nothing.
 */
export type ActionEffect = 'decides' | 'commands' | 'settles' | 'changes' | 'opens';

/**
 * The name to act under at the forge. A decision needs the right to decide. At a terminal a person may act under any name;
 * elsewhere only under their own, and only on the commit of --head.
 */
export async function rightAtForge(shell: Shell, args: ParsedArgs, effect: ActionEffect): Promise<string> {
  const name = args.option('as');
  if (name !== undefined && !/^[^\s\p{C}]{1,64}$/u.test(name)) throw usageError(`--as must be a name without spaces, not "${name}"`);
  const on = `pawl forge ${args.word('KIND')}`;
  if (effect === 'changes') await demandRight(shell, { demand: 'steer', on });
  if (effect === 'changes' || effect === 'opens') return name ?? shell.account;
  const { actor, by } = await demandRight(shell, { demand: 'decide', on, actsAs: true });
  if (by === 'terminal') return name ?? actor;
  if (name !== undefined && !isSamePerson(name, actor))
    throw new EngineError('NOT_ALLOWED', `${actor} cannot act as "${name}" without a terminal; remove --as`);
  if (effect === 'commands') assertNamesDigest(args.option('body') ?? '', actor);
  if (effect === 'commands' || effect === 'settles') return actor;
  if (args.option('head') === undefined)
    throw new EngineError(
      'NOT_ALLOWED',
      `--head is required without a terminal: it must name the commit that ${actor} reviewed; "pawl forge pr show" prints it`,
    );
  return actor;
}

/** Without a terminal, a decision must name the digest of what the person saw. */
function assertNamesDigest(body: string, actor: string): void {
  const command = commandIn(body);
  if (command === undefined || 'problem' in command || command.verb === 'status') return;
  if (command.words.some((word) => /^[0-9a-f]{8,}$/.test(word))) return;
  throw new EngineError(
    'NOT_ALLOWED',
    `without a terminal, the command must name the digest of what ${actor} saw; the comment of the run shows it`,
  );
}
