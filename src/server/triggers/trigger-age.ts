// Owns the start of a relative `stop_after`: `stop_after: +30d` counts from when a server of this project first saw the workflow
// with that age. Changing the age starts the count again; changing anything else in the workflow does not.

import { allTriggers, type TriggerModel } from '../../definition/trigger/trigger.ts';
import type { ServerDatabase } from '../server-database.ts';
import type { TriggeredWorkflow } from '../services.ts';

/** When triggers with an age were first seen, in the server's database. */
export class TriggerAges {
  private readonly database: ServerDatabase;
  private readonly now: () => number;

  constructor(database: ServerDatabase, now: () => number) {
    this.database = database;
    this.now = now;
  }

  /** Records triggers that are seen for the first time. */
  record(triggered: readonly TriggeredWorkflow[]): void {
    for (const { workflow, trigger } of triggered)
      for (const { stopAfterMs } of allTriggers(trigger)) if (stopAfterMs !== undefined) this.since(workflow, stopAfterMs);
  }

  /** The time after which a trigger starts nothing; undefined for one without an end. */
  endOf(workflow: string, { stopAfter, stopAfterMs }: TriggerModel): number | undefined {
    return stopAfterMs === undefined ? stopAfter : this.since(workflow, stopAfterMs) + stopAfterMs;
  }

  private since(workflow: string, ageMs: number): number {
    const known = this.database.get('SELECT since FROM trigger_ages WHERE workflow = ? AND age = ?', workflow, ageMs);
    if (known !== undefined) return Number(known.since);
    this.database.insert('trigger_ages', { workflow, age: ageMs, since: this.now() }, 'ignore');
    return Number(this.database.get('SELECT since FROM trigger_ages WHERE workflow = ? AND age = ?', workflow, ageMs)?.since);
  }
}
