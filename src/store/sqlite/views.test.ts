import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { RunEvent } from '../../kernel/event.ts';
import {
  createActivation,
  createAttempt,
  createFirst,
  createLine,
  createNext,
  createValue,
  START_AT,
} from '../../proof/store-suite/deltas.ts';
import type { Delta } from '../store.ts';
import { openSqliteStore } from './open.ts';

const directory = tempFolder();
const file = join(directory, 'pawl.db');
let db: DatabaseSync;

const built = createValue({ artifact: 'a.tgz' });
const params = createValue({ target: 'prod' });
const error = { code: 'STEP_FAILED', message: 'lint is red', reason: 'error' } as const;
const checks = [{ type: 'ci', config: { name: 'unit' }, passed: false, result: { failed: 2 }, error: 'two failed', at: START_AT }];

function script(): Delta[] {
  const definition = createLine('release', ['prepare', 'build', 'checks', 'approve']);
  const origin = { event: 'pull_request', deliveryId: 'd-1', issue: 5, pr: 7 };
  const first = createFirst({
    run: 'r1',
    owner: 'me',
    definition,
    creation: { origin },
    started: { params: params.ref },
    activation: createActivation('build'),
    more: {
      values: [params],
      data: [
        { key: 'version', text: '{"major":1}' },
        { key: 'notes', text: JSON.stringify('n'.repeat(70_000)) },
      ],
    },
  });
  const member = (key: string, index: number): RunEvent => ({
    type: 'step.opened',
    at: START_AT,
    activation: createActivation('lint', { path: `checks#1/${key}`, member: { group: 'checks#1', key, index } }),
  });
  const second = createNext(
    first,
    [
      { type: 'step.settled', at: START_AT, path: 'build#1', attempt: 1, outcome: 'ok', output: built.ref },
      { type: 'edge.taken', at: START_AT, from: 'build#1', outcome: 'ok', to: 'checks', key: 'build:ok' },
      { type: 'step.opened', at: START_AT, activation: createActivation('checks', { kind: 'each', startedAt: START_AT }), visit: 1 },
      member('a', 0),
      member('b', 1),
    ],
    { values: [built], attempts: [createAttempt('build', { output: built.ref, actor: 'builder', maxAttempts: 2, checks })] },
  );
  const { outcome: _, ...failed } = createAttempt('lint', {
    path: 'checks#1/a',
    group: 'checks#1',
    key: 'a',
    index: 0,
    status: 'failed',
    error,
  });
  const halt = { reason: 'error', path: 'checks#1', step: 'checks', outcome: 'fail', attempt: 1, message: 'the checks failed' } as const;
  const third = createNext(
    second,
    [
      { type: 'step.settled', at: START_AT, path: 'checks#1/a', attempt: 1, outcome: 'error', error },
      { type: 'run.changed', at: START_AT + 2000, change: 'decided', decision: { step: 'approve', option: 'yes', actor: 'ann' } },
      { type: 'run.changed', at: START_AT + 2000, change: 'halted', status: 'escalated', halt },
    ],
    { attempts: [failed], release: true },
  );
  return [first, second, third];
}

beforeAll(async () => {
  const store = await openSqliteStore({ file });
  for (const delta of script()) await store.commit(delta);
  await store.close();
  db = new DatabaseSync(file, { readOnly: true });
});

afterAll(() => {
  db.close();
});

test('workflow_runs shows a run with every promised column', () => {
  const row = db.prepare('SELECT * FROM workflow_runs').get() as Record<string, unknown>;
  const { context, outputs, checkpoint_json: checkpoint, iteration_counts: counts, workflow_version: version, ...plain } = row;
  expect(plain).toEqual({
    run_id: 'r1',
    workflow_name: 'release',
    trigger_event: 'pull_request',
    trigger_delivery_id: 'd-1',
    issue_number: 5,
    pr_number: 7,
    status: 'escalated',
    overridden: 0,
    current_stage_id: 'checks',
    current_stage_index: 2,
    iteration_count: 2,
    created_at: '2026-01-02T03:04:05.678Z',
    started_at: '2026-01-02T03:04:05.678Z',
    completed_at: '2026-01-02T03:04:07.678Z',
    error_message: 'the checks failed',
    error_stage: 'checks',
    current_step: 'checks',
  });
  expect(version).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.parse(String(context))).toEqual({ version: { major: 1 }, notes: 'n'.repeat(70_000), params: { target: 'prod' } });
  expect(JSON.parse(String(outputs))).toEqual({ build: { artifact: 'a.tgz' } });
  expect(JSON.parse(String(counts))).toEqual({ checks: 1, 'build:ok': 1 });
  expect(JSON.parse(String(checkpoint))).toEqual({
    workflowRunId: 'r1',
    workflowType: 'release',
    currentStep: 'checks',
    completedSteps: [{ step: 'build', completedAt: '2026-01-02T03:04:06.938Z', result: { artifact: 'a.tgz' } }],
    iterationCounts: { checks: 1, 'build:ok': 1 },
    pendingRetry: null,
    parallelResults: {
      a: { status: 'failed', result: null, error: 'lint is red', retryCount: 0 },
      b: { status: 'pending', retryCount: 0 },
    },
    gateDecision: { gate: 'approve', option: 'yes', actor: 'ann' },
  });
});

test('workflow_stage_runs shows ended and live stages, and branches under their stage', () => {
  const rows = db.prepare('SELECT * FROM workflow_stage_runs ORDER BY id IS NULL, id, branch_id').all() as Record<string, unknown>[];
  expect(rows[0]).toEqual({
    id: 16777217,
    run_id: 'r1',
    stage_id: 'build',
    stage_index: 1,
    status: 'completed',
    agent_id: 'builder',
    branch_id: null,
    parent_stage_id: null,
    outputs: '{"artifact":"a.tgz"}',
    error_message: null,
    started_at: '2026-01-02T03:04:05.688Z',
    completed_at: '2026-01-02T03:04:06.938Z',
    duration_seconds: 1.25,
    attempt_number: 1,
    max_attempts: 2,
  });
  const short = rows
    .slice(1)
    .map(({ stage_id: stage, stage_index: index, status, branch_id: branch, parent_stage_id: parent, error_message: message }) => [
      stage,
      index,
      status,
      branch,
      parent,
      message,
    ]);
  expect(short).toEqual([
    ['lint', 2, 'failed', 'a', 'checks', 'lint is red'],
    ['checks', 2, 'running', null, null, null],
    ['lint', 2, 'running', 'b', 'checks', null],
  ]);
});

test('a row of workflow_gate_checks refers to its stage', () => {
  const row = db.prepare('SELECT c.*, s.stage_id FROM workflow_gate_checks c JOIN workflow_stage_runs s ON s.id = c.stage_run_id').get();
  expect({ ...row }).toEqual({
    id: 1,
    stage_run_id: 16777217,
    check_type: 'ci',
    check_config: '{"name":"unit"}',
    passed: 0,
    result_data: '{"failed":2}',
    error_message: 'two failed',
    checked_at: '2026-01-02T03:04:05.678Z',
    stage_id: 'build',
  });
});

test('run_events shows the log as JSON', () => {
  const rows = db.prepare("SELECT seq, json_extract(events, '$[0].type') AS type FROM run_events WHERE run_id = 'r1' ORDER BY seq").all();
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { seq: 1, type: 'run.started' },
    { seq: 2, type: 'step.settled' },
    { seq: 3, type: 'step.settled' },
  ]);
});
