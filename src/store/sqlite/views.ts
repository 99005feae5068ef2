// Owns the views for people and their tools: the promised names, columns and formats (`workflow_runs`,
// `workflow_stage_runs`, `workflow_gate_checks`), in SQL that any SQLite since 3.38 understands.
// `row-format.ts` declares which field of the stored JSON a column shows.

import { ACTIVATION_COLUMNS, ATTEMPT_COLUMNS, STATE_COLUMNS } from './row-format.ts';
import { SETTLED_SQL } from './run-row.ts';
import { placeSql } from './schema.ts';

const time = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
// Attempts are numbered within their run; the views show a number that is unique in the store.
const stageId = (run: string, attempt: string): string => `(${run} * 16777216 + ${attempt})`;
const stepOf = (path: string): string => `substr(${path}, 1, instr(${path}, '#') - 1)`;
const indexOf = (definition: string, step: string): string =>
  `(SELECT s.key FROM json_each(${definition}, '$.steps') s WHERE json_extract(s.value, '$.id') = ${step})`;
const columnsOf = (json: string, columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([column, field]) => `json_extract(${json}, '$.${field}') AS ${column}`)
    .join(', ');

const BASE_VIEWS = `
CREATE VIEW attempts AS SELECT e.run AS run, e.attempts - json_array_length(e.body, '$.attempts') + 1 + a.key AS id, e.seq AS seq,
  ${columnsOf('a.value', ATTEMPT_COLUMNS)}
  FROM events e, json_each(e.body, '$.attempts') a;

CREATE VIEW run_states AS SELECT r.*, e.at AS at, d.name AS workflow, d.hash AS version, d.text AS definition_text,
  ${columnsOf('r.state', STATE_COLUMNS)}
  FROM runs r JOIN definitions d ON d.id = r.definition JOIN events e ON e.place = ${placeSql('r.key', 'r.seq')};

CREATE VIEW live_activations AS SELECT r.key AS run, l.key AS path, l.id AS place, ${columnsOf('l.value', ACTIVATION_COLUMNS)}
  FROM runs r, json_each(r.state, '$.live') l
  UNION ALL SELECT m.run, m.path, NULL, ${columnsOf('m.text', ACTIVATION_COLUMNS)} FROM members m;

CREATE VIEW run_events AS SELECT r.id AS run_id, e.seq, ${time('e.at')} AS at, lower(hex(e.hash)) AS hash,
  json_extract(e.body, '$.events') AS events
  FROM events e JOIN runs r ON r.key = e.run;
`;

/** The same step as `currentStepOf` returns. */
const CURRENT_STEP = `coalesce(
    (SELECT l.step FROM live_activations l WHERE l.run = r.key AND l.of_group IS NULL AND (l.side IS NULL OR r.undoing IS NOT NULL)
      ORDER BY l.place LIMIT 1),
    r.halt_step, r.last_step)`;

const LAST_FAILED = "FROM attempts a WHERE a.run = r.key AND a.status = 'failed' ORDER BY a.id DESC LIMIT 1";

const COMPLETED_STEPS = `coalesce((SELECT json_group_array(json_object('step', a.step, 'completedAt', ${time('a.ended')}, 'result', json(c.text)))
      FROM (SELECT * FROM attempts WHERE run = r.key AND status = 'completed' ORDER BY id) a LEFT JOIN contents c ON c.digest = a.output), json('[]'))`;

const PENDING_RETRY = `(SELECT json_object('step', l.step, 'error', l.feedback, 'attempt', l.attempt)
      FROM live_activations l WHERE l.run = r.key AND l.of_group IS NULL AND l.wait_kind = 'retry' LIMIT 1)`;

const PARALLEL_RESULTS = `(SELECT json_group_object(p.key, json(p.item)) FROM (
      SELECT a.key, json_object('status', CASE a.status WHEN 'failed' THEN 'failed' ELSE 'completed' END, 'result', json(c.text),
        'error', a.error_message, 'retryCount', a.attempt - 1) AS item
        FROM attempts a LEFT JOIN contents c ON c.digest = a.output
        WHERE a.run = r.key AND a.id IN (SELECT max(id) FROM attempts WHERE run = r.key AND key IS NOT NULL GROUP BY of_group, key)
          AND NOT EXISTS (SELECT 1 FROM members m WHERE m.run = r.key AND m.path = a.path)
      UNION ALL
      SELECT l.key, json_object('status', 'pending', 'retryCount', l.attempt - 1)
        FROM live_activations l WHERE l.run = r.key AND l.of_group IS NOT NULL) p)`;

/** A number in the run's data; any other value under the key is ignored. */
const numberIn = (key: string): string => `(SELECT json_extract(coalesce(d.text, c.text), '$') FROM data d
    LEFT JOIN contents c ON c.digest = d.digest
    WHERE d.run = r.key AND d.key = '${key}' AND json_type(coalesce(d.text, c.text)) = 'integer')`;

