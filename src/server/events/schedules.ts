// Owns the schedules of a server: which ticks of which workflows start runs, and when.
//
// SC1. A tick starts at most one run: the id of its run is derived from the workflow and the time, so that a second server,
//      or the same one after a crash, finds that the run exists.
// SC2. A tick is on disk before its run is started. If a crash comes in between, the next server starts the run.
// - A new, changed or resumed schedule starts now; earlier times do not count.
// - Ticks that passed while no server was running are caught up as `catch_up` says.

import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { createRunId, deriveRunId } from '../../base/id.ts';
import { invariant } from '../../base/invariant.ts';
import type { JsonObject } from '../../base/json.ts';
import { nullable, number, oneOf, optional, rowAs, type SqlRow, text } from '../../base/sql-row.ts';
import { didYouMean } from '../../base/suggest.ts';
import { lastTicks, nextTick, type ScheduleModel, ticksBetween } from '../../definition/trigger/schedule.ts';
import type { Clock } from '../../engine/clock.ts';
import type { ServerDatabase } from '../server-database.ts';
import { Alarm } from './alarm.ts';

/** A workflow with a schedule. */
export interface ScheduledWorkflow {
  readonly workflow: string;
  readonly schedule: ScheduleModel;
}

/** A run that a schedule or a delivery starts. */
export interface EventStart {
  readonly workflow: string;
  readonly id: string;
  readonly params: JsonObject;
  /** What started it, as its origin names it. */
  readonly event: string;
  readonly deliveryId?: string;
  readonly actor?: string;
  /** What the run reads as `trigger`. */
  readonly trigger: JsonObject;
}

interface ScheduleParts {
  readonly database: ServerDatabase;
  readonly clock: Clock;
  /** Finds the workflows with a schedule. */
  readonly scheduled: () => Promise<readonly ScheduledWorkflow[]>;
  /** Starts a run. Throws RUN_EXISTS if there is one with this id. */
  readonly start: (start: EventStart) => Promise<void>;
  readonly warn: (error: unknown) => void;
}

/** One tick, for reports. */
interface Tick {
  readonly at: number;
  readonly why: 'schedule' | 'by-hand' | 'backfill';
  readonly status: 'open' | 'started' | 'missed' | 'failed';
  readonly run: string | null;
  readonly message?: string;
  readonly actor?: string;
}

/** A schedule, for reports. */
export interface ScheduleReport {
  readonly id: string;
  readonly workflow: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly catchUp: ScheduleModel['catchUp'];
  readonly params: JsonObject;
  readonly paused: { readonly at: number; readonly by: string } | null;
  /** The next times, none while it is paused. */
  readonly next: readonly number[];
  /** The last ticks, newest first. */
  readonly ticks: readonly Tick[];
}

/** The maximum number of ticks that are caught up together: the latest ones. */
const CATCH_UP_MAX = 100;
const NEXT_SHOWN = 5;
const TICKS_SHOWN = 10;
/** A tick within this delay is on time: the process was only busy. */
const GRACE_MS = 60_000;
/** How many ticks of a schedule are kept. */
const TICKS_KEPT = 1000;

/** The schedules of a server. */
export class Schedules extends Alarm<ScheduleParts> {
  async list(): Promise<readonly ScheduleReport[]> {
    const all = await this.known();
    return all.map((schedule) => this.report(schedule));
  }

  async get(workflow: string): Promise<ScheduleReport> {
    return this.report(await this.find(workflow));
  }

  async pause(workflow: string, actor: string): Promise<ScheduleReport> {
    await this.find(workflow);
    const { database, clock } = this.parts;
    database.run(
      'UPDATE schedules SET paused_at = ?, paused_by = ? WHERE workflow = ? AND paused_at IS NULL',
      clock.now(),
      actor,
      workflow,
    );
    return this.get(workflow);
  }

  /** Continues with the next time. Times during the pause are not caught up; `backfill` starts them. */
  async resume(workflow: string): Promise<ScheduleReport> {
    await this.find(workflow);
    const { database, clock } = this.parts;
    database.run(
      'UPDATE schedules SET paused_at = NULL, paused_by = NULL, handled = ? WHERE workflow = ? AND paused_at IS NOT NULL',
      clock.now(),
      workflow,
    );
    await this.ring();
    return this.get(workflow);
  }

