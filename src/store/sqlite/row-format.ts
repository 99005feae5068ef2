// Owns the format of the kernel's values in rows: the JSON of a log row and of a checkpoint, and which of their fields the
// columns of the views show. No other file of the store names a field of an event, an activation or an attempt in SQL.
//
// RF1. A row holds JSON as `JSON.stringify` writes it; the value read back equals the one written.
// RF2. A checkpoint leaves out the fields that its columns hold, and its members, which have rows of their own.
// RF3. An activation in a state, a wait of a kind or an input of a type that this version does not know is damaged: it never
//      reaches the kernel.

import type { Ref } from '../../base/digest.ts';
import { isSettled, type RunStatus } from '../../definition/run-status.ts';
import type { Activation, Membership, Path, Wait } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { RunInput } from '../../kernel/input.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { AttemptRow, StoredAttempt } from '../store.ts';

/** An ended attempt in a log row, without its gate checks, which have rows of their own. */
type LoggedAttempt = Omit<AttemptRow, 'checks'> & { readonly checks?: undefined };

/** The content that one commit adds to the log of a run. */
export interface LogRow {
  readonly events: readonly RunEvent[];
  readonly attempts: readonly LoggedAttempt[];
}

const EVENT_TYPES: Readonly<Record<RunEvent['type'], true>> = {
  'run.started': true,
  'run.changed': true,
  'step.opened': true,
  'step.changed': true,
  'step.settled': true,
  'step.reopened': true,
  'edge.taken': true,
  'group.joined': true,
  'input.ignored': true,
};

const STATES: Readonly<Record<Activation['state'], true>> = {
  queued: true,
  preparing: true,
  running: true,
  waiting: true,
  verifying: true,
  reconciling: true,
  unknown: true,
};

const WAITS: Readonly<Record<Wait['kind'], true>> = {
  human: true,
  members: true,
  repair: true,
  report: true,
  answer: true,
  child: true,
  signal: true,
  delay: true,
  retry: true,
  checks: true,
  capacity: true,
  budget: true,
  assumptions: true,
};

const INPUT_TYPES: Readonly<Record<RunInput['type'], true>> = {
  start: true,
  recovered: true,
  slot: true,
  due: true,
  prepared: true,
  settled: true,
  errored: true,
  decided: true,
  facts: true,
  observed: true,
  handed: true,
  reported: true,
  asked: true,
  assumed: true,
  answered: true,
  signalled: true,
  childEnded: true,
  control: true,
  refused: true,
};

/** The text of a log row. */
export function encodeLogRow({ events, attempts }: LogRow): string {
  return JSON.stringify(attempts.length === 0 ? { events } : { events, attempts });
}

/** Parses the text of a log row. Throws if it is not JSON, or not the JSON of a log row. */
export function decodeLogRow(text: string): LogRow {
  const { events, attempts = [] } = JSON.parse(text) as Partial<LogRow>;
  if (!Array.isArray(events) || !Array.isArray(attempts)) throw new Error('a log row must hold a list of events');
  for (const event of events as RunEvent[]) {
    assertKnown(EVENT_TYPES, 'event type', event?.type);
  }
  return { events: events as RunEvent[], attempts: attempts as LoggedAttempt[] };
}

/** Parses a message to a run. Throws if it is of no type that this version knows (RF3). */
export function decodeInput(text: string): RunInput {
  const input = JSON.parse(text) as RunInput;
  assertKnown(INPUT_TYPES, 'type', input?.type);
  return input;
}

/** Parses a live activation. Throws if it is in no state that this version knows (RF3). */
export function decodeActivation(text: string): Activation {
  const activation = JSON.parse(text) as Activation;
  assertActivation(activation);
  return activation;
}

function assertActivation(activation: Activation): void {
  assertKnown(STATES, 'state', activation?.state);
  if (activation.state === 'waiting') assertKnown(WAITS, 'kind of wait', activation.wait?.kind);
}

function assertKnown(known: Readonly<Record<string, true>>, label: string, value: string | undefined): void {
  if (value === undefined || !Object.hasOwn(known, value)) throw new Error(`unknown ${label} ${JSON.stringify(value)}`);
}

const STEP_OF_ATTEMPT = /"step":"((?:[^"\\]|\\.)*)"/g;

/**
 * The steps with attempts in the text of a log row, and perhaps others. The text is not parsed, which would take most of the
 * time of reading a long log. Inside a value every quote is escaped, so only names of fields match.
 */
export function stepsInLogRow(text: string): string[] {
  const attempts = text.lastIndexOf('"attempts":[');
  return attempts < 0
    ? []
    : Array.from(text.slice(attempts).matchAll(STEP_OF_ATTEMPT), ([, step = '']) =>
        step.includes('\\') ? String(JSON.parse(`"${step}"`)) : step,
      );
}

/** An attempt without the checks of its gate. */
export function withoutChecks(attempt: AttemptRow): LoggedAttempt {
  // JSON leaves out undefined. Rest syntax would copy the other fields one by one, at every step.
  return { ...attempt, checks: undefined };
}

