// Owns the block of lines that a terminal shows for a run: a head line, each step with its state and duration, and child
// runs indented below. Every line fits the width, so that one line of the block is one line of the screen.

import { formatDuration } from '../../base/duration.ts';
import { pathText } from '../../definition/address.ts';
import { isSettled } from '../../definition/run-status.ts';
import type { TranscriptId } from '../../engine/transcript/transcripts.ts';
import type { Shell } from '../shell.ts';
import { statusMark, statusText } from '../status.ts';
import { oneLine, shorten, shortenName, widthOf } from '../terminal.ts';
import { countText, doingText, endText, tookMs } from './event-lines.ts';
import type { StepProgress } from './progress.ts';
import type { ProgressNode } from './reader.ts';

/** The lines of one step, which scroll out of the block together once it has ended. */
export interface StepLines {
  readonly key: string;
  readonly ended: boolean;
  readonly lines: readonly string[];
}

/** The space and the time for drawing the block. */
interface BlockRoom {
  readonly columns: number;
  readonly now: number;
  /** The last lines that an attempt printed. */
  readonly outputOf: (of: TranscriptId) => readonly string[];
}

const NAME_MAX = 28;
const NAME_MIN = 6;
const TIME_WIDTH = 6;
/** How many members of a group get a line; the others are only counted. */
const MEMBERS_MAX = 8;
const NOTABLE: ReadonlySet<string> = new Set(['failed', 'rejected']);

/** The first line: the workflow, the run, its status and its duration. */
export function headLine(shell: Shell, node: ProgressNode, room: BlockRoom): string {
  const { state, status } = node.progress;
  const took = state === undefined ? 0 : (isSettled(state.status) ? state.at : room.now) - state.createdAt;
  const after = `  ${node.run}  ${status}  ${timeText(took)}`;
  const name = shortenName(shell.look, oneLine(state?.workflow ?? 'run'), Math.max(NAME_MIN, room.columns - 4 - widthOf(after)));
  const text = `${name}${after}`;
  if (widthOf(text) + 4 > room.columns) return `${statusMark(shell, status)} ${shorten(shell.look, text, room.columns - 4)}`;
  return `${statusMark(shell, status)} ${shell.style('bold', name)}  ${node.run}  ${statusText(shell, status)}  ${shell.style('dim', timeText(took))}`;
}

/** The steps of a run in the order they were opened, with those of child runs. */
export function stepLines(shell: Shell, node: ProgressNode, room: BlockRoom): StepLines[] {
  const own = ownSteps(node);
  const width = nameWidth(own, 2, room);
  return own.map((step) => ({
    key: step.activation.path,
    ended: step.endedAt !== undefined,
    lines: linesOfStep(shell, { node, step, indent: 2, width }, room),
  }));
}

/** The steps of a run that are not members of a group. */
function ownSteps({ progress }: ProgressNode): StepProgress[] {
  return [...progress.steps.values()].filter(({ activation }) => activation.member === undefined);
}

/** How wide the names of steps are drawn: as wide as the longest, if the time has room beside it. */
function nameWidth(steps: readonly StepProgress[], indent: number, { columns }: BlockRoom): number {
  const room = Math.max(NAME_MIN, columns - indent - TIME_WIDTH - 7);
  return Math.min(NAME_MAX, room, Math.max(0, ...steps.map((step) => widthOf(nameOf(step)))));
}

interface StepPlace {
  readonly node: ProgressNode;
  readonly step: StepProgress;
  readonly indent: number;
  readonly width: number;
}

function linesOfStep(shell: Shell, placed: StepPlace, room: BlockRoom): string[] {
  const child = placed.node.children.get(placed.step.activation.path);
  const below = child === undefined ? [] : ownSteps(child);
  const inside = { node: child ?? placed.node, indent: placed.indent + 2, width: nameWidth(below, placed.indent + 2, room) };
  return [
    stepLine(shell, placed, room),
    ...outputLines(shell, placed, room),
    ...memberLines(shell, placed, room),
    ...below.flatMap((step) => linesOfStep(shell, { ...inside, step }, room)),
  ];
}

