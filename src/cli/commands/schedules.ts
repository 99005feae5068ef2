// `pawl schedules`: lists scheduled workflows with their next time and last result; pauses, resumes, runs and backfills them.

import { type EventServices, openSchedules, scheduleJson } from '../../server/events/events.ts';
import type { ScheduleReport, Schedules } from '../../server/events/schedules.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { requiredOption } from '../params.ts';
import { starterName } from '../right.ts';
import { withProjectEvents } from '../serve/project-events.ts';
import { closing, findSetup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const action = args.maybe('ACTION') ?? 'list';
  const acts = action === 'run' || action === 'backfill';
  if (acts) await assertSettingsTrusted(shell, setup);
  return withProjectEvents(shell, { setup, acts }, (services) =>
    closing(openSchedules(services), (schedules) =>
      action === 'list' ? list(shell, args, schedules) : act(shell, args, { action, schedules, services }),
    ),
  );
};

async function list(shell: Shell, args: ParsedArgs, schedules: Schedules): Promise<number> {
  const name = args.maybe('WORKFLOW');
  const all = name === undefined ? await schedules.list() : [await schedules.get(name)];
  return shell.result({ schedules: all.map(scheduleJson) }, () => (all.length === 0 ? [NONE] : linesOf(shell, all)));
}

const NONE = 'No trusted workflow of this project has a schedule; give one "trigger: { schedule: "0 6 * * 1-5" }".';

function linesOf(shell: Shell, all: readonly ScheduleReport[]): string[] {
  return shell.table(all, {
    WORKFLOW: ({ workflow }) => oneLine(workflow),
    SCHEDULE: ({ schedule, timezone }) => `${schedule} ${timezone}`,
    NEXT: ({ paused, next }) => (paused === null ? timeText(next[0]) : `paused by ${oneLine(paused.by)}`),
    LAST: ({ ticks: [last] }) =>
      last === undefined ? '' : `${timeText(last.at)} ${last.status}${last.run === null ? '' : ` ${last.run}`}`,
  });
}

function timeText(time: number | undefined): string {
  return time === undefined ? '' : new Date(time).toISOString().replace(/:00\.000Z$|\.\d{3}Z$/, 'Z');
}

async function act(
  shell: Shell,
  args: ParsedArgs,
  { action, schedules, services }: { readonly action: string; readonly schedules: Schedules; readonly services: EventServices },
): Promise<number> {
  const workflow = args.maybe('WORKFLOW');
  if (workflow === undefined) throw usageError(`name the workflow: "pawl schedules ${action} WORKFLOW"`);
  const actor = await starterName(shell);
  const runs =
    action === 'run'
      ? [await schedules.runNow(workflow, actor)]
      : action === 'backfill'
        ? await schedules.backfill(workflow, { ...rangeOf(args), actor })
        : [];
  if (action === 'pause') await schedules.pause(workflow, actor);
  if (action === 'resume') await schedules.resume(workflow);
  const ended = await Promise.all(runs.map((id) => services.engine.run(id).wait('outside')));
  const schedule = await schedules.get(workflow);
  return shell.result({ schedule: scheduleJson(schedule), runs }, () => [
    ...ended.map(({ status }, index) => `run ${runs[index]} ${status}`),
    ...(action === 'backfill' && runs.length === 0 ? ['No runs were missed.'] : []),
    ...linesOf(shell, [schedule]),
  ]);
}

function rangeOf(args: ParsedArgs): { readonly from: number; readonly until: number } {
  const from = requiredOption(args, 'from', 'the first time to backfill, such as 2026-01-31');
  const until = args.option('until');
  return { from: timeOf('from', from), until: until === undefined ? Date.now() : timeOf('until', until) };
}

function timeOf(option: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw usageError(`--${option} must be a date or a time such as 2026-01-31 or 2026-01-31T06:00:00Z, not "${text}"`);
}
