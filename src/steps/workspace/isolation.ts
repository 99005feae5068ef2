// Runs branches that may write the same files in side checkouts. Their changes are merged back when they end; if
// changes conflict, the later branch ends with the outcome `conflict`. An agent that does not declare its files may write
// anything, unless its role may not change files or the branches are reviews. Without git, the branches share the workspace.

import type { ToolAction } from '../../agents/driver.ts';
import { runsInOtherProcess } from '../../definition/kind.ts';
import { type Definition, membersOf, roleOf, type StepModel } from '../../definition/model.ts';
import { isReview, isSilentWriter, overlappingWriters, writtenBy } from '../../definition/overlap.ts';
import { closeSideCheckout, mergeBack, openSideCheckout } from '../../process/side-checkout.ts';
import { checkoutOf } from '../../process/worktree.ts';
import type { AttemptRequest, AttemptResult } from '../attempt.ts';
import type { Attempt } from '../layers.ts';
import { ownEntry, type StepServices } from '../services.ts';
import type { Job, Runner } from '../work.ts';
import { narrowPermissions } from '../worker/permission.ts';
import { treeForSideWork } from './tree-verdict.ts';

const ANYTHING: readonly string[] = ['**'];
const WRITING_ACTIONS: readonly ToolAction[] = ['edit', 'delete', 'move', 'execute'];

/** Runs an attempt, in its own checkout if another branch may write the same files. */
export async function inSideCheckout(job: Job, work: Attempt): Promise<AttemptResult> {
  const { runner, request } = job;
  if (!mayConflictWithOthers(runner, request) || (await checkoutOf(runner.services.cwd)) === undefined) return work(job);
  const tree = await treeForSideWork({ runner, request });
  const checkout = await openSideCheckout(runner.services.cwd);
  try {
    const place = { ...runner, services: { ...runner.services, cwd: checkout.folder } };
    const result = await work({ ...job, runner: place, request: { ...request, sideWork: tree === undefined ? {} : { tree } } });
    if (result.type !== 'settled' || result.outcome !== 'ok') return result;
    const merged = await mergeBack(checkout);
    if (merged.kind === 'merged') return result;
    const files = [...merged.files];
    const error = `its changes conflict with those of another branch in ${files.join(', ')}`;
    return { ...result, outcome: 'conflict', output: { error, files }, claim: result.claim ?? result.output };
  } finally {
    await closeSideCheckout(checkout);
  }
}

/** Whether this is a branch or an item that may write the same files as another one of its group. */
export function mayConflictWithOthers(runner: Runner, { activation, bound, group, workflow }: AttemptRequest): boolean {
  const { services } = runner;
  const { kind, id } = bound.model;
  if (group === undefined || (group.kind !== 'parallel' && group.kind !== 'each') || group.concurrency === 1) return false;
  if (!runsInOtherProcess(runner, kind) || activation.member === undefined) return false;
  const patternsOf = (member: StepModel): readonly string[] => {
    if (!isSilentWriter(runner, member)) return writtenBy(member);
    const isLive = member.id === id && bound.code.agent !== undefined;
    return isLive || isReview(group) || !mayWrite(services, workflow.definition, member) ? [] : ANYTHING;
  };
  if (patternsOf(bound.model).length === 0) return false;
  return group.kind === 'each' || overlappingWriters(membersOf(group), patternsOf).has(id);
}

/** Whether the role of an agent may change files, by itself or with the programs that it runs. */
function mayWrite({ roles }: StepServices, definition: Definition, step: StepModel): boolean {
  const role = roleOf(step);
  const { allow } = narrowPermissions(definition, role === undefined ? undefined : ownEntry(roles, role)?.permissions);
  return WRITING_ACTIONS.some((action) => allow.includes(action));
}