function memberLines(shell: Shell, { node, step, indent }: StepPlace, room: BlockRoom): string[] {
  if (step.members === undefined) return [];
  const all = [...node.progress.steps.values()].filter(({ activation }) => activation.member?.group === step.activation.path);
  const notable = all.length <= MEMBERS_MAX ? all : all.filter(({ status, endedAt }) => endedAt === undefined || NOTABLE.has(status));
  const shown = notable.slice(0, MEMBERS_MAX);
  const width = nameWidth(shown, indent + 2, room);
  const hidden = notable.length - shown.length;
  return [
    ...shown.flatMap((member) => linesOfStep(shell, { node, step: member, indent: indent + 2, width }, room)),
    ...(hidden === 0
      ? []
      : [shell.style('dim', shorten(shell.look, `${' '.repeat(indent + 4)}and ${hidden} more running or failed`, room.columns - 1))]),
  ];
}

function stepLine(shell: Shell, { node, step, indent, width }: StepPlace, room: BlockRoom): string {
  const name = shortenName(shell.look, nameOf(step), width);
  const time = timeText(tookMs(step, room.now)).padStart(TIME_WIDTH);
  const mark = statusMark(shell, step.status);
  const before = `${' '.repeat(indent)}${mark} ${name}${' '.repeat(Math.max(0, width - widthOf(name)))}  `;
  const left = room.columns - 1 - widthOf(before) - TIME_WIDTH - 2;
  const about = left < 1 ? '' : shorten(shell.look, aboutOf(node, step), left);
  const shown = step.status === 'completed' ? shell.style('dim', about) : statusText(shell, step.status, about);
  return `${before}${shell.style('dim', time)}  ${shown}`.trimEnd();
}

/** What a live step printed last, behind a bar. */
function outputLines(shell: Shell, { node, step, indent }: StepPlace, room: BlockRoom): string[] {
  const { activation, status, endedAt, members } = step;
  if (endedAt !== undefined || members !== undefined || (status !== 'running' && status !== 'verifying')) return [];
  const before = `${' '.repeat(indent + 2)}${shell.symbol('bar')} `;
  const left = Math.max(1, room.columns - 1 - widthOf(before));
  const { path, attempt } = activation;
  return room.outputOf({ run: node.run, path, attempt }).map((text) => shell.style('dim', `${before}${shorten(shell.look, text, left)}`));
}

/** `implement`, `implement#2` for the second visit; a member by its key. */
function nameOf({ activation }: StepProgress): string {
  return oneLine(activation.member?.key ?? pathText(activation.path));
}

/** The state or the end of a step, its error, and its title if there is room. */
function aboutOf(node: ProgressNode, step: StepProgress): string {
  const { activation, members, error, endedAt } = step;
  const title = node.titles.get(activation.step);
  const ends = [
    ...(step.outcome === 'ok' && step.status === 'completed' ? [] : [endText(step)]),
    ...(activation.attempt > 1 ? [`attempt ${activation.attempt}`] : []),
  ];
  const parts = [
    ...(members === undefined ? [] : [countText(step)]),
    ...(endedAt === undefined ? (members === undefined ? [doingText(step)] : []) : ends),
    ...(error === undefined ? [] : [endedAt === undefined ? `after: ${oneLine(error)}` : oneLine(error)]),
    ...(title === undefined || title === activation.step || activation.member !== undefined ? [] : [oneLine(title)]),
  ];
  return parts.join(', ');
}

/** A duration of stable width: tenths below ten seconds, then whole seconds. */
function timeText(ms: number): string {
  return ms < 10_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)}s` : formatDuration(Math.floor(ms / 1000) * 1000);
}
