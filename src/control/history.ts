// Reads from the log of a run what nothing else records: who decided what and on which content, what was overridden, how
// large its fan-outs are, and which run it was forked from.

import { activationIn, overrideIn, pathOf } from '../engine/event-facts.ts';
import { humanWaitOf } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { EventRow, Store } from '../store/store.ts';
import type { DecisionReport, OverrideReport } from './schema/run.ts';

/** What the log records. */
export interface History {
  readonly decisions: readonly DecisionReport[];
  readonly overrides: readonly OverrideReport[];
  /** How many members each group has, by its path. */
  readonly totals: ReadonlyMap<string, number>;
  readonly forkOf: { readonly run: string; readonly step: string } | undefined;
}

/** Reads what a report needs from the log of a run. */
export async function readHistory(store: Store, run: string): Promise<History> {
  const rows = await store.events(run, 0);
  const [first] = rows[0]?.events ?? [];
  const fork = first?.type === 'run.started' ? first.fork : undefined;
  return {
    decisions: decisionsOf(rows),
    overrides: rows.flatMap(({ events }) => events.flatMap(overrideOf)),
    totals: totalsOf(rows),
    forkOf: fork === undefined ? undefined : { run: fork.run, step: fork.step },
  };
}

function decisionsOf(rows: readonly EventRow[]): DecisionReport[] {
  const asked = new Map<string, string>();
  return rows.flatMap(({ events }) =>
    events.flatMap((event, index) => {
      noteQuestion(asked, event);
      if (event.type !== 'run.changed' || event.change !== 'decided') return [];
      // The event after a decision is about the same step: it settles, or is verified.
      const path = event.signed?.path ?? pathOf(events[index + 1]) ?? event.decision.step;
      const { step, option, input = null, actor } = event.decision;
      // Anyone who can write to the database can forge this; `pawl show` verifies it.
      const signed = event.signed === undefined ? null : { name: event.actor ?? '', fingerprint: event.signed.signature.key };
      return [{ step, path, option, input, actor, digest: asked.get(path) ?? null, at: new Date(event.at).toISOString(), signed }];
    }),
  );
}

function overrideOf(event: RunEvent): OverrideReport[] {
  const override = overrideIn(event);
  if (override === undefined) return [];
  const { how, actor, passed, note = null } = override;
  const to = 'to' in override ? (override.to ?? null) : null;
  return [{ how, actor, passed, to, note, at: new Date(event.at).toISOString() }];
}

function noteQuestion(asked: Map<string, string>, event: RunEvent): void {
  const digest = humanWaitOf(activationIn(event))?.digest;
  const path = pathOf(event);
  if (digest !== undefined && path !== undefined) asked.set(path, digest);
}

function totalsOf(rows: readonly EventRow[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const event of rows.flatMap(({ events }) => events)) {
    if (event.type === 'step.changed' && event.group !== undefined) totals.set(event.activation.path, event.group.total);
    if (event.type === 'group.joined') totals.set(event.path, event.counters.total);
  }
  return totals;
}
