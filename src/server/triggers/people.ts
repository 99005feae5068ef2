// Asks people at the forge about questions of runs, and reminds them while a question is open. It checks after a commit of
// any process, and when a reminder is due.
//
// - People are assigned to the pull request or the issue, and asked for a review or notified there.
// FP1. People are asked once for each question: the key of the request is that of the question.
// FP2. A reminder is recorded before it is sent, and the next one is due an interval after it: after a long sleep of the
//      machine there is one reminder, and not one for every interval that has passed.

import { omitUndefined } from '../../base/fields.ts';
import { invariant } from '../../base/invariant.ts';
import { isSamePerson } from '../../base/person.ts';
import { flag, number, rowAs } from '../../base/sql-row.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import type { ApprovalModel } from '../../definition/model.ts';
import type { Clock } from '../../engine/clock.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import { type ForgeAnswer, retryHintOf } from '../../forge/forge.ts';
import { type Groups, membersOf } from '../../forge/people.ts';
import { runKey } from '../../forge/run-key.ts';
import type { Store } from '../../store/store.ts';
import { CommitAlarm } from '../events/alarm.ts';
import { clockOf } from '../events/event-settings.ts';
import type { EventServices } from '../events/events.ts';
import type { PartTables, ServerDatabase } from '../server-database.ts';
import type { ServerPart } from '../services.ts';
import { ASKS_AT_FORGE, decideByReviews } from './forge-decisions.ts';
import { type OpenRun, openRunOf } from './open-runs.ts';
import type { ReactionParts } from './reactions.ts';

/** The questions that people were asked, and the reminders. */
export const PEOPLE_TABLES: PartTables = {
  part: 'people',
  migrations: [
    `CREATE TABLE asked_questions (
       run TEXT NOT NULL, path TEXT NOT NULL, since INTEGER NOT NULL, assigned INTEGER NOT NULL DEFAULT 0,
       reminders INTEGER NOT NULL DEFAULT 0, last_at INTEGER NOT NULL, PRIMARY KEY (run, path, since)) WITHOUT ROWID;`,
  ],
};

/** Asks and reminds people at the forge. */
export const PEOPLE: ServerPart = {
  name: 'people',
  routes: [],
  tables: PEOPLE_TABLES,
  mount: (_app, services) => {
    const watch = openPeople(services, services.groups);
    if (watch === undefined) return;
    services.onClose(() => watch.close());
    void watch.ring();
  },
};

/** Asks and reminds people at the forge of a project after every commit; undefined if the project has no forge. */
export function openPeople(services: EventServices, groups?: () => Groups): PeopleWatch | undefined {
  const { engine, events, warn } = services;
  const { forge } = events;
  if (forge === undefined) return undefined;
  const settings = { ...forge, ...omitUndefined({ groups: forge.groups ?? groups }) };
  return new PeopleWatch({ services, settings, store: engine.store, clock: clockOf(events), warn });
}

interface PeopleParts extends ReactionParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly warn: (error: unknown) => void;
}

/** Asks people about the open questions, and reminds them. */
class PeopleWatch extends CommitAlarm<PeopleParts> {
  /** Returns when the next reminder is due. */
  protected override async work(): Promise<number | undefined> {
    const { engine, warn } = this.parts.services;
    let due: number | undefined;
    for (const { id, origin } of await engine.store.list({ status: OPEN_STATES, mayAsk: true })) {
      if (!(await ASKS_AT_FORGE.get(engine.store, id))) continue;
      const run = await openRunOf(engine.store, { id, origin });
      for (const approval of await engine.run(id).approvals()) {
        if (approval.question.forge === undefined) continue;
        const next = await this.checkQuestion(run, approval).catch((error: unknown) => void warn(error));
        if (typeof next === 'number') due = Math.min(due ?? next, next);
      }
    }
    return due;
  }

  /** Returns when the next reminder is due. */
  private async checkQuestion(run: OpenRun, approval: OpenApproval): Promise<number | undefined> {
    const { services } = this.parts;
    const { reminders } = approval.question.forge ?? {};
    const row = rowOf(services.database, run, approval);
    if (!row.assigned) await this.assign(run, approval);
    await decideByReviews(this.parts, run, approval);
    if (reminders === undefined || row.reminders >= reminders.max) return undefined;
    const due = row.lastAt + reminders.intervalMs;
    const now = this.parts.clock.now();
    if (due > now) return due;
    await this.remind(run, approval, row.reminders + 1);
    return row.reminders + 1 < reminders.max ? now + reminders.intervalMs : undefined;
  }