/** An attempt of another run, to be logged in a fork of it. */
export function withoutPlace({ id: _, seq: __, ...attempt }: StoredAttempt): LoggedAttempt {
  return attempt;
}

/** The columns of a run that its checkpoint need not repeat. */
export interface StateColumns {
  readonly id: string;
  readonly seq: number;
  readonly status: RunStatus;
  readonly created: number;
  readonly at: number;
  readonly params: Ref | undefined;
  /** The hash of the definition it is frozen to. */
  readonly hash: string;
  readonly name: string;
  readonly form: string;
  /** How many live members of groups it has. */
  readonly members: number;
}

/** The status in the checkpoint. Lists show a run that waits as waiting; its checkpoint says running. */
function statusFromColumn(status: RunStatus): RunStatus {
  return isSettled(status) ? status : 'running';
}

/** The checkpoint that the columns alone give. */
function stateFromColumns({ id, name, hash, form, status, seq, created, at, params }: StateColumns): RunState {
  const state: RunState = {
    id,
    workflow: name,
    def: hash,
    form: form as RunState['form'],
    status: statusFromColumn(status),
    seq,
    createdAt: created,
    at,
    live: {},
    groups: {},
    counts: {},
    extended: {},
    signals: {},
    paused: false,
  };
  return params === undefined ? state : { ...state, params };
}

/** The text of a checkpoint, without its members (RF2). */
export function encodeState(state: RunState, { at, status, name, members }: StateColumns): string {
  // JSON leaves out undefined fields.
  return JSON.stringify({
    ...state,
    ...COLUMN_FIELDS,
    workflow: state.workflow === name ? undefined : state.workflow,
    status: state.status === statusFromColumn(status) ? undefined : state.status,
    at: state.at === at ? undefined : state.at,
    live: filled(members === 0 ? state.live : withoutMembers(state.live)),
    groups: filled(state.groups),
    counts: filled(state.counts),
    extended: filled(state.extended),
    signals: filled(state.signals),
    paused: state.paused ? true : undefined,
  });
}

/** The fields of a checkpoint that the columns always hold. */
const COLUMN_FIELDS = { id: undefined, def: undefined, form: undefined, seq: undefined, createdAt: undefined, params: undefined };

/** The checkpoint from its text, its columns and its members. Throws if the text is not JSON, or not of this version (RF3). */
export function decodeState(text: string, columns: StateColumns, members: readonly Activation[]): RunState {
  const state = { ...stateFromColumns(columns), ...(JSON.parse(text) as Partial<RunState>) };
  for (const path in state.live) assertActivation(state.live[path] as Activation);
  if (members.length === 0) return state;
  const live: Record<Path, Activation> = { ...state.live };
  for (const member of members) live[member.path] = member;
  return { ...state, live };
}

function filled<T extends object>(value: T): T | undefined {
  for (const _ in value) return value;
  return undefined;
}

/** How many live activations are members of a group. */
export function countMembers(state: RunState): number {
  let count = 0;
  for (const path in state.live) if (state.live[path]?.member !== undefined) count += 1;
  return count;
}

function withoutMembers(live: RunState['live']): RunState['live'] {
  return Object.fromEntries(Object.entries(live).filter(([, { member }]) => member === undefined));
}

// The keys of every member of a union.
type KeyOf<T> = T extends unknown ? keyof T & string : never;

/** The columns of the view `attempts`, by the field of an attempt that each shows. */
export const ATTEMPT_COLUMNS = {
  path: 'path',
  step: 'step',
  kind: 'kind',
  attempt: 'attempt',
  attempts_max: 'maxAttempts',
  outcome: 'outcome',
  status: 'status',
  opened: 'openedAt',
  started: 'startedAt',
  ended: 'endedAt',
  output: 'output.digest',
  error: 'error',
  error_message: 'error.message',
  claim: 'claim.digest',
  evidence: 'evidence.digest',
  actor: 'actor',
  of_group: 'group',
  key: 'key',
} as const satisfies Record<string, KeyOf<LoggedAttempt> | `${'output' | 'claim' | 'evidence'}.digest` | 'error.message'>;

/** The columns of the view `live_activations`, by the field of an activation that each shows. */
export const ACTIVATION_COLUMNS = {
  step: 'step',
  state: 'state',
  attempt: 'attempt',
  opened: 'openedAt',
  started: 'startedAt',
  feedback: 'feedback',
  wait_kind: 'wait.kind',
  of_group: 'member.group',
  key: 'member.key',
  side: 'side',
} as const satisfies Record<string, KeyOf<Activation> | `wait.${KeyOf<Wait>}` | `member.${keyof Membership}`>;

/** The columns that the view `run_states` takes from a checkpoint. */
export const STATE_COLUMNS = {
  counts: 'counts',
  decision: 'decision',
  overridden: 'overridden',
  halt_step: 'halt.step',
  last_step: 'last',
  undoing: 'undoing',
  halt_message: 'halt.message',
} as const satisfies Record<string, KeyOf<RunState> | `halt.${KeyOf<NonNullable<RunState['halt']>>}`>;