  /** Starts a run now, whatever the schedule says. Returns its id. */
  async runNow(workflow: string, actor: string): Promise<string> {
    const { schedule } = await this.find(workflow);
    const run = createRunId();
    const at = this.parts.clock.now();
    this.insert({ workflow, at, why: 'by-hand', actor, run });
    await this.startTick({ workflow, at, why: 'by-hand', actor, run }, schedule);
    const failed = this.parts.database.get("SELECT message FROM ticks WHERE workflow = ? AND at = ? AND why = 'by-hand'", workflow, at);
    if (failed?.message != null) throw new EngineError('STEP_FAILED', `workflow "${workflow}" was not started: ${String(failed.message)}`);
    return run;
  }

  /** Starts the runs that are missing for the ticks of a past period. Returns their ids. */
  async backfill(workflow: string, { from, until, actor }: { from: number; until: number; actor: string }): Promise<readonly string[]> {
    const { schedule } = await this.find(workflow);
    const now = this.parts.clock.now();
    if (!(from < until)) throw new EngineError('USAGE', 'a backfill must start before it ends');
    if (until > now) throw new EngineError('USAGE', 'a backfill must end in the past; the schedule itself starts future runs');
    const ticks = ticksBetween(schedule, { after: from - 1, until, max: CATCH_UP_MAX + 1 });
    if (ticks.length > CATCH_UP_MAX)
      throw new EngineError(
        'LIMIT_REACHED',
        `the schedule of "${workflow}" has more than ${CATCH_UP_MAX} times in that period; choose a shorter one`,
      );
    const runs: string[] = [];
    for (const at of ticks) {
      const run = runOf(workflow, at);
      const tick = { workflow, at, why: 'backfill' as const, actor, run };
      const isTaken = this.parts.database.get("SELECT 1 FROM ticks WHERE run = ? AND status = 'started'", run) !== undefined;
      if (isTaken || !this.insert(tick)) continue;
      if (await this.startTick(tick, schedule)) runs.push(run);
    }
    return runs;
  }

  /** Records the ticks that are due, starts them, and returns when the next one is due. */
  protected override async work(): Promise<number | undefined> {
    const all = await this.known();
    for (const schedule of all) this.recordDue(schedule);
    for (const schedule of all) await this.startOpen(schedule);
    const next = all.flatMap((schedule) =>
      this.row(schedule).pausedAt === null ? (nextTick(schedule.schedule, this.row(schedule).handled) ?? []) : [],
    );
    return next.length === 0 ? undefined : Math.min(...next);
  }

  /** Records the ticks that are due (SC2). */
  private recordDue(scheduled: ScheduledWorkflow): void {
    const { database, clock } = this.parts;
    const { workflow, schedule } = scheduled;
    database.transaction(() => {
      const { handled, pausedAt } = this.row(scheduled);
      const now = clock.now();
      if (pausedAt !== null) return;
      const due = lastTicks(schedule, { after: handled, until: now, max: CATCH_UP_MAX });
      const last = due.at(-1);
      if (last === undefined) return;
      const wanted = new Set(ticksToStart(schedule, due, now));
      for (const at of due) {
        const status = wanted.has(at) ? 'open' : 'missed';
        this.insert({ workflow, at, why: 'schedule', run: runOf(workflow, at) }, status);
      }
      database.run('UPDATE schedules SET handled = ? WHERE workflow = ?', last, workflow);
      database.run(
        "DELETE FROM ticks WHERE workflow = ?1 AND status != 'open' AND at < (SELECT at FROM ticks WHERE workflow = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)",
        workflow,
        TICKS_KEPT,
      );
    });
  }

  private async startOpen({ workflow, schedule }: ScheduledWorkflow): Promise<void> {
    const open = this.parts.database.all("SELECT * FROM ticks WHERE workflow = ? AND status = 'open' ORDER BY at", workflow);
    for (const row of open) await this.startTick(omitUndefined(writtenTick(row)), schedule);
  }

  /** Starts the run of a tick. Returns whether the run exists now (SC1). */
  private async startTick({ workflow, at, why, run, actor }: WrittenTick, schedule: ScheduleModel): Promise<boolean> {
    const time = new Date(at).toISOString();
    const trigger = { schedule: schedule.cron, timezone: schedule.timezone, time, why };
    const end = (status: Tick['status'], message: string | null): void =>
      void this.parts.database.run(
        'UPDATE ticks SET status = ?, message = ? WHERE workflow = ? AND at = ? AND why = ?',
        ...[status, message, workflow, at, why],
      );
    try {
      await this.parts.start({
        ...{ workflow, id: run, params: schedule.params, event: 'schedule', deliveryId: time, trigger },
        ...omitUndefined({ actor }),
      });
    } catch (error) {
      if (!isEngineError(error) || error.code !== 'RUN_EXISTS') {
        // The engine is closing: the next server starts it.
        if (isEngineError(error) && error.code === 'ENGINE_CLOSED') return false;
        end('failed', messageOf(error as Error));
        this.parts.warn(error);
        return false;
      }
    }
    end('started', null);
    return true;
  }

