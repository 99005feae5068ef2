// Owns fetching the issue or pull request of a trigger from the forge, so that a workflow that expects an event can be started
// with a number.

import { EngineError } from '../../base/error.ts';
import { payloadOf } from '../../control/trigger/forge-payload.ts';
import type { ForgeAnswer } from '../../forge/forge.ts';
import { openForge } from '../forge/session.ts';
import { closing, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { type Trigger, triggerOf } from './trigger.ts';

/** The trigger with the data of its issue or pull request; an event, which has its own payload, is returned as it is. */
export async function completeTrigger(shell: Shell, place: Place, trigger: Trigger | undefined): Promise<Trigger | undefined> {
  if (trigger === undefined || trigger.origin.event !== undefined) return trigger;
  const forge = await openForge(shell, place);
  if (forge === undefined) return trigger;
  const { origin, option } = trigger;
  return closing(forge, async () => triggerOf(valueIn(await payloadOf(forge, origin), forge.name, option), { option }));
}

function valueIn<T>(answer: ForgeAnswer<T>, forge: string, option: string): T {
  if (answer.result === 'ok') return answer.value;
  const isMissing = answer.result === 'not_found';
  throw new EngineError(
    isMissing ? 'USAGE' : 'STORE_UNAVAILABLE',
    `cannot read ${option} from the ${forge} forge: ${answer.message}; ${isMissing ? 'use a number that exists' : 'try again later'}`,
    { details: { result: answer.result } },
  );
}
