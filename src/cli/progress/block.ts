// Owns the block of lines that a terminal shows for a run: a head line, each step with its state and duration, and child
// runs indented below. Every line fits the width, so that it takes one row of the screen.

import { formatDuration } from '../../base/duration.ts';
import { pathText } from '../../definition/address.ts';
import { isSettled } from '../../definition/run-status.ts';
import type { TranscriptId } from '../../engine/transcript/transcripts.ts';
import type { Shell } from '../shell.ts';
import { statusMark, statusText } from '../status.ts';
import { oneLine, shorten, shortenName, widthOf } from '../terminal.ts';
import { activityText, countText, endText, stepDurationMs } from './event-lines.ts';
import type { StepProgress } from './progress.ts';
import type { ProgressNode } from './reader.ts';

/** The lines of one step, which scroll out of the block together once it has ended. */
export interface StepLines {
  readonly key: string;
  readonly ended: boolean;
  readonly lines: readonly string[];
}

/** The width, the time and the output to draw with. */
interface DrawContext {
  readonly columns: number;
  readonly now: number;
  readonly outputOf: (attempt: TranscriptId) => readonly string[];
}

const NAME_MAX = 28;
const NAME_MIN = 6;
const TIME_WIDTH = 6;
/** How many members of a group get a line; the others are only counted. */
const MEMBERS_MAX = 8;
const NOTABLE: ReadonlySet<string> = new Set(['failed', 'rejected']);

/** The first line: the workflow, the run, its status and its duration. */
export function headLine(shell: Shell, node: ProgressNode, context: DrawContext): string {
  const { state, status } = node.progress;
  const took = state === undefined ? 0 : (isSettled(state.status) ? state.at : context.now) - state.createdAt;
  const after = `  ${node.run}  ${status}  ${timeText(took)}`;
  const name = shortenName(shell.display, oneLine(state?.workflow ?? 'run'), Math.max(NAME_MIN, context.columns - 4 - widthOf(after)));
  const text = `${name}${after}`;
  if (widthOf(text) + 4 > context.columns) return `${statusMark(shell, status)} ${shorten(shell.display, text, context.columns - 4)}`;
  return `${statusMark(shell, status)} ${shell.style('bold', name)}  ${node.run}  ${statusText(shell, status)}  ${shell.style('dim', timeText(took))}`;
}

/** The steps of a run and of its child runs, in the order in which they were opened. */
export function stepLines(shell: Shell, node: ProgressNode, context: DrawContext): StepLines[] {
  const steps = topSteps(node);
  const width = nameWidth(steps, 2, context);
  return steps.map((step) => ({
    key: step.activation.path,
    ended: step.endedAt !== undefined,
    lines: linesOfStep(shell, { node, step, indent: 2, width }, context),
  }));
}

function topSteps({ progress }: ProgressNode): StepProgress[] {
  return [...progress.steps.values()].filter(({ activation }) => activation.member === undefined);
}

/** The width of the column of names: the longest name, if it leaves room for the time. */
function nameWidth(steps: readonly StepProgress[], indent: number, { columns }: DrawContext): number {
  const available = Math.max(NAME_MIN, columns - indent - TIME_WIDTH - 7);
  return Math.min(NAME_MAX, available, Math.max(0, ...steps.map((step) => widthOf(nameOf(step)))));
}

interface StepLayout {
  readonly node: ProgressNode;
  readonly step: StepProgress;
  readonly indent: number;
  readonly width: number;
}

function linesOfStep(shell: Shell, placed: StepLayout, context: DrawContext): string[] {
  const child = placed.node.children.get(placed.step.activation.path);
  const below = child === undefined ? [] : topSteps(child);
  const inside = { node: child ?? placed.node, indent: placed.indent + 2, width: nameWidth(below, placed.indent + 2, context) };
  return [
    stepLine(shell, placed, context),
    ...outputLines(shell, placed, context),
    ...memberLines(shell, placed, context),
    ...below.flatMap((step) => linesOfStep(shell, { ...inside, step }, context)),
  ];
}

function memberLines(shell: Shell, { node, step, indent }: StepLayout, context: DrawContext): string[] {
  if (step.members === undefined) return [];
  const all = [...node.progress.steps.values()].filter(({ activation }) => activation.member?.group === step.activation.path);
  const notable = all.length <= MEMBERS_MAX ? all : all.filter(({ status, endedAt }) => endedAt === undefined || NOTABLE.has(status));
  const shown = notable.slice(0, MEMBERS_MAX);
  const width = nameWidth(shown, indent + 2, context);
  const hidden = notable.length - shown.length;
  return [
    ...shown.flatMap((member) => linesOfStep(shell, { node, step: member, indent: indent + 2, width }, context)),
    ...(hidden === 0
      ? []
      : [shell.style('dim', shorten(shell.display, `${' '.repeat(indent + 4)}and ${hidden} more running or failed`, context.columns - 1))]),
  ];
}

function stepLine(shell: Shell, { node, step, indent, width }: StepLayout, context: DrawContext): string {
  const name = shortenName(shell.display, nameOf(step), width);
  const time = timeText(stepDurationMs(step, context.now)).padStart(TIME_WIDTH);
  const mark = statusMark(shell, step.status);
  const before = `${' '.repeat(indent)}${mark} ${name}${' '.repeat(Math.max(0, width - widthOf(name)))}  `;
  const left = context.columns - 1 - widthOf(before) - TIME_WIDTH - 2;
  const about = left < 1 ? '' : shorten(shell.display, detailText(node, step), left);
  const shown = step.status === 'completed' ? shell.style('dim', about) : statusText(shell, step.status, about);
  return `${before}${shell.style('dim', time)}  ${shown}`.trimEnd();
}

function outputLines(shell: Shell, { node, step, indent }: StepLayout, context: DrawContext): string[] {
  const { activation, status, endedAt, members } = step;
  if (endedAt !== undefined || members !== undefined || (status !== 'running' && status !== 'verifying')) return [];
  const before = `${' '.repeat(indent + 2)}${shell.symbol('bar')} `;
  const left = Math.max(1, context.columns - 1 - widthOf(before));
  const { path, attempt } = activation;
  return context
    .outputOf({ run: node.run, path, attempt })
    .map((text) => shell.style('dim', `${before}${shorten(shell.display, text, left)}`));
}

/** `implement`, `implement#2` for the second visit; a member by its key. */
function nameOf({ activation }: StepProgress): string {
  return oneLine(activation.member?.key ?? pathText(activation.path));
}

function detailText(node: ProgressNode, step: StepProgress): string {
  const { activation, members, error, endedAt } = step;
  const title = node.titles.get(activation.step);
  const ends = [
    ...(step.outcome === 'ok' && step.status === 'completed' ? [] : [endText(step)]),
    ...(activation.attempt > 1 ? [`attempt ${activation.attempt}`] : []),
  ];
  const parts = [
    ...(members === undefined ? [] : [countText(step)]),
    ...(endedAt === undefined ? (members === undefined ? [activityText(step)] : []) : ends),
    ...(error === undefined ? [] : [endedAt === undefined ? `after: ${oneLine(error)}` : oneLine(error)]),
    ...(title === undefined || title === activation.step || activation.member !== undefined ? [] : [oneLine(title)]),
  ];
  return parts.join(', ');
}

/** A duration of stable width: tenths below ten seconds, then whole seconds. */
function timeText(ms: number): string {
  return ms < 10_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)}s` : formatDuration(Math.floor(ms / 1000) * 1000);
}
