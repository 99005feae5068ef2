// Owns the ledger of agents' usage, and the accounts that are closed temporarily. A row is written before an agent is
// called and completed when it has answered: an attempt that a crash interrupted stays recorded, with unknown amounts.

import type {
  AgentUse,
  ClosedAccount,
  RecordedAgentUse,
  RunTreeSummary,
  UsageBucket,
  UsageQuery,
  UsageSpan,
  UsageTotal,
  UsedAmounts,
} from '../store.ts';
import type { Connection } from './connection.ts';
import { unknownRun } from './failure.ts';
import { readKey } from './run-row.ts';
import { placeSql } from './schema.ts';

/** Records that an agent is about to be called; returns the id of the row. */
export function beginUse(connection: Connection, { run, path, step, attempt, role, account, at }: AgentUse): number {
  const { lastInsertRowid } = connection
    .sql('INSERT INTO agent_usage (run, path, step, attempt, role, account, started_at) VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(readKey(connection, run), path, step, attempt, role, account, at);
  return Number(lastInsertRowid);
}

/** Completes a row; unknown amounts stay null. */
export function endUse(connection: Connection, id: number, { ms, inputTokens, outputTokens, turns, costUsd }: UsedAmounts): void {
  connection
    .sql('UPDATE agent_usage SET ms = ?, input_tokens = ?, output_tokens = ?, turns = ?, cost_usd = ? WHERE id = ?')
    .run(ms, inputTokens ?? null, outputTokens ?? null, turns ?? null, costUsd ?? null, id);
}

// A union skips rows it has seen, so that even a cycle of parents, which nothing here creates, would end.
const DESCENDANTS = `WITH RECURSIVE tree (id, key) AS (
  SELECT id, key FROM runs WHERE id = ? UNION SELECT r.id, r.key FROM runs r JOIN tree t ON r.parent = t.id
)`;
const ANCESTORS = `WITH RECURSIVE line (id, parent, n) AS (
  SELECT id, parent, 0 FROM runs WHERE id = ?
  UNION SELECT r.id, r.parent, l.n + 1 FROM runs r JOIN line l ON r.id = l.parent WHERE l.n < 1000
)`;

const SUMS = `count(*) AS attempts, coalesce(sum(input_tokens), 0) AS inputTokens, coalesce(sum(output_tokens), 0) AS outputTokens,
  coalesce(sum(turns), 0) AS turns, coalesce(sum(cost_usd), 0) AS costUsd, coalesce(sum(ms), 0) AS ms,
  count(*) FILTER (WHERE cost_usd IS NULL AND <ended>) AS unknownCost,
  count(*) FILTER (WHERE coalesce(input_tokens, output_tokens) IS NULL AND <ended>) AS unknownTokens,
  count(*) FILTER (WHERE turns IS NULL AND <ended>) AS unknownTurns`;

// Whether the work of a row is over. A row without an end was interrupted by a crash, unless its agent is working.
const ENDED = `(ms IS NOT NULL OR NOT (id IN (SELECT value FROM json_each(?1)) OR
  (run <> (SELECT key FROM runs WHERE id = ?2) AND (SELECT owner FROM runs WHERE key = agent_usage.run) IS NOT NULL)))`;

/** The sums over all rows that match a query. */
export function sumUsage(connection: Connection, { run, withChildren, step, role, since, working }: UsageQuery): UsageTotal {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const where = (condition: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  where(withChildren === true ? `run IN (${DESCENDANTS} SELECT key FROM tree)` : 'run = (SELECT key FROM runs WHERE id = ?)', run);
  where('step = ?', step);
  where('role = ?', role);
  where('started_at >= ?', since);
  const found = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const sums = SUMS.replaceAll('<ended>', working === undefined ? 'TRUE' : ENDED);
  const bound = working === undefined ? values : [JSON.stringify(working.rows), working.run, ...values];
  return { ...(connection.sql(`SELECT ${sums} FROM agent_usage${found}`).get(...bound) as unknown as UsageTotal) };
}

/** The usage of each attempt of a run, oldest first; unknown amounts are absent. */
export function readUses(connection: Connection, run: string): RecordedAgentUse[] {
  const rows = connection
    .sql(
      `SELECT path, step, attempt, role, account, started_at AS at, ms, input_tokens AS inputTokens, output_tokens AS outputTokens,
       turns, cost_usd AS costUsd FROM agent_usage WHERE run = (SELECT key FROM runs WHERE id = ?) ORDER BY id`,
    )
    .all(run);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as RecordedAgentUse);
}

/** The usage of agents and the number of started runs, by period. */
export function readUsageOver(connection: Connection, { since, until, bucketMs, workflow }: UsageSpan): UsageBucket[] {
  const named = workflow === undefined ? '' : ' AND d.name = ?4';
  const values = [bucketMs, since, until, ...(workflow === undefined ? [] : [workflow])];
  const agents = connection
    .sql(
      `SELECT cast(u.started_at / ?1 AS INTEGER) * ?1 AS at, coalesce(d.name, '(removed)') AS workflow, u.role AS role, count(DISTINCT u.run) AS used,
       count(*) AS attempts, coalesce(sum(cost_usd), 0) AS costUsd, count(*) FILTER (WHERE cost_usd IS NULL) AS unknownCost,
       coalesce(sum(input_tokens), 0) AS inputTokens, coalesce(sum(output_tokens), 0) AS outputTokens, coalesce(sum(ms), 0) AS ms
       FROM agent_usage u LEFT JOIN runs r ON r.key = u.run LEFT JOIN definitions d ON d.id = r.definition
       WHERE u.started_at >= ?2 AND u.started_at < ?3${named} GROUP BY 1, 2, 3`,
    )
    .all(...values);
  const runs = connection
    .sql(
      `SELECT cast(r.created / ?1 AS INTEGER) * ?1 AS at, d.name AS workflow, count(*) AS runs FROM runs r JOIN definitions d ON d.id = r.definition
       WHERE r.created >= ?2 AND r.created < ?3${named} GROUP BY 1, 2`,
    )
    .all(...values);
  const refused = connection
    .sql(
      `SELECT cast(e.at / ?1 AS INTEGER) * ?1 AS at, d.name AS workflow, u.role AS role, count(DISTINCT e.place || ' ' || a.key) AS refusals
       FROM runs r JOIN definitions d ON d.id = r.definition JOIN events e ON e.place BETWEEN ${placeSql('r.key', '0')} AND ${placeSql('(r.key + 1)', '-1')}
       JOIN json_each(e.body, '$.attempts') a
       LEFT JOIN agent_usage u ON u.run = r.key AND u.path = a.value ->> '$.path' AND u.attempt = a.value ->> '$.attempt'
       WHERE r.created >= ?2 AND r.created < ?3${named} AND instr(e.body, '"claim":{') > 0 AND a.value ->> '$.claim.digest' IS NOT NULL
       AND a.value ->> '$.error.reason' = 'contract' GROUP BY 1, 2, 3`,
    )
    .all(...values);
  const none = { attempts: 0, costUsd: 0, unknownCost: 0, inputTokens: 0, outputTokens: 0, ms: 0, refusals: 0 };
  const all = [
    ...runs.map((row) => ({ ...none, ...row, role: undefined })),
    ...agents.map(({ used, ...row }) => ({ ...none, ...row, runs: used })),
    ...refused.map((row) => ({ ...none, ...row, role: row.role ?? undefined, runs: 0 })),
  ] as unknown as UsageBucket[];
  return all.sort((a, b) => a.at - b.at || (a.workflow < b.workflow ? -1 : 1));
}

/** The ancestors of a run, and how many runs its tree has. */
export function readTree(connection: Connection, run: string): RunTreeSummary {
  const line = connection.sql(`${ANCESTORS} SELECT id FROM line ORDER BY n`).all(run);
  const [own, ...ancestors] = line.map(({ id }) => String(id));
  if (own === undefined) throw unknownRun(run, connection.name);
  const runs = connection.sql(`${DESCENDANTS} SELECT count(*) AS runs FROM tree`).get(ancestors.at(-1) ?? own)?.runs as number;
  return { ancestors, runs };
}

/** Closes an account; the later of two times counts. */
export function closeAccount(connection: Connection, { account, until, why }: ClosedAccount): void {
  connection
    .sql(
      `INSERT INTO closed_accounts (account, until, why) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET until = excluded.until, why = excluded.why WHERE excluded.until > until`,
    )
    .run(account, until, why);
}

/** The accounts that are closed at a time, and until when. */
export function readClosed(connection: Connection, now: number): ClosedAccount[] {
  const rows = connection.sql('SELECT account, until, why FROM closed_accounts WHERE until > ? ORDER BY account').all(now);
  return rows.map(({ account, until, why }) => ({ account: String(account), until: Number(until), why: String(why) }));
}

/** Opens every account again. */
export function openAccounts(connection: Connection): void {
  connection.sql('DELETE FROM closed_accounts').run();
}

const DAYS_2_MS = 172_800_000;

/** Detaches the rows of a removed run; they still count in sums over time. */
export function detachUses(connection: Connection, key: number): void {
  connection.sql('UPDATE agent_usage SET run = NULL WHERE run = ?').run(key);
}

/** Deletes the rows of removed runs, except for those of the last two days before a time. */
export function deleteOldUses(connection: Connection, before: number): void {
  connection.sql('DELETE FROM agent_usage WHERE run IS NULL AND started_at < ?').run(before - DAYS_2_MS);
}