  private async assign(run: OpenRun, { path, since, step, question }: OpenApproval): Promise<void> {
    const { services, settings } = this.parts;
    const { assign } = question.forge ?? {};
    const [pr] = run.prs;
    const key = runKey(run.id, path, since, 'assign');
    if (assign !== undefined) {
      const people = this.namesOf(assign);
      const message = `Run ${run.id} asks for your decision at "${step}".`;
      const number = pr ?? run.issue;
      const assigned = number === undefined ? undefined : await settings.forge.assign({ number, people }, `${key}/people`);
      if (assigned !== undefined && retryHintOf(assigned).isTransient) return;
      const answer =
        pr === undefined
          ? await settings.forge.notify({ target: assign.join(', '), people, message, ...numberOf(run) }, key)
          : await this.requestReviews(pr, people, key);
      if (retryHintOf(answer).isTransient) return;
      for (const failed of [assigned, answer])
        if (failed !== undefined && failed.result !== 'ok')
          services.warn(new Error(`could not ask anyone at the forge about "${step}" of run ${run.id}: ${failed.message}`));
    }
    services.database.run('UPDATE asked_questions SET assigned = 1 WHERE run = ? AND path = ? AND since = ?', run.id, path, since);
  }

  /** Requests reviews of everyone except the author, who cannot review their own pull request. */
  private async requestReviews(pr: number, people: readonly string[], key: string): Promise<ForgeAnswer<object>> {
    const { forge } = this.parts.settings;
    const pull = await forge.pullRequest(pr);
    if (pull.result !== 'ok') return pull;
    const others = people.filter((person) => !isSamePerson(person, pull.value.author));
    return others.length === 0 ? { result: 'ok', value: {} } : forge.requestReviewers({ number: pr, people: others }, key);
  }

  private async remind(run: OpenRun, { path, since, step, question }: OpenApproval, number: number): Promise<void> {
    const { services, settings } = this.parts;
    const now = this.parts.clock.now();
    // FP2. Of two servers, only one sends it.
    const claimed = services.database.run(
      'UPDATE asked_questions SET reminders = ?, last_at = ? WHERE run = ? AND path = ? AND since = ? AND reminders = ?',
      ...[number, now, run.id, path, since, number - 1],
    );
    if (claimed === 0) return;
    const people = this.namesOf(askedPeople(question));
    const message = `Reminder ${number} of ${question.forge?.reminders?.max}: run ${run.id} still waits for a decision at "${step}".`;
    const request = { target: askedPeople(question).join(', ') || 'everyone', people, message, ...numberOf(run) };
    const sent = await settings.forge.notify(request, runKey(run.id, path, since, 'remind', number));
    if (sent.result !== 'ok') services.warn(new Error(`the reminder about "${step}" of run ${run.id} could not be sent: ${sent.message}`));
  }

  private namesOf(names: readonly string[]): string[] {
    const groups = this.parts.settings.groups?.() ?? {};
    return names.flatMap((name) => (Object.hasOwn(groups, name) ? membersOf(groups, name) : [name]));
  }
}

function askedPeople({ forge, from }: ApprovalModel): readonly string[] {
  return forge?.assign ?? from ?? [];
}

function numberOf({ prs, issue }: OpenRun): { readonly number?: number } {
  const number = prs[0] ?? issue;
  return omitUndefined({ number });
}

const askedRow = rowAs({ assigned: flag, reminders: number, lastAt: number });

function rowOf(database: ServerDatabase, { id }: OpenRun, { path, since }: OpenApproval): ReturnType<typeof askedRow> {
  database.insert('asked_questions', { run: id, path, since, lastAt: since }, 'ignore');
  const row = database.get(
    'SELECT assigned, reminders, last_at FROM asked_questions WHERE run = ? AND path = ? AND since = ?',
    id,
    path,
    since,
  );
  invariant(row !== undefined, 'FP2: a question has a row once it was looked at', path);
  return askedRow(row);
}
