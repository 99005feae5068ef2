// Owns how the steps of a run are told: the definition's steps in order with a mark, visits and attempts folded into
// one line where nothing happened, and the evidence where something did.

import { formatDuration } from '../../base/duration.ts';
import { inOrder } from '../name-order.ts';
import type { Shell } from '../shell.ts';
import { statusMark, statusText } from '../status.ts';
import { oneLine, shorten, widthOf } from '../terminal.ts';
import { evidenceLines } from './evidence.ts';
import type { Detail } from './lines.ts';
import type { Story, StoryGroup, StoryPlanRow, StoryStep } from './story.ts';
import { cutLines } from './text.ts';
import { sumOf, usageText } from './usage.ts';

const FAILURES_SHOWN = 10;
const BRANCHES_SHOWN = 8;
const NAME_MAX = 32;

/** The steps of a story, in the order of the definition. */
export function stepLines(shell: Shell, story: Story, detail: Detail): string[] {
  const width = Math.min(NAME_MAX, Math.max(0, ...story.plan.map((row) => widthOf(nameOf(shell, row)))));
  return story.plan.flatMap((row) => rowLines(shell, story, { row, width, detail }));
}

interface Telling {
  readonly row: StoryPlanRow;
  readonly width: number;
  readonly detail: Detail;
}

function nameOf(shell: Shell, { step, visits }: StoryPlanRow): string {
  return `${oneLine(step)}${visits > 1 ? ` ${shell.look.hasUnicode ? '\u00d7' : 'x'}${visits}` : ''}`;
}

function rowLines(shell: Shell, story: Story, { row, width, detail }: Telling): string[] {
  const attempts = story.steps.filter(({ step, group }) => step === row.step && group === undefined);
  const members = story.steps.filter(({ group }) => group !== undefined && attempts.some(({ path }) => path === group));
  const name = shorten(shell.look, nameOf(shell, row), width);
  const pad = ' '.repeat(width - widthOf(name));
  const head = `${statusMark(shell, row.status)} ${row.status === 'pending' ? shell.style('dim', name) : name}${pad}`;
  const told = [head, ...summaryOf(shell, row, { attempts, members })].join('  ').trimEnd();
  return [told, ...attempts.flatMap((attempt) => attemptLines(shell, story, { attempt, attempts, detail }))];
}

function summaryOf(
  shell: Shell,
  row: StoryPlanRow,
  { attempts, members }: Readonly<Record<'attempts' | 'members', readonly StoryStep[]>>,
): string[] {
  const last = attempts.at(-1);
  if (last === undefined) return [];
  const time = attempts.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const tries = row.attempts > row.visits ? `${row.attempts} attempts` : '';
  const word = last.outcome === null ? last.status : last.outcome;
  const usage = sumOf([...attempts, ...members].map((attempt) => attempt.usage));
  const by = last.actor === undefined ? '' : `by ${oneLine(last.actor)}`;
  const parts = [formatDuration(time), tries, by, usage === undefined ? '' : usageText(usage)].filter((part) => part !== '');
  return [statusText(shell, row.status, word), shell.style('dim', parts.join(', '))];
}

interface Attempted {
  readonly attempt: StoryStep;
  readonly attempts: readonly StoryStep[];
  readonly detail: Detail;
}

function attemptLines(shell: Shell, story: Story, { attempt, attempts, detail }: Attempted): string[] {
  const group = story.groups.find(({ path }) => path === attempt.path);
  const isLast = attempts.findLast(({ path }) => path === attempt.path) === attempt;
  const members = group === undefined || !isLast ? [] : groupLines(shell, story, { group, detail });
  // A group that failed is told by its members.
  const told = detail === 'short' && members.length > 0 ? [] : evidenceLines(shell, attempt, detail);
  if (detail === 'short' && told.length === 0) return members;
  const isOnly = attempts.length === 1 && detail === 'short';
  return [...(isOnly ? [] : [headOf(shell, attempt)]), ...told, ...members];
}

function headOf(shell: Shell, { path, attempt, status, outcome, durationMs, actor, usage }: StoryStep): string {
  const word = outcome ?? (status === 'failed' ? 'failed, tried again' : status);
  const time = durationMs === null ? '' : `  ${shell.style('dim', formatDuration(durationMs))}`;
  const by = actor === undefined ? '' : shell.style('dim', ` by ${oneLine(actor)}`);
  const used = usage === undefined ? '' : shell.style('dim', `, ${usageText(usage)}`);
  return `    ${oneLine(path)} attempt ${attempt}  ${statusText(shell, status, word)}${time}${by}${used}`;
}

function groupLines(shell: Shell, story: Story, { group, detail }: { readonly group: StoryGroup; readonly detail: Detail }): string[] {
  const { total, ok, failed, skipped, open, kind, path } = group;
  const counts = [
    `${ok} ok`,
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
    open > 0 ? `${open} open` : '',
  ];
  const noun = kind === 'each' ? 'items' : 'branches';
  const head = `    ${total} ${noun}: ${counts.filter((count) => count !== '').join(', ')}`;
  const members = story.steps.filter((member) => member.group === path).sort(byKey);
  const latest = detail === 'full' ? members : [...new Map(members.map((member) => [member.key, member])).values()];
  const all = detail === 'full' || (kind !== 'each' && latest.length <= BRANCHES_SHOWN);
  const named = all ? latest : latest.filter(({ key }) => group.failures.includes(key ?? ''));
  const shown = detail === 'full' ? named : named.slice(0, FAILURES_SHOWN);
  const left = named.length - shown.length;
  return [
    head,
    ...shown.flatMap((member) => memberLines(shell, member, detail)),
    ...(left === 0 ? [] : [`    ${shell.style('dim', `${shell.symbol('ellipsis')} ${left} more: pawl show ${story.run.id} --steps`)}`]),
  ];
}

/** Members in the order of their names: they end in any order. */
function byKey(a: StoryStep, b: StoryStep): number {
  return inOrder(a.key ?? '', b.key ?? '') || a.attempt - b.attempt;
}

function memberLines(shell: Shell, member: StoryStep, detail: Detail): string[] {
  const { key, status, outcome, attempt, durationMs, error } = member;
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const time = durationMs === null ? '' : formatDuration(durationMs);
  const head = `    ${statusMark(shell, status)} ${oneLine(key ?? '')}  ${statusText(shell, status, outcome ?? status)}  ${shell.style('dim', `${time}${tries}`)}`;
  if (detail === 'full') return [head, ...evidenceLines(shell, member, detail)];
  return [head, ...(error === null ? [] : cutLines(shell, error, { indent: 8, max: 2 }))];
}

/** Attempts one after the other with all that was kept of them. */
export function attemptsInFull(shell: Shell, attempts: readonly StoryStep[]): string[] {
  return attempts.flatMap((attempt) => [headOf(shell, attempt).trimStart(), ...evidenceLines(shell, attempt, 'full')]);
}
