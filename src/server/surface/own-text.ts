// Owns recognising events that the surface's own writes cause: comments of runs, answers to commands, and checks of gates.
// They start nothing, no run reacts to them, and no gate checks again because of them, whatever a trigger says.

import { fieldOf, type Json } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import { type Forge, OWN_CHECK } from '../../forge/forge.ts';
import type { ServerDatabase } from '../server-database.ts';
import { valueIn } from '../triggers/forge-unavailable.ts';
import type { ForgeOccasion } from '../triggers/occasion.ts';
import { RunRows } from './run-rows.ts';

/** The mark at the end of the driver's texts; others may write it too, but not with the forge's own login. */
const MARK = /\n\n<!-- pawl:[0-9a-f]{24} -->$/;

/** Whether an event is about something that the surface wrote. */
export async function isOfSurface(
  { forge, database }: { readonly forge: Forge; readonly database: ServerDatabase },
  { event, payload }: ForgeOccasion,
): Promise<boolean> {
  if (event.event.startsWith('issue_comment.')) {
    if (event.comment === undefined) return false;
    if (new RunRows(database).isOwn(event.comment)) return true;
    // GitHub can deliver the event of a comment before the request that wrote it has ended.
    return MARK.test(textIn(payload.comment, 'body')) && (await isSelf(forge, textIn(fieldOf(payload.comment, 'user'), 'login')));
  }
  const check = event.event === 'status' ? textIn(payload, 'context') : textIn(payload.check_run, 'name');
  return check.startsWith(OWN_CHECK) && (await isSelf(forge, event.actor));
}

async function isSelf(forge: Forge, login: string): Promise<boolean> {
  return isSamePerson(valueIn(await forge.whoami()).login, login);
}

function textIn(value: Json | undefined, name: string): string {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? text : '';
}
