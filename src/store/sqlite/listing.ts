// Owns queries over all runs: lists for people, and the runs that an engine should drive. Parked runs cost nothing: partial
// indexes find the runs that are due, owned or have mail.

import { messageOf } from '../../base/error.ts';
import type { RunStatus } from '../../definition/run-status.ts';
import { isFinal } from '../../definition/run-status.ts';
import { currentStepOf } from '../../kernel/run-state.ts';
import type { HeadQuery, ReadyRun, RunHead, RunQuery, RunSummary } from '../store.ts';
import type { Connection } from './connection.ts';
import { aboutCondition } from './numbers.ts';
import { type RunRow, readRunRowByKey, SETTLED_SQL, statusOf, verifyRun } from './run-row.ts';
import { findRunKeys, type RunKey, whereReadable } from './salvage.ts';
import { ASSUMES_SQL, OPEN_SQL } from './schema.ts';

const NO_LIMIT = -1;
const AFTER_ANY_PREFIX = '\u{10ffff}';

type Condition = readonly [sql: string, ...values: (string | number)[]];

/** Runs, newest first; a damaged one is marked and does not hide the others. */
export function listRuns(connection: Connection, query: RunQuery): RunSummary[] {
  const conditions = conditionsOf(query);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
  const values = conditions.flatMap(([, ...bound]) => bound);
  const keys = whereReadable(() =>
    connection.sql(`SELECT key FROM runs ${where} ORDER BY key DESC LIMIT ?`).all(...values, query.limit ?? NO_LIMIT),
  );
  if (keys !== undefined) return keys.map(({ key }) => summarize(connection, { key: key as number, id: undefined }));
  // An unreadable page must not hide the runs on other pages, so each run is looked up separately.
  const matching = [...conditions, ['key = ?'] as const].map(([sql]) => sql).join(' AND ');
  const isMatch = ({ key }: RunKey): boolean =>
    whereReadable(() => connection.sql(`SELECT key FROM runs WHERE ${matching}`).all(...values, key))?.length !== 0;
  return findRunKeys(connection.db)
    .filter(isMatch)
    .slice(0, query.limit)
    .map((run) => summarize(connection, run));
}

function conditionsOf(query: RunQuery): Condition[] {
  const conditions: Condition[] = [];
  if (query.status !== undefined) conditions.push(withStatus(query.status));
  if (query.workflow !== undefined) conditions.push(['definition IN (SELECT id FROM definitions WHERE name = ?)', query.workflow]);
  if (query.parent !== undefined) conditions.push(['parent = ?', query.parent]);
  if (query.id !== undefined) conditions.push(['id = ?', query.id]);
  if (query.idPrefix !== undefined) conditions.push(['id >= ? AND id < ?', query.idPrefix, query.idPrefix + AFTER_ANY_PREFIX]);
  if (query.assumes === true) conditions.push([ASSUMES_SQL]);
  if (query.mayAsk === true) conditions.push([MAY_ASK]);
  if (query.mayBreak === true) conditions.push([`definition IN (SELECT id FROM definitions WHERE instr(text, '"breakers":') > 0)`]);
  if (query.about !== undefined) conditions.push(aboutCondition(query.about));
  if (query.before !== undefined) conditions.push(['created < ?', query.before]);
  if (query.since !== undefined) conditions.push(['created >= ?', query.since]);
  if (query.below !== undefined) conditions.push(['key < ?', query.below]);
  if (query.from !== undefined) conditions.push(['key >= ?', query.from]);
  for (const tag of query.tags ?? []) conditions.push([`${TAGGED} value = ?)`, tag]);
  for (const [name, value] of Object.entries(query.params ?? {}))
    conditions.push([`${PARAMS} AND text -> ? IN (?, ?))`, `$.${JSON.stringify(name)}`, value, JSON.stringify(value)]);
  if (query.text !== undefined) conditions.push(textCondition(query.text));
  return conditions;
}

function withStatus(status: readonly RunStatus[]): Condition {
  const some = 'status IN (SELECT value FROM json_each(?))';
  return [status.some(isFinal) ? some : `${OPEN_SQL} AND ${some}`, JSON.stringify(status)];
}

// The waits that a checkpoint and its members may hold. A string that only looks like one makes the caller read one run more.
const ASKS = ['"kind":"human"', '"kind":"answer"', '"kind":"checks"', '"state":"unknown"'];
const asksIn = (column: string): string => ASKS.map((text) => `instr(${column}, '${text}') > 0`).join(' OR ');
const MAY_ASK = `(status = 'escalated' OR ${asksIn('state')} OR EXISTS (SELECT 1 FROM members WHERE members.run = runs.key AND (${asksIn('members.text')})))`;

const TAGGED = "EXISTS (SELECT 1 FROM json_each(runs.origin, '$.tags') WHERE";
const PARAMS = 'EXISTS (SELECT 1 FROM contents WHERE digest = runs.params';

