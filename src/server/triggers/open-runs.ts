// Finds the open runs that an event of a forge is about.

import { isJsonObject } from '../../base/json.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import { NUMBER_KEYS } from '../../definition/forge/run-numbers.ts';
import type { Definition } from '../../definition/model.ts';
import type { ForgeEvent, ForgeReader } from '../../forge/forge.ts';
import { PUSHED } from '../../steps/run-records.ts';
import type { RunOrigin, RunQuery, RunSummary, Store } from '../../store/store.ts';
import { valueIn } from './forge-unavailable.ts';

const KEPT_MAX = 20_000;

/** Caches a value that is read from the definition of each run, which never changes. */
export class DefinitionCache<T> {
  private readonly stores = new WeakMap<Store, Map<string, T>>();
  private readonly read: (definition: Definition) => T;

  constructor(read: (definition: Definition) => T) {
    this.read = read;
  }

  async get(store: Store, run: string): Promise<T> {
    const known = this.stores.get(store) ?? new Map<string, T>();
    this.stores.set(store, known);
    const found = known.get(run) ?? this.read((await store.load(run)).definition);
    if (known.size >= KEPT_MAX) known.clear();
    known.set(run, found);
    return found;
  }
}

/** What a run is about at the forge. */
export interface OpenRun {
  readonly id: string;
  readonly issue: number | undefined;
  readonly prs: readonly number[];
  /** The commit that the engine pushed last. */
  readonly pushed: string | undefined;
  /** The folder of the run's own worktree. */
  readonly workspace: string | undefined;
}

/** Reads what a run is about. */
export async function openRunOf(store: Store, { id, origin }: { readonly id: string; readonly origin: RunOrigin }): Promise<OpenRun> {
  const data = await store.data(id, [...NUMBER_KEYS, PUSHED.key]);
  const several = data.get('pr_numbers');
  const prs = [data.get('pr_number'), origin.pr, ...(isJsonObject(several) ? Object.values(several) : [])];
  return {
    id,
    issue: numberIn(data.get('issue_number')) ?? origin.issue,
    prs: [...new Set(prs.flatMap((pr) => numberIn(pr) ?? []))],
    pushed: PUSHED.read(data.get(PUSHED.key)),
    workspace: origin.head === undefined ? undefined : origin.workspace,
  };
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** What an event is about: an issue or pull requests. One with only a commit is about the pull requests with that head. */
interface EventSubject {
  readonly issues: readonly number[];
  readonly prs: readonly number[];
}

/** Returns what an event is about. */
export async function subjectOfEvent(forge: ForgeReader, { issue, pr, sha }: ForgeEvent): Promise<EventSubject> {
  if (pr !== undefined) return { issues: [], prs: [pr] };
  if (issue !== undefined) return { issues: [issue], prs: [] };
  return { issues: [], prs: sha === undefined ? [] : valueIn(await forge.pullRequestsAt(sha)) };
}

/** The open runs that may be about a subject; the store finds them without reading the others. */
export async function openRunsAbout(
  store: Store,
  about: EventSubject,
  more: Pick<RunQuery, 'mayAsk'> = {},
): Promise<readonly RunSummary[]> {
  return about.issues.length + about.prs.length === 0 ? [] : await store.list({ status: OPEN_STATES, about, ...more });
}

/** Whether a run is about one of these now. */
export function isAbout({ issue, prs }: OpenRun, about: EventSubject): boolean {
  return prs.some((pr) => about.prs.includes(pr)) || (issue !== undefined && about.issues.includes(issue));
}