  private insert({ workflow, at, why, run, actor }: WrittenTick, status = 'open'): boolean {
    return this.parts.database.insert('ticks', { workflow, at, why, actor, run, status }, 'ignore').isNew;
  }

  /** The workflows that have a schedule now. A new or changed schedule counts from now on. */
  private async known(): Promise<readonly ScheduledWorkflow[]> {
    const { database, clock, scheduled } = this.parts;
    const all = await scheduled();
    for (const { workflow, schedule } of all)
      database.run(
        `INSERT INTO schedules (workflow, cron, timezone, handled) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET cron = ?2, timezone = ?3, handled = ?4 WHERE cron != ?2 OR timezone != ?3`,
        ...[workflow, schedule.cron, schedule.timezone, clock.now()],
      );
    return all;
  }

  private async find(workflow: string): Promise<ScheduledWorkflow> {
    const all = await this.known();
    const found = all.find((schedule) => schedule.workflow === workflow);
    if (found !== undefined) return found;
    const hint = didYouMean(
      workflow,
      all.map((schedule) => schedule.workflow),
    );
    throw new EngineError(
      'SCHEDULE_UNKNOWN',
      `no trusted workflow "${workflow}" has a schedule${hint}; "pawl schedules" lists those that do`,
    );
  }

  private row({ workflow }: ScheduledWorkflow): ReturnType<typeof scheduleRow> {
    const row = this.parts.database.get('SELECT * FROM schedules WHERE workflow = ?', workflow);
    invariant(row !== undefined, 'a known schedule has a row', workflow);
    return scheduleRow(row);
  }

  private report(scheduled: ScheduledWorkflow): ScheduleReport {
    const { workflow, schedule } = scheduled;
    const { pausedAt, pausedBy } = this.row(scheduled);
    const ticks = this.parts.database.all('SELECT * FROM ticks WHERE workflow = ? ORDER BY at DESC LIMIT ?', workflow, TICKS_SHOWN);
    const { cron, timezone, catchUp, params } = schedule;
    return {
      ...{ id: workflow, workflow, schedule: cron, timezone, catchUp, params },
      paused: pausedAt === null || pausedBy === null ? null : { at: pausedAt, by: pausedBy },
      next: pausedAt === null ? nextTicks(schedule, this.parts.clock.now()) : [],
      ticks: ticks.map(tickOf),
    };
  }
}

const why = oneOf('schedule', 'by-hand', 'backfill');
const writtenTick = rowAs({ workflow: text, at: number, why, run: text, actor: optional(text) });
const tickRow = rowAs({
  ...{ at: number, why, run: text, message: optional(text), actor: optional(text) },
  status: oneOf('open', 'started', 'missed', 'failed'),
});
const scheduleRow = rowAs({ handled: number, pausedAt: nullable(number), pausedBy: nullable(text) });

interface WrittenTick {
  readonly workflow: string;
  readonly at: number;
  readonly why: Tick['why'];
  readonly run: string;
  readonly actor?: string;
}

/** The id of the run of a tick (SC1). */
function runOf(workflow: string, at: number): string {
  return deriveRunId(`schedule/${workflow}`, String(at));
}

function ticksToStart({ catchUp }: ScheduleModel, due: readonly number[], now: number): readonly number[] {
  if (catchUp === 'all') return due;
  const last = due.slice(-1);
  return catchUp === 'one' ? last : last.filter((at) => now - at <= GRACE_MS);
}

function nextTicks(schedule: ScheduleModel, now: number): number[] {
  const found: number[] = [];
  for (let tick = nextTick(schedule, now); tick !== undefined && found.length < NEXT_SHOWN; tick = nextTick(schedule, tick))
    found.push(tick);
  return found;
}

function tickOf(row: SqlRow): Tick {
  const { run, status, ...tick } = tickRow(row);
  return { ...omitUndefined(tick), status, run: status === 'started' ? run : null };
}
