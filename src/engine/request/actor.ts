// Owns actor names: every decision, answer, resume with a choice, cancel, pause and fork is recorded with the name of a
// person or program.

import { EngineError } from '../../base/error.ts';

/** The name of the engine where no person acts. */
export const ENGINE_ACTOR = 'pawl';

const NAME_MAX = 200;
/** Control and formatting characters, including line breaks: two names that look the same would count as two people. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Returns the actor's name as it is recorded, or throws if the request has no valid one. `action` is for the error
 * message, such as `cancel run 7kq2`.
 */
export function requireActor(request: { readonly actor?: unknown } | undefined, action: string): string {
  const actor = request?.actor;
  const name = typeof actor === 'string' ? actor.trim().normalize('NFC') : undefined;
  const fault = name === undefined ? faultOfType(actor) : faultOf(name);
  if (name !== undefined && fault === undefined) return name;
  throw new EngineError('ACTOR_REQUIRED', `cannot ${action} without an actor: ${fault}; pass the name of the person or program as "actor"`);
}

function faultOfType(actor: unknown): string {
  return actor === undefined ? '"actor" is missing' : `"actor" must be a string, not ${actor === null ? 'null' : typeof actor}`;
}

function faultOf(name: string): string | undefined {
  if (name === '') return '"actor" is empty';
  if (name.length > NAME_MAX) return `"actor" has ${name.length} characters; at most ${NAME_MAX} are allowed`;
  return INVISIBLE.test(name) ? '"actor" contains control or invisible characters' : undefined;
}
