// The tables that the seeds promise, read by plain SQL as somebody else's tool would.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentDriver, arg, defineWorkflow, type Engine } from './library.ts';
import { createRig, type Rig } from './rig.ts';

type Row = Record<string, string | number | null>;

let rig: Rig;
let engine: Engine;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const reviewer: AgentDriver = {
  name: 'here',
  ask: async ({ role }) => ({ kind: 'answered', success: true, verdict: role === 'strict' ? 'reject' : 'approve', output: { by: role } }),
};

/** A loop, a retry, a gate with a check that fails, branches, and at the end an error or not. */
const eventful = defineWorkflow({
  name: 'eventful',
  params: { mood: arg({ default: 'good' }), fails: arg({ default: true }) },
  steps: [
    {
      id: 'work',
      retry: 1,
      handler: (ctx) => {
        if (ctx.attempt === 1 && ctx.path === 'work#1') throw new Error('slipped');
        return { rounds: Number(ctx.stepState.rounds ?? 0) + 1 };
      },
      next: { condition: 'result.rounds >= 2', onTrue: 'check', onFalse: 'work', maxIterations: 3 },
    },
    { id: 'check', gate: { checks: ['echo fine', 'echo bad >&2; exit 3'] }, next: { ok: 'review', fail: 'review' } },
    {
      id: 'review',
      parallel: {
        branches: [
          { id: 'kind', agent: 'gentle', prompt: 'review' },
          { id: 'harsh', agent: 'strict', prompt: 'review' },
        ],
        join: 'all',
      },
      next: { ok: 'ask', reject: 'ask' },
    },
    { id: 'ask', human: { prompt: 'Go?' }, next: 'end' },
    {
      id: 'end',
      handler: (ctx) => {
        if (ctx.workflowParams.fails) throw new Error('no luck');
        return { done: true };
      },
      next: { ok: null, error: 'fail' },
    },
  ],
});

async function finish(fails: boolean): Promise<string> {
  engine = await rig.open({
    workflows: [eventful],
    drivers: { here: reviewer },
    roles: { gentle: { driver: 'here' }, strict: { driver: 'here' } },
  });
  const origin = { event: 'issues.labeled', deliveryId: 'delivery-1', issue: 7, pr: 8, actor: 'ann' };
  const run = await engine.start(eventful, { fails }, { origin });
  await run.wait('idle');
  await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
  expect((await run.wait()).status).toBe(fails ? 'failed' : 'completed');
  return run.id;
}

function query(sql: string, ...values: (string | number)[]): Row[] {
  const database = new DatabaseSync(rig.db, { readOnly: true });
  try {
    return database.prepare(sql).all(...values) as Row[];
  } finally {
    database.close();
  }
}

