// Connects an engine and its forge outside of steps: events of the forge wake runs, and the person who started a run is
// notified at once of assumptions that a person must answer.

import { present } from '../base/fields.ts';
import { allChecks } from '../definition/check.ts';
import { type Definition, stepsWithin } from '../definition/model.ts';
import type { EngineCore } from '../engine/engine.ts';
import { addFacts, sendSignal } from '../engine/requests.ts';
import type { Forge, ForgeEvent } from '../forge/forge.ts';
import { waitOf } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import { RECHECK_SIGNAL } from '../kernel/waits.ts';
import type { RunQuery } from '../store/store.ts';

/** Checks by name, with the events after which they look again. */
export type ReactiveChecks = Readonly<Record<string, { readonly reactiveEvents?: readonly string[] }>>;

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
 * Handles a forge event: runs about its subject get their new labels, and gates without a verdict check again. Each run
 * decides whether it is concerned.
 */
function onForgeEvent(
  core: EngineCore,
  { forge, checks }: { readonly forge: Forge; readonly checks: ReactiveChecks },
  event: ForgeEvent,
): void {
  const notify = async (run: string): Promise<void> => {
    if (event.event.endsWith('labeled')) await refreshLabels(core, forge, { run, event });
    const { state, definition } = await core.store.load(run);
    if (looksAt(checks, { state, definition, event: event.event })) await sendSignal(core, run, { name: RECHECK_SIGNAL, id: event.id });
  };
  const notifyAll = async (): Promise<void> => {
    // A run that cannot be driven here does not affect the others.
    for (const { id } of await core.store.list({ status: ['waiting'], ...concerned(event) }))
      await notify(id).catch((error: unknown) => core.warn(error));
  };
  notifyAll().catch((error: unknown) => core.warn(error));
}

/** The runs that an event can concern: those about its subject or about nothing. One that names no number can concern every run. */
function concerned({ issue, pr }: ForgeEvent): Pick<RunQuery, 'about'> {
  if (pr !== undefined) return { about: { prs: [pr], none: true } };
  return issue === undefined ? {} : { about: { issues: [issue], none: true } };
}

/** Whether a gate that waits has a check whose verdict the event can change. In a flow, whose gates are not known, each can. */
function looksAt(
  checks: ReactiveChecks,
  { state, definition, event }: { readonly state: RunState; readonly definition: Definition; readonly event: string },
): boolean {
  const steps = new Map(definition.steps.flatMap(stepsWithin).map((step) => [step.id, step]));
  return Object.values(state.live).some((activation) => {
    if (waitOf(activation)?.kind !== 'checks') return false;
    const gate = steps.get(activation.step.split('/').at(-1) ?? '');
    if (gate?.kind !== 'gate' || event === 'started') return true;
    return allChecks(gate.config.checks).some(({ check }) => {
      const reactive = Object.hasOwn(checks, check) ? checks[check]?.reactiveEvents : undefined;
      return reactive === undefined || check === 'any_of' || reactive.some((name) => event === name || event.startsWith(`${name}.`));
    });
  });
}

async function refreshLabels(core: EngineCore, forge: Forge, change: { readonly run: string; readonly event: ForgeEvent }): Promise<void> {
  const { run, event } = change;
  const data = await core.store.data(run, ['issue_number', 'pr_number', 'labels']);
  const number = event.issue ?? event.pr;
  if (!data.has('labels') || number === undefined || (data.get('issue_number') ?? data.get('pr_number')) !== number) return;
  const answer = event.issue === undefined ? await forge.pullRequest(number) : await forge.issue(number);
  if (answer.result === 'ok') await addFacts(core, run, { facts: { labels: [...answer.value.labels] }, id: event.id });
}

/** Tells people at once what cannot wait: what has to be answered before anything is merged. The rest is in the inbox. */
function noticeAssumptions(core: EngineCore, forge: Forge): () => void {
  return core.listen(({ run, events }) => {
    const grave = events.flatMap(graveIn);
    if (grave.length > 0) tell(core, forge, { run, grave }).catch((error: unknown) => core.warn(error));
  });
}

function graveIn(event: RunEvent): readonly string[] {
  if (event.type !== 'run.changed' || event.change !== 'assumed') return [];
  return event.assumptions.filter(({ severity }) => severity === 'MUST').map(({ id }) => id);
}

async function tell(
  core: EngineCore,
  forge: Forge,
  { run, grave }: { readonly run: string; readonly grave: readonly string[] },
): Promise<void> {
  const { actor, issue, pr } = (await core.store.load(run)).origin;
  if (actor === undefined) return;
  // What the agent wrote is not in the message: it could call people or close issues.
  const message = `Run ${run} made assumptions that a person must answer before anything is merged (${grave.join(', ')}): pawl assumptions ${run}`;
  await forge.notify({ target: actor, people: [actor], message, ...present({ number: pr ?? issue }) }, `assumed/${run}/${grave.join()}`);
}
