// Owns the name under which somebody acts on a run: every decision, answer, resume with a choice, cancel, pause and fork
// is recorded with one, so nothing is ever done by nobody.

import { EngineError } from '../base/error.ts';

const NAME_MAX = 200;
/** Control and formatting characters, line breaks included: two names that look the same would count as two people. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The name of whoever asks, as it is recorded; refuses a request that names nobody. `what` says what they want to do. */
export function requireActor(request: { readonly actor?: unknown } | undefined, what: string): string {
  const actor = request?.actor;
  const name = typeof actor === 'string' ? actor.trim().normalize('NFC') : undefined;
  const fault = name === undefined ? faultOfType(actor) : faultOf(name);
  if (name !== undefined && fault === undefined) return name;
  throw new EngineError('ACTOR_REQUIRED', `nobody is named who ${what}: ${fault}; pass the name of the person or program as "actor"`);
}

function faultOfType(actor: unknown): string {
  return actor === undefined ? 'there is no actor' : `the actor must be a string, not ${actor === null ? 'null' : typeof actor}`;
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'the actor is empty';
  if (name.length > NAME_MAX) return `the actor has ${name.length} characters, and ${NAME_MAX} are allowed`;
  return UNSEEN.test(name) ? 'the actor contains control or invisible characters' : undefined;
}
