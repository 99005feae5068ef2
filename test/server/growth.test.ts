// The queries of a server must not take longer the more runs have ended: a statement that reads all rows of a growing table
// is found by its plan, without measuring time.

import { join } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { RunReport } from '../../src/server/contract.ts';
import { type Connection, openConnection } from '../../src/store/sqlite/connection.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { createStore } from '../../src/store/sqlite/open.ts';
import { tempFolder } from '../temp-folder.ts';
import { openRig, type ServerRig } from './server-rig.ts';
import { FAILING, mend, PARKED, REVIEW } from './workflows.ts';

/** Statements that may look at many rows, and why. */
const MAY_LOOK: readonly (readonly [statement: RegExp, why: string])[] = [
  [/^SELECT key FROM runs +ORDER BY key DESC LIMIT \?$/, 'the newest runs: it ends at its limit'],
  [/^SELECT key FROM runs WHERE key < \? ORDER BY key DESC LIMIT \?$/, 'a page of runs: it ends at its limit'],
  [
    /^SELECT key, id, seq, status, owner FROM runs WHERE key > \? ORDER BY key LIMIT 1000$/,
    'runs that are new, or all of them at the start',
  ],
  [/^SELECT status, count\(\*\) AS n FROM runs GROUP BY status$/, '/metrics, which is kept for a while'],
  [/FROM agent_usage$/, '/metrics, and once to see whether agents were ever called'],
  [/cast\((?:u\.started_at|r\.created|e\.at)/, 'the usage of a time: it looks at the runs of that time'],
];

/** The tables that get rows with every run and keep them when it has ended, with the names that statements give them. */
const GROWING = /^(?:runs|r|events|e|checks|c|contents|data|d|mail|agent_usage|u|attempts|a)$/;
/** Indexes that only have runs that are open, unread mail and the like. */
const SMALL = /USING (?:COVERING )?INDEX (?:runs_open|runs_assuming|runs_due|runs_owner|mail_unread)\b/;

/** A connection that remembers every statement it was asked for. */
async function openRecorded(file: string): Promise<{ readonly connection: Connection; readonly statements: ReadonlySet<string> }> {
  const inner = await openConnection({ file, synchronous: 'NORMAL', walAutocheckpoint: 1000, busyMs: 1000 });
  await migrate(inner, Date.now);
  const statements = new Set<string>();
  const sql = (text: string): StatementSync => {
    statements.add(text);
    return inner.sql(text);
  };
  return { connection: { ...inner, sql }, statements };
}

/** The parts of a statement's plan that look at all rows of a growing table. */
function scansOf({ db }: Connection, statement: string): readonly string[] {
  if (!/^\s*(?:SELECT|WITH|UPDATE|DELETE|INSERT)/.test(statement) || MAY_LOOK.some(([may]) => may.test(statement))) return [];
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
  return plan.flatMap(({ detail }) => {
    const [, table = ''] = /^(?:SCAN|SEARCH) (\w+)/.exec(String(detail)) ?? [];
    const isWhole = /^SCAN/.test(String(detail)) || /\((?:rowid|key)[<>]\?\)$/.test(String(detail));
    return isWhole && GROWING.test(table) && !SMALL.test(String(detail)) ? [`${detail}: ${statement.slice(0, 200)}`] : [];
  });
}

/** Everything that a person and a program ask of a server around some runs. */
async function useAll(rig: ServerRig): Promise<void> {
  const start = async (workflow: string): Promise<string> => {
    const { id } = (await rig.post<RunReport>('/api/v1/runs', { workflow, params: {} })).body.run;
    await rig.engine.run(id).wait('idle');
    return id;
  };
  const id = await start('review');
  for (const part of ['', '/graph', '/timeline', '/history', '/diff', '/steps/draft']) await rig.get(`/api/v1/runs/${id}${part}`);
  for (const path of ['inbox', 'runs', 'runs?limit=5', 'workflows', 'usage?bucket=hour', 'health', 'settings'])
    await rig.get(`/api/v1/${path}`);
  await (await rig.raw('/metrics')).text();
  mend(false);
  const failed = await start('failing');
  mend(true);
  await rig.post(`/api/v1/runs/${failed}/retry`, {});
  const { waits } = (await rig.get<RunReport>(`/api/v1/runs/${id}`)).body;
  await rig.post(`/api/v1/runs/${id}/decide`, { option: 'yes', digest: waits[0]?.kind === 'human' && waits[0].digest });
  await rig.engine.run(id).wait();
  await rig.post(`/api/v1/runs/${id}/fork`, { from: 'publish' });
  const parked = await start('parked');
  for (const act of ['pause', 'resume', 'cancel']) await rig.post(`/api/v1/runs/${parked}/${act}`, {});
}

test('neither requests nor background work of the server read all runs that have ended', async () => {
  const file = join(tempFolder(), 'runs.db');
  const { connection, statements } = await openRecorded(file);
  const store = createStore(connection, {});
  onTestFinished(() => store.close());
  // A target subscribes to warnings, so open runs are read; there are no warnings.
  const events = { notifications: { team: { webhook: 'http://127.0.0.1:9/', events: ['warning'] as const } }, allow: ['127.0.0.1:9'] };
  const rig = await openRig([REVIEW, PARKED, FAILING], { db: file, engine: { store }, server: { events } });
  await useAll(rig);
  // Both reads of the open runs happen shortly after a write.
  const looks = (): number =>
    [...statements].filter((text) => text.startsWith('SELECT key, id, seq') && text.includes('json_each(?)) ORDER BY key')).length;
  await expect.poll(looks, { timeout: 20_000 }).toBe(2);
  expect([...statements].flatMap((statement) => scansOf(connection, statement))).toEqual([]);
});