const emptyColumns = (row: Row): string[] => Object.keys(row).filter((column) => row[column] === null || row[column] === '');
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('the tables of the seeds after a run with loop, retry, gate, branches and an error', () => {
  test('workflow_runs: every column of seeds 002 and 004 is filled', async () => {
    const id = await finish(true);
    const [row] = query('SELECT * FROM workflow_runs WHERE run_id = ?', id) as [Row];
    expect(Object.keys(row)).toEqual([
      'run_id',
      'workflow_name',
      'workflow_version',
      'trigger_event',
      'trigger_delivery_id',
      'issue_number',
      'pr_number',
      'status',
      'current_stage_id',
      'current_stage_index',
      'iteration_count',
      'context',
      'outputs',
      'created_at',
      'started_at',
      'completed_at',
      'error_message',
      'error_stage',
      'checkpoint_json',
      'current_step',
      'iteration_counts',
      'overridden',
    ]);
    expect(emptyColumns(row)).toEqual([]);
    expect(row).toMatchObject({
      run_id: id,
      workflow_name: 'eventful',
      workflow_version: eventful.hash,
      trigger_event: 'issues.labeled',
      trigger_delivery_id: 'delivery-1',
      issue_number: 7,
      pr_number: 8,
      status: 'failed',
      current_stage_id: 'end',
      current_stage_index: 4,
      error_message: 'no luck',
      error_stage: 'end',
      current_step: 'end',
    });
    expect([row.created_at, row.started_at, row.completed_at]).toEqual([1, 2, 3].map(() => expect.stringMatching(TIME)));
    expect(JSON.parse(row.context as string)).toMatchObject({ rounds: 2, params: { mood: 'good', fails: true } });
    expect(JSON.parse(row.outputs as string)).toMatchObject({ work: { rounds: 2 }, 'review/kind': { by: 'gentle' } });
    expect(row.iteration_count).toBeGreaterThan(0);
    expect(JSON.parse(row.iteration_counts as string)).toEqual((await engine.run(id).get()).iterationCounts);
    expect(JSON.parse(row.checkpoint_json as string)).toMatchObject({
      workflowRunId: id,
      workflowType: 'eventful',
      currentStep: 'end',
      completedSteps: expect.arrayContaining([{ step: 'work', completedAt: expect.stringMatching(TIME), result: { rounds: 2 } }]),
      iterationCounts: (await engine.run(id).get()).iterationCounts,
      gateDecision: { gate: 'ask', option: 'approve' },
      parallelResults: { kind: { status: 'completed' }, harsh: { status: 'completed' } },
    });
  });

  test('workflow_runs of a run that completed: no error, and where it ended', async () => {
    const id = await finish(false);
    const [row] = query('SELECT * FROM workflow_runs WHERE run_id = ?', id) as [Row];
    expect(emptyColumns(row)).toEqual(['error_message', 'error_stage']);
    expect(row).toMatchObject({ status: 'completed', current_stage_id: 'end', current_stage_index: 4, current_step: 'end' });
  });

  test('workflow_stage_runs: every attempt has a row, and each column is filled where it has a meaning', async () => {
    const id = await finish(true);
    const rows = query('SELECT * FROM workflow_stage_runs WHERE run_id = ? ORDER BY id', id);
    expect(Object.keys(rows[0] as Row)).toEqual([
      'id',
      'run_id',
      'stage_id',
      'stage_index',
      'status',
      'agent_id',
      'branch_id',
      'parent_stage_id',
      'outputs',
      'error_message',
      'started_at',
      'completed_at',
      'duration_seconds',
      'attempt_number',
      'max_attempts',
    ]);
    const story = rows.map((row) => `${row.stage_index} ${row.stage_id} ${row.attempt_number}/${row.max_attempts} ${row.status}`);
    expect(story.filter((line) => !line.includes('review/')).sort()).toEqual(
      [
        '0 work 1/2 failed',
        '0 work 2/2 completed',
        '0 work 1/2 completed',
        '1 check 1/2 failed',
        '2 review 1/2 completed',
        '3 ask 1/2 completed',
        '4 end 1/2 failed',
      ].sort(),
    );
    const always = [
      'id',
      'run_id',
      'stage_id',
      'stage_index',
      'status',
      'outputs',
      'started_at',
      'completed_at',
      'duration_seconds',
      'attempt_number',
      'max_attempts',
    ];
    for (const row of rows) expect(emptyColumns(row).filter((column) => always.includes(column))).toEqual([]);
    for (const row of rows) expect(row.duration_seconds).toBeGreaterThanOrEqual(0);
    const branches = rows.filter((row) => row.branch_id !== null);
    expect(branches.map(({ branch_id, parent_stage_id, agent_id }) => [branch_id, parent_stage_id, agent_id]).sort()).toEqual([
      ['harsh', 'review', 'strict'],
      ['kind', 'review', 'gentle'],
    ]);
    const failed = rows
      .filter(({ status, stage_id }) => status === 'failed' && stage_id !== 'check')
      .map(({ error_message }) => error_message);
    expect(failed.sort()).toEqual(['no luck', 'slipped']);
  });

  test('workflow_gate_checks: every check of the gate, with what it found', async () => {
    await finish(true);
    const rows = query(
      'SELECT c.*, s.stage_id AS stage FROM workflow_gate_checks c JOIN workflow_stage_runs s ON s.id = c.stage_run_id ORDER BY c.id',
    );
    expect(Object.keys(rows[0] as Row)).toEqual([
      'id',
      'stage_run_id',
      'check_type',
      'check_config',
      'passed',
      'result_data',
      'error_message',
      'checked_at',
      'stage',
    ]);
    expect(rows.map(({ check_type, passed, stage }) => [check_type, passed, stage])).toEqual([
      ['command', 1, 'check'],
      ['command', 0, 'check'],
    ]);
    expect(emptyColumns(rows[0] as Row)).toEqual(['error_message']);
    expect(emptyColumns(rows[1] as Row)).toEqual([]);
    expect(JSON.parse(rows[1]?.check_config as string)).toMatchObject({ run: 'echo bad >&2; exit 3' });
    expect(rows[1]).toMatchObject({ checked_at: expect.stringMatching(TIME), error_message: expect.stringContaining('3') });
  });

  test('database_backups: a backup is recorded with its run and size', async () => {
    const id = await finish(true);
    const { path, bytes } = await engine.store.backup(rig.path('copy.db'), id);
    const [row] = query('SELECT * FROM database_backups') as [Row];
    expect(Object.keys(row)).toEqual(['id', 'created_at', 'path', 'workflow_run_id', 'size_bytes']);
    expect(emptyColumns(row)).toEqual([]);
    expect(row).toMatchObject({ path, workflow_run_id: id, size_bytes: bytes, created_at: expect.stringMatching(/^\d{4}-/) });
    expect(statSync(path).size).toBe(bytes);
  });
});
