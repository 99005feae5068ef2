// Owns what a decision takes beside the right to decide: whoever has no terminal names the digest of what they have seen.

import { EngineError } from '../../base/error.ts';
import { invariant } from '../../base/invariant.ts';
import type { Given } from '../command.ts';
import type { Shell } from '../shell.ts';
import { DIGEST_SHOWN } from './decision.ts';

/** Under which name a decision is recorded, and which digest was named. */
export interface DecisionRight {
  readonly actor: string;
  readonly digest: string | undefined;
}

/** The right that the table of rights demanded for this command, with what was seen. */
export function rightToDecide(shell: Shell, given: Given): DecisionRight {
  const digest = digestOf(given);
  const { right } = shell;
  invariant(right !== undefined, 'a verb that decides has a scope in the table of rights');
  if (digest === undefined && !shell.isInteractive)
    throw new EngineError(
      'NOT_ALLOWED',
      `without a terminal ${right.actor} decides only on what was seen: give the --digest that "pawl inbox ${given.word('RUN')}" shows`,
    );
  return { actor: right.actor, digest };
}

function digestOf(given: Given): string | undefined {
  const digest = given.option('digest')?.toLowerCase();
  if (digest === undefined || new RegExp(`^[0-9a-f]{${DIGEST_SHOWN},64}$`).test(digest)) return digest;
  throw new EngineError(
    'USAGE',
    `--digest takes at least ${DIGEST_SHOWN} characters of the digest that "pawl inbox RUN" shows, not "${digest}"`,
  );
}