function textCondition(text: string): Condition {
  const wanted = text.toLowerCase();
  const has = (column: string): string => `instr(lower(${column}), ?) > 0`;
  const places = [
    has('runs.id'),
    `definition IN (SELECT id FROM definitions WHERE ${has('name')})`,
    `${TAGGED} ${has('value')})`,
    `${PARAMS} AND ${has('text')})`,
  ];
  return [`(${places.join(' OR ')})`, ...places.map(() => wanted)];
}

/** Positions of runs, read from columns without the checkpoints. */
export function readHeads(connection: Connection, query: HeadQuery): RunHead[] {
  const [where, ...values] = headCondition(query);
  const order = query.of === 'all' ? ` ORDER BY key LIMIT ${query.limit}` : '';
  const rows = connection.sql(`SELECT key, id, seq, status, owner FROM runs WHERE ${where}${order}`).all(...values);
  return rows.map(({ key, id, seq, status, owner }) => ({
    run: String(id),
    place: Number(key),
    seq: Number(seq),
    status: statusOf(status) ?? 'failed',
    owner: owner === null ? undefined : String(owner),
  }));
}

function headCondition(query: HeadQuery): Condition {
  if (query.of === 'owned') return ['owner IS NOT NULL'];
  if (query.of !== 'all') return ['id IN (SELECT value FROM json_each(?))', JSON.stringify(query.of)];
  if (query.status === undefined) return ['key > ?', query.after];
  const [sql, ...values] = withStatus(query.status);
  return [`key > ? AND ${sql}`, query.after, ...values];
}

/** How many runs there are of each status. */
export function countStatuses(connection: Connection): ReadonlyMap<RunStatus, number> {
  const rows = connection.sql('SELECT status, count(*) AS n FROM runs GROUP BY status').all();
  return new Map(rows.map(({ status, n }) => [status as RunStatus, Number(n)]));
}

const UNREADABLE = { workflow: '(unknown)', createdAt: 0, updatedAt: 0, due: undefined, owner: undefined, parent: undefined };

function summarize(connection: Connection, { key, id }: RunKey): RunSummary {
  let row: RunRow | undefined;
  try {
    row = readRunRowByKey(connection, key) as RunRow;
    const { state, status, origin } = verifyRun(connection, row);
    return { ...columnsOf(row), status, currentStep: currentStepOf(state), origin };
  } catch (error) {
    const columns = row === undefined ? { ...UNREADABLE, id: id ?? `(row ${key})`, place: key } : columnsOf(row);
    const status: RunStatus = statusOf(row?.status) ?? 'failed';
    return { ...columns, status, currentStep: undefined, origin: {}, damaged: messageOf(error) };
  }
}

function columnsOf(row: RunRow): Omit<RunSummary, 'status' | 'currentStep' | 'origin' | 'damaged'> {
  return {
    id: row.id,
    workflow: row.name ?? '(unknown)',
    createdAt: row.created,
    updatedAt: row.at,
    due: row.due ?? undefined,
    owner: row.owner,
    parent: row.parent ?? undefined,
    place: row.key,
  };
}

/** Full ids that begin with a prefix. */
export function resolvePrefix(connection: Connection, prefix: string, limit: number): string[] {
  const found = connection
    .sql('SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?')
    .all(prefix, prefix + AFTER_ANY_PREFIX, limit);
  return found.map(({ id }) => String(id));
}

/** Runs that need a driver and have no live one: orphans first, then those with mail, then those that are due. */
export function readReady(
  connection: Connection,
  when: { readonly now: number; readonly limit: number },
  isDead: (owner: string) => boolean,
): ReadyRun[] {
  const ready = new Map<string, ReadyRun>();
  const add = (rows: readonly Record<string, unknown>[], because: ReadyRun['because']): void => {
    for (const { id } of rows) {
      const run = String(id);
      if (ready.size < when.limit && !ready.has(run)) ready.set(run, { run, because });
    }
  };
  for (const { owner } of connection.sql('SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL').all()) {
    if (isDead(String(owner)))
      add(connection.sql('SELECT id FROM runs WHERE owner = ? AND owner IS NOT NULL LIMIT ?').all(String(owner), when.limit), 'orphaned');
  }
  add(
    connection
      .sql('SELECT id FROM runs WHERE key IN (SELECT run FROM mail WHERE consumed IS NULL) AND owner IS NULL LIMIT ?')
      .all(when.limit),
    'mail',
  );
  add(
    connection
      .sql(`SELECT id FROM runs WHERE due <= ? AND owner IS NULL AND status NOT IN ${SETTLED_SQL} ORDER BY due LIMIT ?`)
      .all(when.now, when.limit),
    'due',
  );
  return [...ready.values()];
}

/** The nearest due time, later than `after`, of a run without an owner. */
export function readNextDue(connection: Connection, after: number = Number.MIN_SAFE_INTEGER): number | undefined {
  const found = connection
    .sql(`SELECT min(due) AS due FROM runs WHERE due > ? AND owner IS NULL AND status NOT IN ${SETTLED_SQL}`)
    .get(after);
  return (found?.due as number | null) ?? undefined;
}
