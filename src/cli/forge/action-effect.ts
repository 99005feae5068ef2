// Owns the effect of an action at the local forge with its options: a comment can be a command, and a question of an open run
// can wait for a comment or a label.

import { waitingApprovals } from '../../control/approvals.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import type { ApprovalModel } from '../../definition/model.ts';
import { commandIn } from '../../server/surface/command/command.ts';
import { isAbout, openRunOf } from '../../server/triggers/open-runs.ts';
import type { ParsedArgs } from '../command.ts';
import { openExisting, type Place } from '../session.ts';
import type { ActionEffect } from './right.ts';

interface GivenAction {
  readonly effect: ActionEffect;
  readonly given: ParsedArgs;
  readonly number: number;
}

/** The effect of an action with its options, given the open runs of the project. */
export async function effectOf(place: Place, { effect, given, number }: GivenAction): Promise<ActionEffect> {
  if (effect !== 'changes') return effect;
  if (commandIn(given.option('body') ?? '') !== undefined) return 'commands';
  const isAwaited = (forge: ApprovalModel['forge']): boolean =>
    given.option('body') === undefined
      ? forge?.waitFor === 'label' && given.options('add').includes(forge.label ?? '')
      : forge?.waitFor === 'comment';
  return (await hasQuestion(place, number, isAwaited)) ? 'settles' : effect;
}

async function hasQuestion(place: Place, number: number, matches: (forge: ApprovalModel['forge']) => boolean): Promise<boolean> {
  await using store = await openExisting(place);
  if (store === undefined) return false;
  const about = { issues: [number], prs: [number] };
  for (const { id, origin } of await store.list({ status: OPEN_STATES, about, mayAsk: true })) {
    if (!isAbout(await openRunOf(store, { id, origin }), about)) continue;
    if ((await waitingApprovals(store, id)).some(({ approval }) => matches(approval.question.forge))) return true;
  }
  return false;
}
