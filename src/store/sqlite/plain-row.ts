// Owns the short spelling of a plain row of the log: a step settled with nothing to remark, and the next one began. Most
// rows of a long run are of this kind. Spelled out, such a row says everything three times: in its events, in the
// checkpoint after them and in the attempt that ended with them. Short, it is a fraction of that, and all three
// follow from it.
//
// R1. A row is plain only when its events, its checkpoint and its attempt can be told from the short spelling alone,
//     letter for letter; every other row is spelled out.
// R2. The chain does not know the difference: a row's hash covers its events as they are spelled out.

import { crc32 } from 'node:zlib';
import type { StepKind } from '../../definition/model.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { Activation, Path, Ref, RunState } from '../../kernel/run-state.ts';
import type { AttemptRow, Delta } from '../store.ts';
import { type Frame, isEmpty } from './checkpoint.ts';

/** What the column of the checkpoint says in a plain row. */
export const PLAIN = '';

/** What a plain row says: the step that settled, and the one that began with it. Times are counted from the row's. */
interface PlainRow {
  readonly path: Path;
  readonly kind: StepKind;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly outcome: string;
  /** When it was decided, when the step had opened and when its attempt had begun. */
  readonly at: number;
  readonly openedAt: number;
  readonly startedAt: number;
  readonly nextPath: Path;
  readonly nextKind: StepKind;
  readonly output?: Ref | undefined;
  readonly merge?: true | undefined;
}

type Spelled = [
  sum: number,
  path: Path,
  kind: StepKind,
  attempt: number,
  maxAttempts: number,
  outcome: string,
  at: number,
  openedAt: number,
  startedAt: number,
  nextPath: Path,
  nextKind: StepKind,
  output?: string,
  bytes?: number,
  merge?: 1,
];

/** The short spelling of the row that a delta appends, whose events are `text`; undefined when it is not plain. */
export function spellPlain(delta: Delta, frame: Frame, text: string): string | undefined {
  const { events, attempts, state } = delta;
  const [settled, edge, opened] = events;
  const attempt = attempts[0];
  if (events.length !== 3 || attempts.length !== 1 || attempt === undefined) return undefined;
  if (settled?.type !== 'step.settled' || edge?.type !== 'edge.taken' || opened?.type !== 'step.opened') return undefined;
  const next = opened.activation;
  if (!isPlainState(state, frame, next) || !isPlainAttempt(attempt)) return undefined;
  const { path, kind, maxAttempts, outcome = '', openedAt, startedAt = 0, output } = attempt;
  const { at } = state;
  const plain: PlainRow = {
    path,
    kind,
    attempt: attempt.attempt,
    maxAttempts,
    outcome,
    at,
    openedAt,
    startedAt,
    nextPath: next.path,
    nextKind: next.kind,
    output,
    merge: settled.merge === true ? true : undefined,
  };
  const isSame = attempt.endedAt === at && attempt.step === stepOf(path) && textOf(plain) === text;
  return isSame && areWhole(delta.at, plain) ? shortOf(plain, delta.at) : undefined;
}

function areWhole(writtenAt: number, { at, openedAt, startedAt, maxAttempts }: PlainRow): boolean {
  const isWhole = Number.isSafeInteger;
  return isWhole(writtenAt) && isWhole(at) && isWhole(openedAt) && isWhole(startedAt) && isWhole(maxAttempts);
}

function shortOf(row: PlainRow, at: number): string {
  const { path, kind, attempt, maxAttempts, outcome, output, merge } = row;
  const brought = output === undefined ? '' : `,"${output.digest}",${output.bytes}${merge === undefined ? '' : ',1'}`;
  const times = `${at - row.at},${at - row.openedAt},${at - row.startedAt}`;
  const rest = `"${path}","${kind}",${attempt},${maxAttempts},"${outcome}",${times},"${row.nextPath}","${row.nextKind}"${brought}]`;
  return `[${crc32(rest)},${rest}`;
}

