// Owns who may decide: a person at a terminal, or whoever holds a personal token and names what was seen. An agent's
// shell has neither.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EngineError, messageOf } from '../base/error.ts';
import { userActor } from './actor.ts';
import type { Given } from './command.ts';
import { DIGEST_SHOWN } from './decision.ts';
import type { Shell } from './shell.ts';

/** Under which name a decision is recorded, and which digest was named. */
export interface Right {
  readonly actor: string;
  readonly digest: string | undefined;
}

/** The right to decide about a run, or an error that names both ways to have it. */
export async function rightToDecide(shell: Shell, given: Given, run: string): Promise<Right> {
  const digest = digestOf(given);
  const secret = secretOf(shell, given);
  if (secret === undefined) {
    if (shell.isInteractive) return { actor: userActor(shell), digest };
    throw new EngineError('NOT_ALLOWED', `a person decides, and here is none to ask; ${ways(run)}`);
  }
  const { checkToken } = await import('./tokens.ts');
  const actor = checkToken(shell, secret).name;
  if (digest === undefined && !shell.isInteractive)
    throw new EngineError(
      'NOT_ALLOWED',
      `the token of ${actor} decides only on what was seen, and no --digest says what that is; ${ways(run)}`,
    );
  return { actor, digest };
}

function ways(run: string): string {
  return `decide at a terminal with "pawl decide ${run}", or set PAWL_TOKEN to a personal token ("pawl token create NAME", at a terminal) and give the --digest that "pawl gates ${run}" shows`;
}

function digestOf(given: Given): string | undefined {
  const digest = given.option('digest')?.toLowerCase();
  if (digest === undefined || new RegExp(`^[0-9a-f]{${DIGEST_SHOWN},64}$`).test(digest)) return digest;
  throw new EngineError(
    'USAGE',
    `--digest takes at least ${DIGEST_SHOWN} characters of the digest that "pawl gates RUN" shows, not "${digest}"`,
  );
}

/** The personal token that was given, if one was. */
export function secretOf(shell: Shell, given: Given): string | undefined {
  const file = given.option('token-file');
  if (file === undefined) return shell.env.PAWL_TOKEN?.trim() || undefined;
  try {
    return readFileSync(resolve(shell.cwd, file), 'utf8').trim();
  } catch (cause) {
    throw new EngineError('USAGE', `the token in ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
