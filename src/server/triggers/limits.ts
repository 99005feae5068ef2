// Checks the conditions of a trigger that need more than the event: its end, and the changed files.
//
// - The changed files are those of the pull request, or of the commits of a push. An event without either matches no `paths`.
// - A rename changes both names.

import { isJsonObject, type Json } from '../../base/json.ts';
import { subjectOf } from '../../control/trigger/subject.ts';
import type { TriggerModel } from '../../definition/trigger/trigger.ts';
import type { ForgeReader } from '../../forge/forge.ts';
import { matches } from '../../steps/workspace/glob.ts';
import { valueIn } from './forge-unavailable.ts';
import type { ReceivedEvent } from './received-event.ts';
import type { SelectedWorkflow } from './selection.ts';

interface LimitFacts {
  readonly received: ReceivedEvent;
  readonly now: number;
  /** The time after which the trigger of a workflow starts nothing. */
  readonly endOf: (workflow: string, trigger: TriggerModel) => number | undefined;
}

/** The workflows whose limits allow an event; a string says why there is none. */
export async function withinLimits(
  forge: Pick<ForgeReader, 'changedFiles'>,
  selected: readonly SelectedWorkflow[],
  { received, now, endOf }: LimitFacts,
): Promise<readonly SelectedWorkflow[] | string> {
  let changed: Promise<readonly string[]> | undefined;
  const files = (): Promise<readonly string[]> => {
    changed ??= changedPaths(forge, received);
    return changed;
  };
  const left: SelectedWorkflow[] = [];
  const reasons: string[] = [];
  for (const candidate of selected) {
    const { workflow, trigger } = candidate;
    const end = trigger === undefined ? undefined : endOf(workflow, trigger);
    const reason = trigger === undefined ? undefined : (endReason(end, now) ?? (await pathMismatch(trigger, files)));
    if (reason === undefined) left.push(candidate);
    else reasons.push(`"${candidate.workflow}": ${reason}`);
  }
  return left.length > 0 ? left : reasons.join('; ');
}

function endReason(end: number | undefined, now: number): string | undefined {
  if (end === undefined || now <= end) return undefined;
  return `it starts nothing after ${new Date(end).toISOString()} (stop_after)`;
}

async function pathMismatch(
  { paths = [], pathsIgnore = [] }: TriggerModel,
  files: () => Promise<readonly string[]>,
): Promise<string | undefined> {
  if (paths.length === 0 && pathsIgnore.length === 0) return undefined;
  const counted = (await files()).filter((file) => !pathsIgnore.some((pattern) => matches(file, pattern)));
  if (counted.length === 0) return 'none of the changed files match its paths';
  if (paths.length === 0 || counted.some((file) => paths.some((pattern) => matches(file, pattern)))) return undefined;
  return `it starts on changes to ${paths.join(', ')}, but none of these files changed`;
}

async function changedPaths(forge: Pick<ForgeReader, 'changedFiles'>, { payload }: ReceivedEvent): Promise<readonly string[]> {
  const { pr } = subjectOf(payload);
  if (pr === undefined) return pushedPaths(payload.commits);
  const found = valueIn(await forge.changedFiles({ pr }));
  return found.flatMap((file) => (file.status === 'renamed' ? [file.path, file.from] : [file.path]));
}

function pushedPaths(commits: Json | undefined): string[] {
  const lists = (Array.isArray(commits) ? commits : []).flatMap((commit: Json) =>
    isJsonObject(commit) ? [commit.added, commit.modified, commit.removed] : [],
  );
  return lists.flatMap((list) => (Array.isArray(list) ? list.filter((path): path is string => typeof path === 'string') : []));
}
