// Owns schedules: when a workflow starts by itself. A schedule is not part of a definition: a running run does not depend
// on it.
//
// - A time skipped by a daylight saving change becomes the next full hour; one that occurs twice counts once.
// - Times are computed from one time to the next: nothing here reads a clock.

import { Cron } from 'croner';
import { messageOf } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Definition } from '../model.ts';
import { bindParams } from '../param/arg.ts';

/** What to do about times that passed while no server was running: start a run for the last of them, for all, or for none. */
export type CatchUp = 'one' | 'all' | 'none';

/** The values of `catch_up`. */
const CATCH_UPS: readonly CatchUp[] = ['one', 'all', 'none'];

/** A schedule as a workflow in TypeScript states it. */
export interface ScheduleSpec {
  /** Five fields as in cron (minute, hour, day, month, weekday), or a word such as `@daily`. */
  readonly schedule: string;
  /** The zone of these fields, such as `Europe/Berlin`. Default: UTC. */
  readonly timezone?: string;
  /** Default: `one`. */
  readonly catchUp?: CatchUp;
  /** The parameters of its runs. */
  readonly params?: JsonObject;
}

/** The schedule of a workflow. */
export interface ScheduleModel {
  readonly cron: string;
  readonly timezone: string;
  readonly catchUp: CatchUp;
  readonly params: JsonObject;
}

/** What is wrong with a schedule, and in which field. */
export interface ScheduleProblem {
  readonly field: 'schedule' | 'timezone' | 'catch_up' | 'params';
  readonly message: string;
  readonly hint: string;
}

/** The schedule with its defaults. */
export function scheduleOf({ schedule, timezone = 'UTC', catchUp = 'one', params = {} }: ScheduleSpec): ScheduleModel {
  return { cron: schedule, timezone, catchUp, params };
}

/** Returns what is wrong with a schedule of a workflow with these parameters, if anything. Without them, its values are not checked. */
export function scheduleProblem(model: ScheduleModel, params?: Definition['params']): ScheduleProblem | undefined {
  return timesProblem(model) ?? (params === undefined ? undefined : paramsProblem(model, params));
}

function paramsProblem({ params: values }: ScheduleModel, params: Definition['params']): ScheduleProblem | undefined {
  try {
    bindParams(params, values, 'the schedule');
    return undefined;
  } catch (error) {
    return { field: 'params', message: messageOf(error as Error), hint: 'write it under "trigger.params"' };
  }
}

function timesProblem({ cron, timezone, catchUp }: ScheduleModel): ScheduleProblem | undefined {
  if (typeof cron !== 'string' || !(WORDS.includes(cron) || cron.trim().split(/\s+/).length === 5))
    return { field: 'schedule', message: `a schedule must have five fields, not ${JSON.stringify(cron)}`, hint: FIELDS };
  if (!isZone(timezone))
    return {
      field: 'timezone',
      message: `there is no time zone ${JSON.stringify(timezone)}`,
      hint: 'write a name such as Europe/Berlin, or UTC',
    };
  if (!CATCH_UPS.includes(catchUp))
    return {
      field: 'catch_up',
      message: `\`catch_up\` must be one of ${CATCH_UPS.join(', ')}, not ${JSON.stringify(catchUp)}`,
      hint: 'write "one", the default',
    };
  try {
    if (nextTick({ cron, timezone }, FIXED) !== undefined) return undefined;
    return { field: 'schedule', message: `the schedule "${cron}" names a date that never comes`, hint: 'change the day or the month' };
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, '');
    return { field: 'schedule', message: `the schedule "${cron}" is invalid: ${why}`, hint: FIELDS };
  }
}

const WORDS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const FIELDS = 'write minute, hour, day, month and weekday, such as "0 6 * * 1-5", or a word such as @daily';
/** Any fixed time works to check whether a schedule ever matches. */
const FIXED = Date.UTC(2026, 0, 1);

function isZone(name: string): boolean {
  try {
    return typeof name === 'string' && name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the first time of a schedule after another time. */
export function nextTick({ cron, timezone }: Pick<ScheduleModel, 'cron' | 'timezone'>, after: number): number | undefined {
  // `Cron` writes its defaults into the options, so each call gets a new object.
  return new Cron(cron, { timezone, mode: '5-part' }).nextRun(new Date(after))?.getTime();
}

/** Returns the times of a schedule after one time and up to another, oldest first, at most so many. */
export function ticksBetween(model: Pick<ScheduleModel, 'cron' | 'timezone'>, { after, until, max }: TickRange): number[] {
  const found: number[] = [];
  for (let tick = nextTick(model, after); tick !== undefined && tick <= until && found.length < max; tick = nextTick(model, tick))
    found.push(tick);
  return found;
}

/** The same, but the last of them if there are more. */
export function lastTicks({ cron, timezone }: Pick<ScheduleModel, 'cron' | 'timezone'>, { after, until, max }: TickRange): number[] {
  // `previousRuns` excludes its starting time and works in whole seconds.
  const before = new Cron(cron, { timezone, mode: '5-part' }).previousRuns(max, new Date(until + 1000)).map((date) => date.getTime());
  return before.filter((tick) => tick > after && tick <= until).reverse();
}

/** A time range, without its beginning. */
interface TickRange {
  readonly after: number;
  readonly until: number;
  readonly max: number;
}
