// Connects an engine and its forge outside of steps: events of the forge wake runs, and the person who started a run is
// notified at once of assumptions that a person must answer.

import { omitUndefined } from '../base/fields.ts';
import { modelNamed } from '../definition/address.ts';
import { allChecks, checksIn } from '../definition/check.ts';
import type { Definition } from '../definition/model.ts';
import { checksContained } from '../definition/plain-workflow.ts';
import type { EngineCore } from '../engine/engine.ts';
import { ENGINE_ACTOR } from '../engine/request/actor.ts';
import { addFacts, controlRun } from '../engine/request/requests.ts';
import type { Forge, ForgeEvent } from '../forge/forge.ts';
import { runKey } from '../forge/run-key.ts';
import { waitOf } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { RunQuery } from '../store/store.ts';

/** Checks by name, with the events after which they look again. */
export type ReactiveChecks = Readonly<Record<string, { readonly reactiveEvents?: readonly string[] }>>;

/** A run and an event. */
interface RunAtEvent {
  readonly state: RunState;
  readonly definition: Definition;
  /** The checks that its workflow contains. */
  readonly contained: ReturnType<typeof checksContained>;
  readonly event: string;
}

/** Connects the runs of an engine with its forge. Returns how to stop. */
export function linkForge(core: EngineCore, forge: Forge, checks: ReactiveChecks): () => void {
  const unwatch = forge.watch((event) => onForgeEvent(core, { forge, checks }, event));
  const unlisten = noticeAssumptions(core, forge);
  return () => {
    unwatch();
    unlisten();
  };
}

/**
 * Handles a forge event: runs about its subject get their new labels, and gates without a verdict and merges that are
 * under way look again. Each run decides whether it is concerned.
 */
function onForgeEvent(
  core: EngineCore,
  { forge, checks }: { readonly forge: Forge; readonly checks: ReactiveChecks },
  event: ForgeEvent,
): void {
  const notify = async (run: string): Promise<void> => {
    if (event.event.endsWith('labeled')) await refreshLabels(core, forge, { run, event });
    const { state, definition } = await core.store.load(run);
    const contained = checksContained(core.parts.source.find(definition.name)?.code ?? new Map());
    if (looksAt(checks, { state, definition, contained, event: event.event }))
      await controlRun(core, run, { action: { do: 'recheckGates' }, actor: ENGINE_ACTOR, id: event.id });
  };
  const notifyAll = async (): Promise<void> => {
    const about = await concerned(forge, event);
    // A run that cannot be driven here does not affect the others.
    for (const { id } of await core.store.list({ status: ['waiting', 'running'], ...omitUndefined({ about }) }))
      await notify(id).catch((error: unknown) => core.warn(error));
  };
  notifyAll().catch((error: unknown) => core.warn(error));
}

/**
 * What the runs are about that an event can concern: its subject, or nothing. A commit or a branch means its open pull
 * requests. Undefined if it can concern every run, since it names none of these.
 */
async function concerned(forge: Forge, { issue, pr, sha, branch }: ForgeEvent): Promise<RunQuery['about']> {
  if (pr !== undefined) return { prs: [pr], none: true };
  if (issue !== undefined) return { issues: [issue], none: true };
  if (sha === undefined && branch === undefined) return undefined;
  const found = [
    ...(sha === undefined ? [] : [await forge.pullRequestsAt(sha)]),
    ...(branch === undefined ? [] : [await forge.pullRequestsOn(branch)]),
  ];
  // While the forge does not answer, gates and merges could not look either; they do by themselves, soon after.
  return { prs: found.flatMap((answer) => (answer.result === 'ok' ? answer.value : [])), none: true };
}

/** The events that can end a merge which is under way at the forge. */
const MERGE_NEWS = [
  ...['check_run.completed', 'check_suite.completed', 'workflow_run.completed', 'status', 'merge_group', 'started'],
  ...['closed', 'dequeued', 'synchronize', 'edited', 'converted_to_draft'].map((action) => `pull_request.${action}`),
];

/**
 * Whether something waits, or looks just now, that the event can end: a merge, or a gate with a check whose verdict it can
 * change. In a flow, whose gates are not known, each can.
 */
function looksAt(checks: ReactiveChecks, { state, definition, contained, event }: RunAtEvent): boolean {
  return Object.values(state.live).some((activation) => {
    const wait = waitOf(activation);
    const looks = activation.state === 'running';
    if ((wait?.kind === 'capacity' && wait.wakeOnSignal === true) || (looks && activation.kind === 'action'))
      return isNamed(MERGE_NEWS, event);
    if (wait?.kind !== 'checks' && !(looks && activation.kind === 'gate')) return false;
    const gate = modelNamed(definition, activation.step);
    const made = gate === undefined ? [] : allChecks(checksIn(gate));
    if (made.length === 0 || event === 'started') return true;
    return made.some(({ check }) => {
      const known = contained.get(`${activation.step} ${check}`) ?? (Object.hasOwn(checks, check) ? checks[check] : undefined);
      const reactive = known?.reactiveEvents;
      return reactive === undefined || isNamed(reactive, event);
    });
  });
}

function isNamed(names: readonly string[], event: string): boolean {
  return names.some((name) => event === name || event.startsWith(`${name}.`));
}

async function refreshLabels(core: EngineCore, forge: Forge, change: { readonly run: string; readonly event: ForgeEvent }): Promise<void> {
  const { run, event } = change;
  const data = await core.store.data(run, ['issue_number', 'pr_number', 'labels']);
  const number = event.issue ?? event.pr;
  if (!data.has('labels') || number === undefined || (data.get('issue_number') ?? data.get('pr_number')) !== number) return;
  const answer = event.issue === undefined ? await forge.pullRequest(number) : await forge.issue(number);
  if (answer.result === 'ok') await addFacts(core, run, { facts: { labels: [...answer.value.labels] }, id: event.id });
}

/** Notifies people immediately of assumptions that block a merge. The others are in the inbox. */
function noticeAssumptions(core: EngineCore, forge: Forge): () => void {
  return core.listen(({ run, events }) => {
    const mustAssumptions = events.flatMap(mustAssumptionsIn);
    if (mustAssumptions.length > 0) tell(core, forge, { run, mustAssumptions }).catch((error: unknown) => core.warn(error));
  });
}

function mustAssumptionsIn(event: RunEvent): readonly string[] {
  if (event.type !== 'run.changed' || event.change !== 'assumed') return [];
  return event.assumptions.filter(({ severity }) => severity === 'MUST').map(({ id }) => id);
}

async function tell(
  core: EngineCore,
  forge: Forge,
  { run, mustAssumptions }: { readonly run: string; readonly mustAssumptions: readonly string[] },
): Promise<void> {
  const { actor, issue, pr } = (await core.store.load(run)).origin;
  if (actor === undefined) return;
  // What the agent wrote is not in the message: it could call people or close issues.
  const message = `Run ${run} made assumptions that a person must answer before anything is merged (${mustAssumptions.join(', ')}): pawl assumptions ${run}`;
  await forge.notify(
    { target: actor, people: [actor], message, ...omitUndefined({ number: pr ?? issue }) },
    runKey(run, 'assumed', mustAssumptions.join()),
  );
}
