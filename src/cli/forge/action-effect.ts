// Owns what an action at the local forge means with its options: a comment may be a command, and a comment or a label may be what
// a question of an open run waits for.

import { pendingApprovals } from '../../control/approvals.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import type { ApprovalModel } from '../../definition/model.ts';
import { commandIn } from '../../server/surface/command.ts';
import { isAbout, openRunOf } from '../../server/triggers/open-runs.ts';
import type { ParsedArgs } from '../command.ts';
import { openExisting, type Place } from '../session.ts';
import type { Act } from './right.ts';

interface GivenAct {
  readonly act: Act;
  readonly given: ParsedArgs;
  /** The number of the issue or pull request. */
  readonly number: number;
}

/** What an action is with its options, as the open runs of a project are now. */
export async function actWith(place: Place, { act, given, number }: GivenAct): Promise<Act> {
  if (act !== 'changes') return act;
  if (commandIn(given.option('body') ?? '') !== undefined) return 'commands';
  const isAwaited = (forge: ApprovalModel['forge']): boolean =>
    given.option('body') === undefined
      ? forge?.waitFor === 'label' && given.options('add').includes(forge.label ?? '')
      : forge?.waitFor === 'comment';
  return (await hasQuestion(place, number, isAwaited)) ? 'settles' : act;
}

/** Whether an open run about an issue or a pull request asks a question of a kind. */
async function hasQuestion(place: Place, number: number, isMeant: (forge: ApprovalModel['forge']) => boolean): Promise<boolean> {
  await using store = await openExisting(place);
  if (store === undefined) return false;
  const about = { issues: [number], prs: [number] };
  for (const { id, origin } of await store.list({ status: OPEN_STATES, about, mayAsk: true })) {
    if (!isAbout(await openRunOf(store, { id, origin }), about)) continue;
    if ((await pendingApprovals(store, id)).some(({ gate }) => isMeant(gate.question.forge))) return true;
  }
  return false;
}