/** The events spelled out. Names that JSON would escape give another text than theirs, and so no plain row. */
function textOf({ path, attempt, outcome, at, nextPath, nextKind, output, merge }: PlainRow): string {
  const brought = output === undefined ? '' : `,"output":{"digest":"${output.digest}","bytes":${output.bytes}}`;
  const merged = merge === undefined ? '' : ',"merge":true';
  const step = stepOf(nextPath);
  return `[{"type":"step.settled","at":${at},"path":"${path}","attempt":${attempt},"outcome":"${outcome}"${brought}${merged}},{"type":"edge.taken","at":${at},"from":"${path}","outcome":"${outcome}","to":"${step}"},{"type":"step.opened","at":${at},"activation":{"path":"${nextPath}","step":"${step}","kind":"${nextKind}","state":"running","attempt":1,"since":1,"recovery":0,"openedAt":${at},"startedAt":${at}}}]`;
}

const IMPLIED = new Set<string>([
  ...(['id', 'workflow', 'def', 'form', 'flags', 'status', 'seq', 'createdAt', 'at', 'params', 'depth'] as const),
  ...(['live', 'groups', 'counts', 'extended', 'signals', 'paused'] as const),
] satisfies (keyof RunState)[]);

/** Whether a checkpoint says nothing but that one step is at work. */
function isPlainState(state: RunState, frame: Frame, next: Activation): boolean {
  if (state.live[next.path] !== next || state.workflow !== frame.name || state.form !== frame.form || state.status !== 'running')
    return false;
  if (state.depth !== 0 || state.paused || state.flags.length > 0) return false;
  for (const path in state.live) if (path !== next.path) return false;
  if (!isEmpty(state.groups) || !isEmpty(state.counts) || !isEmpty(state.extended) || !isEmpty(state.signals)) return false;
  for (const field in state) if (!IMPLIED.has(field) && state[field as keyof RunState] !== undefined) return false;
  return true;
}

function isPlainAttempt({ outcome, status, startedAt, error, claim, evidence, actor, group, input }: AttemptRow): boolean {
  const isTold = outcome !== undefined && startedAt !== undefined && !(error || claim || evidence);
  return isTold && status === 'completed' && actor === undefined && group === undefined && input === undefined;
}

function stepOf(path: Path): string {
  return path.slice(0, path.indexOf('#'));
}

/** What a plain row says; undefined when its text is not what was written. */
function readPlain(body: string, at: number): PlainRow | undefined {
  const end = body.indexOf(',');
  if (crc32(body.slice(end + 1)) !== Number(body.slice(1, end))) return undefined;
  const [, path, kind, attempt, maxAttempts, outcome, lag, age, worked, nextPath, nextKind, digest, bytes, merge] = JSON.parse(
    body,
  ) as Spelled;
  const row = { path, kind, attempt, maxAttempts, outcome, at: at - lag, openedAt: at - age, startedAt: at - worked, nextPath, nextKind };
  if (digest === undefined || bytes === undefined) return row;
  return merge === undefined ? { ...row, output: { digest, bytes } } : { ...row, output: { digest, bytes }, merge: true };
}

/** The events of a plain row as they are spelled out; undefined for a row that is not as it was written. */
export function plainEvents(body: string, at: number): string | undefined {
  const row = readPlain(body, at);
  return row === undefined ? undefined : textOf(row);
}

/** What the checkpoint of a plain row says beside its columns, told from its events. */
export function plainState(text: string): Pick<RunState, 'at' | 'live'> | undefined {
  const opened = (JSON.parse(text) as RunEvent[]).at(-1);
  return opened?.type === 'step.opened' ? { at: opened.at, live: { [opened.activation.path]: opened.activation } } : undefined;
}

/** The step that settled with a plain row, told without reading all of it. */
export function plainStep(body: string): string {
  const begin = body.indexOf('"') + 1;
  return body.slice(begin, body.indexOf('#', begin));
}

/** The attempt that ended with a plain row; undefined for a row that is not as it was written. */
export function plainAttempt(body: string, at: number): Omit<AttemptRow, 'checks'> | undefined {
  const row = readPlain(body, at);
  if (row === undefined) return undefined;
  const { path, kind, attempt, maxAttempts, outcome, openedAt, startedAt, output } = row;
  const ended = { path, step: stepOf(path), kind, attempt, maxAttempts, status: 'completed' as const, openedAt, endedAt: row.at };
  return { ...ended, outcome, startedAt, ...(output === undefined ? {} : { output }) };
}
