// Owns the rows of a timeline: one per visit of a step, in order of their start, members of a group collapsed into one row.

import type { Bar } from '../../connection/contract.ts';

/** A row of the timeline. */
export interface TimelineRow {
  readonly path: string;
  readonly bars: readonly Bar[];
  /** How many members the group has; 0 for other steps. */
  readonly members: number;
  readonly isMember: boolean;
}

/** A period of time. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The rows, with the members of the groups that are open. */
export function timelineRows(bars: readonly Bar[], open: ReadonlySet<string>): readonly TimelineRow[] {
  const byPath = Map.groupBy(bars, ({ path }) => path);
  const members = Map.groupBy([...byPath.keys()].filter(isMember), groupOf);
  const tops = [...new Set([...byPath.keys()].map((path) => (isMember(path) ? groupOf(path) : path)))];
  return tops
    .map((path) => ({ path, bars: byPath.get(path) ?? [], members: members.get(path)?.length ?? 0, isMember: false }))
    .sort((one, other) => startOf(one.bars, byPath, members.get(one.path)) - startOf(other.bars, byPath, members.get(other.path)))
    .flatMap((row) => {
      const inside = open.has(row.path) ? (members.get(row.path) ?? []) : [];
      return [row, ...inside.map((path) => ({ path, bars: byPath.get(path) ?? [], members: 0, isMember: true }))];
    });
}

/** The time that all bars cover, until now if some have not ended. */
export function spanOf(bars: readonly Bar[], now: number): Span {
  if (bars.length === 0) return { from: now - 1_000, to: now };
  const from = Math.min(...bars.map((bar) => Date.parse(bar.from)));
  const to = Math.max(...bars.map((bar) => (bar.to === null ? now : Date.parse(bar.to))));
  return { from, to: Math.max(to, from + 1) };
}

/** A part of a span around its middle, or around what is shown, that stays inside the whole. */
export function zoomed(shown: Span, whole: Span, factor: number): Span {
  const length = Math.min((shown.to - shown.from) * factor, whole.to - whole.from);
  const middle = (shown.from + shown.to) / 2;
  const from = Math.max(whole.from, Math.min(middle - length / 2, whole.to - length));
  return { from, to: from + length };
}

/** The same length earlier or later, inside the whole. */
export function moved(shown: Span, whole: Span, share: number): Span {
  const length = shown.to - shown.from;
  const from = Math.max(whole.from, Math.min(shown.from + length * share, whole.to - length));
  return { from, to: from + length };
}

function isMember(path: string): boolean {
  return path.includes('/');
}

function groupOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

function startOf(bars: readonly Bar[], byPath: ReadonlyMap<string, readonly Bar[]>, members: readonly string[] = []): number {
  const all = [...bars, ...members.flatMap((path) => byPath.get(path) ?? [])];
  return all.reduce((first, { from }) => Math.min(first, Date.parse(from)), Number.POSITIVE_INFINITY);
}