const WORKFLOW_RUNS = `
CREATE VIEW workflow_runs AS SELECT
  r.id AS run_id,
  r.workflow AS workflow_name,
  r.version AS workflow_version,
  json_extract(r.origin, '$.event') AS trigger_event,
  json_extract(r.origin, '$.deliveryId') AS trigger_delivery_id,
  coalesce(json_extract(r.origin, '$.issue'), ${numberIn('issue_number')}) AS issue_number,
  coalesce(${numberIn('pr_number')}, json_extract(r.origin, '$.pr')) AS pr_number,
  CASE r.status WHEN 'overridden' THEN 'completed' ELSE r.status END AS status,
  ${CURRENT_STEP} AS current_stage_id,
  coalesce(${indexOf('r.definition_text', CURRENT_STEP)}, 0) AS current_stage_index,
  coalesce((SELECT sum(value) FROM json_each(r.counts)), 0) AS iteration_count,
  coalesce((SELECT json_group_object(k.key, json(k.text)) FROM (
    SELECT d.key, coalesce(d.text, c.text) AS text FROM data d LEFT JOIN contents c ON c.digest = d.digest
    WHERE d.run = r.key AND d.key NOT LIKE '$%'
    UNION ALL SELECT 'params', c.text FROM contents c WHERE c.digest = r.params) k), '{}') AS context,
  coalesce((SELECT json_group_object(a.step, json(c.text)) FROM attempts a LEFT JOIN contents c ON c.digest = a.output
    WHERE a.run = r.key AND a.id IN (SELECT max(id) FROM attempts WHERE run = r.key AND status = 'completed' GROUP BY step)), '{}') AS outputs,
  ${time('r.created')} AS created_at,
  ${time('r.created')} AS started_at,
  CASE WHEN r.status IN ${SETTLED_SQL} THEN ${time('r.at')} END AS completed_at,
  CASE WHEN r.status NOT IN ('completed', 'overridden') THEN coalesce(r.halt_message, (SELECT a.error_message ${LAST_FAILED})) END AS error_message,
  CASE WHEN r.status NOT IN ('completed', 'overridden') THEN coalesce(r.halt_step, (SELECT a.step ${LAST_FAILED})) END AS error_stage,
  json_object('workflowRunId', r.id, 'workflowType', r.workflow, 'currentStep', ${CURRENT_STEP},
    'completedSteps', ${COMPLETED_STEPS},
    'iterationCounts', json(coalesce(r.counts, '{}')),
    'pendingRetry', json(${PENDING_RETRY}),
    'parallelResults', json(${PARALLEL_RESULTS}),
    'gateDecision', json_patch(json_object('gate', r.decision ->> 'step'), json_remove(r.decision, '$.step'))) AS checkpoint_json,
  ${CURRENT_STEP} AS current_step,
  coalesce(r.counts, '{}') AS iteration_counts,
  coalesce(r.overridden, 0) AS overridden
  FROM run_states r;
`;

const WORKFLOW_STAGE_RUNS = `
CREATE VIEW workflow_stage_runs AS SELECT
  ${stageId('a.run', 'a.id')} AS id,
  r.id AS run_id,
  a.step AS stage_id,
  coalesce(${indexOf('d.text', `coalesce(${stepOf('a.of_group')}, a.step)`)}, 0) AS stage_index,
  a.status AS status,
  a.actor AS agent_id,
  a.key AS branch_id,
  ${stepOf('a.of_group')} AS parent_stage_id,
  coalesce(c.text, '{}') AS outputs,
  a.error_message AS error_message,
  ${time('coalesce(a.started, a.opened)')} AS started_at,
  ${time('a.ended')} AS completed_at,
  (a.ended - coalesce(a.started, a.opened)) / 1000.0 AS duration_seconds,
  a.attempt AS attempt_number,
  a.attempts_max AS max_attempts
  FROM attempts a JOIN runs r ON r.key = a.run JOIN definitions d ON d.id = r.definition LEFT JOIN contents c ON c.digest = a.output
UNION ALL SELECT
  NULL, r.id, l.step, coalesce(${indexOf('d.text', `coalesce(${stepOf('l.of_group')}, l.step)`)}, 0),
  CASE l.state WHEN 'queued' THEN 'pending' ELSE 'running' END,
  NULL, l.key, ${stepOf('l.of_group')}, '{}', l.feedback, ${time('l.started')}, NULL, NULL, l.attempt, NULL
  FROM live_activations l JOIN runs r ON r.key = l.run JOIN definitions d ON d.id = r.definition;
`;

const WORKFLOW_GATE_CHECKS = `
CREATE VIEW workflow_gate_checks AS SELECT
  c.id AS id,
  ${stageId('c.run', 'c.attempt')} AS stage_run_id,
  c.type AS check_type,
  c.config AS check_config,
  c.passed AS passed,
  c.result AS result_data,
  c.error AS error_message,
  ${time('c.at')} AS checked_at
  FROM checks c;
`;

/** The views. */
export const VIEWS = BASE_VIEWS + WORKFLOW_RUNS + WORKFLOW_STAGE_RUNS + WORKFLOW_GATE_CHECKS;
