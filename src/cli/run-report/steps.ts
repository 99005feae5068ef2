// Prints the steps of a run, in the order of the definition: one line for each that succeeded, and the evidence for
// the others.

import { formatDuration } from '../../base/duration.ts';
import type { GroupReport, PlanReport, RunReport, StepReport } from '../../control/schema/run.ts';
import { sumOf, usageText } from '../../control/usage.ts';
import type { Shell } from '../shell.ts';
import { type AnyStatus, statusMark, statusText } from '../status.ts';
import { oneLine, shortenName, widthOf } from '../terminal.ts';
import { evidenceLines } from './evidence.ts';
import type { Detail } from './lines.ts';
import { countTexts, cutLines } from './text.ts';

const FAILURES_SHOWN = 10;
const BRANCHES_SHOWN = 8;
const NAME_MAX = 32;
const ACTOR_MIN = 12;
/** The usual width of the text before an actor. */
const ACTOR_ROOM = 44;

/** The steps of a report, in the order of the definition. */
export function stepLines(shell: Shell, report: RunReport, detail: Detail): string[] {
  const longest = report.plan.reduce((max, row) => Math.max(max, widthOf(nameOf(shell, row))), 0);
  const width = Math.min(NAME_MAX, longest);
  const index = indexOf(report);
  return report.plan.flatMap((row) => rowLines(shell, report, { row, width, detail, index }));
}

/** The parts of a report by key, so that a report of many steps is read once. */
interface ReportIndex {
  readonly attempts: ReadonlyMap<string, readonly StepReport[]>;
  readonly members: ReadonlyMap<string, readonly StepReport[]>;
  readonly groups: ReadonlyMap<string, GroupReport>;
  readonly last: ReadonlyMap<string, StepReport>;
}

function indexOf({ steps, groups }: RunReport): ReportIndex {
  const isMember = ({ group }: StepReport): boolean => group !== undefined;
  return {
    attempts: Map.groupBy(
      steps.filter((step) => !isMember(step)),
      ({ step }) => step,
    ),
    members: Map.groupBy(steps.filter(isMember), ({ group }) => group as string),
    groups: new Map(groups.map((group) => [group.path, group])),
    last: new Map(steps.map((step) => [step.path, step])),
  };
}

function nameOf(shell: Shell, { step, visits }: PlanReport): string {
  return `${oneLine(step)}${visits > 1 ? ` ${shell.display.hasUnicode ? '\u00d7' : 'x'}${visits}` : ''}`;
}

function rowLines(
  shell: Shell,
  report: RunReport,
  { row, width, detail, index }: { readonly row: PlanReport; readonly width: number; readonly detail: Detail; readonly index: ReportIndex },
): string[] {
  const attempts = index.attempts.get(row.step) ?? [];
  const members = [...new Set(attempts.map(({ path }) => path))].flatMap((path) => index.members.get(path) ?? []);
  const name = shortenName(shell.display, nameOf(shell, row), width);
  const pad = ' '.repeat(width - widthOf(name));
  const status = shownStatus(row.status, attempts.at(-1), index);
  const head = `${statusMark(shell, status)} ${row.status === 'pending' ? shell.style('dim', name) : name}${pad}`;
  const line = [head, ...summaryOf(shell, { ...row, status }, { attempts, members })].join('  ').trimEnd();
  return [line, ...attempts.flatMap((attempt) => attemptLines(shell, report, { attempt, attempts, detail, index }))];
}

/** The status to show: a review that rejects the work is completed, but must not look like a success. */
function shownStatus(status: PlanReport['status'], last: StepReport | undefined, { groups }: ReportIndex): AnyStatus {
  if (status !== 'completed' || last === undefined) return status;
  return last.rejection !== undefined || (groups.get(last.path)?.rejected ?? 0) > 0 ? 'rejected' : status;
}

function summaryOf(
  shell: Shell,
  row: Omit<PlanReport, 'status'> & { readonly status: AnyStatus },
  { attempts, members }: Readonly<Record<'attempts' | 'members', readonly StepReport[]>>,
): string[] {
  const last = attempts.at(-1);
  if (last === undefined) return [];
  const time = attempts.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const tries = row.attempts > row.visits ? `${row.attempts} attempts` : '';
  const ended = last.outcome === null ? last.status : last.outcome;
  const outcome = row.status === 'rejected' && ended === 'ok' ? 'rejected' : ended;
  const usage = sumOf([...attempts, ...members].map((attempt) => attempt.usage));
  const by = last.actor === undefined ? '' : `by ${actorText(shell, last.actor)}`;
  const parts = [formatDuration(time), tries, by, usage === undefined ? '' : usageText(usage)].filter((part) => part !== '');
  return [statusText(shell, row.status, outcome), shell.style('dim', parts.join(', '))];
}

