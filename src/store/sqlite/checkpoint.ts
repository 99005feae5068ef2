// Owns the spelling of a checkpoint in its row: what columns already say and what is empty is left out, members of
// groups are rows of their own, the rest is packed JSON under a seal.

import type { Activation, Path, Ref } from '../../kernel/activation.ts';
import { isSettled, type RunState, type RunStatus } from '../../kernel/run-state.ts';
import { sumOf } from './chain.ts';
import { unpackJson } from './packing.ts';

// The codes are in the files: append only. Those from 3 on are settled, which the index runs_due relies on.
const STATUSES: readonly RunStatus[] = [
  'pending',
  'running',
  'waiting',
  'completed',
  'failed',
  'escalated',
  'rejected',
  'cancelled',
  'overridden',
];

/** The code of a status in its column. */
export function statusCode(status: RunStatus): number {
  return STATUSES.indexOf(status);
}

/** The status that a code stands for; undefined for a code that was never written. */
export function statusOf(code: number): RunStatus | undefined {
  return STATUSES[code];
}

/** What the columns of a run say about its checkpoint. */
export interface Frame {
  readonly id: string;
  readonly seq: number;
  readonly status: number;
  readonly due: number | null;
  readonly created: number;
  readonly at: number;
  readonly members: number;
  readonly attempts: number;
  readonly params: Ref | undefined;
  readonly parent: string | null;
  readonly origin: string | null;
  readonly hash: string;
  readonly code: string;
  readonly name: string;
  readonly form: string;
}

/** The checkpoint as its row holds it; pack it when it is going to stay. */
export function encodeCheckpoint(state: RunState, frame: Frame): string {
  const {
    id,
    workflow,
    def,
    form,
    flags,
    status,
    seq,
    createdAt,
    at,
    params,
    depth,
    live,
    groups,
    counts,
    extended,
    signals,
    paused,
    ...said
  } = state;
  const fields: Record<string, unknown> = {};
  const members = frame.members > 0;
  if (!isEmpty(live)) fields.live = members ? withoutMembers(live) : live;
  if (!isEmpty(counts)) fields.counts = counts;
  if (!isEmpty(groups)) fields.groups = groups;
  if (!isEmpty(extended)) fields.extended = extended;
  if (!isEmpty(signals)) fields.signals = signals;
  if (flags.length > 0) fields.flags = flags;
  if (workflow !== frame.name) fields.workflow = workflow;
  if (form !== frame.form) fields.form = form;
  if (status !== impliedStatus(frame)) fields.status = status;
  if (at !== frame.at) fields.at = at;
  if (depth !== 0) fields.depth = depth;
  if (paused) fields.paused = paused;
  return JSON.stringify(Object.assign(fields, said));
}

/** The checkpoint that a row and the rows of its members hold. Throws when the text is not JSON. */
export function decodeCheckpoint(packed: string, frame: Frame, members: readonly Activation[]): RunState {
  const said = JSON.parse(unpackJson(packed)) as Partial<RunState>;
  const state = { ...impliedState(frame), ...said };
  if (members.length === 0) return state;
  const live: Record<Path, Activation> = { ...state.live };
  for (const member of members) live[member.path] = member;
  return { ...state, live };
}

/** The seal of a run whose log ends with `head`. */
export function sealRun(head: string, frame: Frame, packed: string): number {
  const { id, seq, status, due, created, at, members, attempts, params, parent, origin, hash } = frame;
  return sumOf([head, id, seq, status, due, created, at, members, attempts, params?.digest ?? null, parent, origin, hash, packed]);
}

/** How many live activations are members of a group. */
export function countMembers(state: RunState): number {
  let count = 0;
  for (const path in state.live) if ((state.live[path] as Activation).member !== undefined) count += 1;
  return count;
}

/** The step that lists show: the youngest one that is live, or the one that halted the run. */
export function currentStepOf(state: RunState): string | undefined {
  let youngest: Activation | undefined;
  for (const path in state.live) {
    const activation = state.live[path] as Activation;
    if (activation.member === undefined && (youngest === undefined || activation.openedAt > youngest.openedAt)) youngest = activation;
  }
  return youngest?.step ?? state.halt?.step;
}

/** The checkpoint of a run of which its columns say everything. */
export function impliedState(frame: Frame): RunState {
  return {
    id: frame.id,
    workflow: frame.name,
    def: frame.hash,
    form: frame.form as RunState['form'],
    flags: [],
    status: impliedStatus(frame),
    seq: frame.seq,
    createdAt: frame.created,
    at: frame.at,
    ...(frame.params === undefined ? {} : { params: frame.params }),
    depth: 0,
    live: {},
    groups: {},
    counts: {},
    extended: {},
    signals: {},
    paused: false,
  };
}

// Lists show a run that waits as waiting; for its checkpoint it is running.
function impliedStatus(frame: Frame): RunStatus {
  const shown = statusOf(frame.status) as RunStatus;
  return isSettled(shown) ? shown : 'running';
}

/** True for an object without fields. */
export function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

function withoutMembers(live: RunState['live']): RunState['live'] {
  const alone: Record<Path, Activation> = {};
  for (const path in live) {
    const activation = live[path] as Activation;
    if (activation.member === undefined) alone[path] = activation;
  }
  return alone;
}
