// Owns the right to decide on the command line. Without a terminal it also needs the digest of what the person saw.

import { EngineError } from '../../base/error.ts';
import { invariant } from '../../base/invariant.ts';
import type { Store } from '../../store/store.ts';
import type { ParsedArgs } from '../command.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { DIGEST_SHOWN } from './decision.ts';

/** The name to record with the decision, and the value of --digest. */
export interface DecisionRight {
  readonly actor: string;
  readonly digest: string | undefined;
}

/** A command that decides or answers. */
export interface DecidingCommand {
  readonly shell: Shell;
  readonly args: ParsedArgs;
  readonly setup: Setup;
  readonly store: Store;
  readonly right: DecisionRight;
}

/** The right that was checked when the command started, with the digest. */
export function rightToDecide(shell: Shell, args: ParsedArgs): DecisionRight {
  const digest = digestOf(args);
  const { right } = shell;
  invariant(right !== undefined, 'a command that decides has a scope in the table of rights');
  if (digest === undefined && !shell.isInteractive)
    throw new EngineError(
      'NOT_ALLOWED',
      `--digest is required without a terminal: it must name what ${right.actor} saw; "pawl inbox ${args.word('RUN')}" shows the digest`,
    );
  return { actor: right.actor, digest };
}

function digestOf(args: ParsedArgs): string | undefined {
  const digest = args.option('digest')?.toLowerCase();
  if (digest === undefined || new RegExp(`^[0-9a-f]{${DIGEST_SHOWN},64}$`).test(digest)) return digest;
  throw new EngineError(
    'USAGE',
    `--digest must be at least the first ${DIGEST_SHOWN} characters of the digest that "pawl inbox RUN" shows, not "${digest}"`,
  );
}