/** The actor of a step; for a command this is the command line, which may be long. */
function actorText({ display }: Shell, actor: string): string {
  return display.isTerminal ? shortenName(display, oneLine(actor), Math.max(ACTOR_MIN, display.columns - ACTOR_ROOM)) : oneLine(actor);
}

interface AttemptLayout {
  readonly attempt: StepReport;
  readonly attempts: readonly StepReport[];
  readonly detail: Detail;
  readonly index: ReportIndex;
}

function attemptLines(shell: Shell, report: RunReport, { attempt, attempts, detail, index }: AttemptLayout): string[] {
  const group = index.groups.get(attempt.path);
  const isLast = index.last.get(attempt.path) === attempt;
  const members = group === undefined || !isLast ? [] : groupLines(shell, report, { group, detail, index });
  // The evidence of a failed group is that of its members.
  const evidence = detail === 'short' && members.length > 0 ? [] : evidenceLines(shell, attempt, detail);
  if (detail === 'short' && evidence.length === 0) return members;
  const isOnly = attempts.length === 1 && detail === 'short';
  return [...(isOnly ? [] : [attemptHead(shell, attempt)]), ...evidence, ...members];
}

function attemptHead(shell: Shell, { path, attempt, status, outcome, durationMs, actor, usage, rejection }: StepReport): string {
  const word = outcome ?? (status === 'failed' ? 'failed, retried' : status);
  const time = durationMs === null ? '' : `  ${shell.style('dim', formatDuration(durationMs))}`;
  const by = actor === undefined ? '' : shell.style('dim', ` by ${actorText(shell, actor)}`);
  const used = usage === undefined ? '' : shell.style('dim', `, ${usageText(usage)}`);
  const shown = rejection === undefined ? status : 'rejected';
  return `    ${oneLine(path)} attempt ${attempt}  ${statusText(shell, shown, word)}${time}${by}${used}`;
}

function groupLines(
  shell: Shell,
  report: RunReport,
  { group, detail, index }: { readonly group: GroupReport; readonly detail: Detail; readonly index: ReportIndex },
): string[] {
  const { total, ok, failed, rejected, skipped, open, kind, path } = group;
  const counts = [`${ok} ok`, ...countTexts({ failed, rejected, skipped, open })];
  const head = `    ${total} ${kind === 'each' ? 'items' : 'branches'}: ${counts.join(', ')}`;
  const members = (index.members.get(path) ?? []).toSorted(byKey);
  const latest = detail === 'full' ? members : [...new Map(members.map((member) => [member.key, member])).values()];
  const all = detail === 'full' || (kind !== 'each' && latest.length <= BRANCHES_SHOWN);
  const failures = new Set(group.failures);
  const named = all ? latest : latest.filter(({ key }) => failures.has(key ?? ''));
  const shown = detail === 'full' ? named : named.slice(0, FAILURES_SHOWN);
  const hidden = named.length - shown.length;
  return [
    head,
    ...shown.flatMap((member) => memberLines(shell, member, detail)),
    ...(hidden === 0
      ? []
      : [`    ${shell.style('dim', `${shell.symbol('ellipsis')} ${hidden} more: pawl show ${report.run.id} --steps`)}`]),
  ];
}

function byKey(a: StepReport, b: StepReport): number {
  return compareNames(a.key ?? '', b.key ?? '') || a.attempt - b.attempt;
}

function memberLines(shell: Shell, member: StepReport, detail: Detail): string[] {
  const { key, outcome, attempt, durationMs, rejection } = member;
  const status: AnyStatus = rejection === undefined ? member.status : 'rejected';
  const error = member.error ?? rejection ?? null;
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const time = durationMs === null ? '' : formatDuration(durationMs);
  const head = `    ${statusMark(shell, status)} ${oneLine(key ?? '')}  ${statusText(shell, status, rejection === undefined ? (outcome ?? status) : status)}  ${shell.style('dim', `${time}${tries}`)}`;
  if (detail === 'full') return [head, ...evidenceLines(shell, member, detail)];
  return [head, ...(error === null ? [] : cutLines(shell, error, { indent: 8, max: 2 }))];
}

/** Attempts with all recorded evidence. */
export function attemptsInFull(shell: Shell, attempts: readonly StepReport[]): string[] {
  return attempts.flatMap((attempt) => [attemptHead(shell, attempt).trimStart(), ...evidenceLines(shell, attempt, 'full')]);
}

/** Natural order: numbers in names compare by value, so `item-9` comes before `item-10`. */
export function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : a > b ? 1 : 0);
}
