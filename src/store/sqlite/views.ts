// Owns what people and their tools see of the tables: the names, columns and spellings that were promised
// (`workflow_runs`, `workflow_stage_runs`, `workflow_gate_checks`), in SQL that any SQLite since 3.38 understands.

import { SUM_CHARACTERS } from './attempts.ts';
import { unpackSql } from './packing.ts';
import { ofRun } from './schema.ts';

const time = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
// Attempts are numbered within their run; people get a number that is unique.
const stageId = (run: string, attempt: string): string => `(${run} * 16777216 + ${attempt})`;
const stepOf = (path: string): string => `substr(${path}, 1, instr(${path}, '#') - 1)`;
const indexOf = (definition: string, step: string): string =>
  `(SELECT s.key FROM json_each(${definition}, '$.steps') s WHERE json_extract(s.value, '$.id') = ${step})`;

const RUN_STATUS = `CASE r.status WHEN 0 THEN 'pending' WHEN 1 THEN 'running' WHEN 2 THEN 'waiting' WHEN 3 THEN 'completed'
    WHEN 4 THEN 'failed' WHEN 5 THEN 'escalated' WHEN 6 THEN 'rejected' WHEN 7 THEN 'cancelled' WHEN 8 THEN 'completed' END`;

const CURRENT_STEP = `coalesce(
    (SELECT json_extract(l.value, '$.step') FROM json_each(r.state, '$.live') l ORDER BY json_extract(l.value, '$.openedAt') DESC LIMIT 1),
    json_extract(r.state, '$.halt.step'),
    (SELECT a.step FROM attempts a WHERE a.run = r.key AND a.of_group IS NULL ORDER BY a.id DESC LIMIT 1))`;

// A list begins behind its checksum.
const LIST = `substr(e.ended, ${SUM_CHARACTERS + 1})`;

const LAST_FAILED = 'FROM attempts a WHERE a.run = r.key AND a.status = 1 ORDER BY a.id DESC LIMIT 1';

const COMPLETED_STEPS = `coalesce((SELECT json_group_array(json_object('step', a.step, 'completedAt', ${time('a.ended')}, 'result', json(c.text)))
      FROM (SELECT * FROM attempts WHERE run = r.key AND status = 0 ORDER BY id) a LEFT JOIN contents c ON c.digest = a.output), json('[]'))`;

const PENDING_RETRY = `(SELECT json_object('step', json_extract(l.value, '$.step'), 'error', json_extract(l.value, '$.feedback'),
      'attempt', json_extract(l.value, '$.attempt'))
      FROM json_each(r.state, '$.live') l WHERE json_extract(l.value, '$.wait.reason') = 'retry' LIMIT 1)`;

const PARALLEL_RESULTS = `(SELECT json_group_object(p.key, json(p.item)) FROM (
      SELECT a.key, json_object('status', CASE a.status WHEN 1 THEN 'failed' ELSE 'completed' END, 'result', json(c.text),
        'error', json_extract(a.error, '$.message'), 'retryCount', a.attempt - 1) AS item
        FROM attempts a LEFT JOIN contents c ON c.digest = a.output
        WHERE a.run = r.key AND a.id IN (SELECT max(id) FROM attempts WHERE run = r.key AND key IS NOT NULL GROUP BY of_group, key)
          AND NOT EXISTS (SELECT 1 FROM live_members m WHERE m.run = r.key AND m.path = a.path)
      UNION ALL
      SELECT json_extract(m.live, '$.key'), json_object('status', 'pending', 'retryCount', json_extract(m.live, '$.attempt') - 1)
        FROM live_members m WHERE m.run = r.key) p)`;

// What a plain row says, by position (`plain-row.ts`).
const plain = (index: number): string => `json_extract(e.body, '$[${index}]')`;
const PLAIN_AT = `(e.at - ${plain(6)})`;
const NEXT_LIVE = `json_object('path', ${plain(9)}, 'step', ${stepOf(plain(9))}, 'kind', ${plain(10)}, 'state', 'running', 'attempt', 1,
    'since', 1, 'recovery', 0, 'openedAt', ${PLAIN_AT}, 'startedAt', ${PLAIN_AT})`;
const PLAIN_STATE = `json_object('live', json_object(${plain(9)}, ${NEXT_LIVE}))`;
const SETTLED = `'type', 'step.settled', 'at', ${PLAIN_AT}, 'path', ${plain(1)}, 'attempt', ${plain(3)}, 'outcome', ${plain(5)}`;
const BROUGHT = `'output', json_object('digest', ${plain(11)}, 'bytes', ${plain(12)})`;
const PLAIN_EVENTS = `json_array(
    CASE WHEN ${plain(11)} IS NULL THEN json_object(${SETTLED}) WHEN ${plain(13)} IS NULL THEN json_object(${SETTLED}, ${BROUGHT})
      ELSE json_object(${SETTLED}, ${BROUGHT}, 'merge', json('true')) END,
    json_object('type', 'edge.taken', 'at', ${PLAIN_AT}, 'from', ${plain(1)}, 'outcome', ${plain(5)}, 'to', ${stepOf(plain(9))}),
    json_object('type', 'step.opened', 'at', ${PLAIN_AT}, 'activation', ${NEXT_LIVE}))`;
const unlessPlain = (told: string, column: string): string => `CASE e.checkpoint WHEN '' THEN ${told} ELSE ${unpackSql(column)} END`;

const RUN_STATES = `
CREATE VIEW attempts AS SELECT e.run AS run, e.attempts - json_array_length(${LIST}) + 1 + a.key AS id, e.seq AS seq,
  json_extract(a.value, '$[0]') AS path, json_extract(a.value, '$[1]') AS step, json_extract(a.value, '$[2]') AS kind,
  json_extract(a.value, '$[3]') AS attempt, json_extract(a.value, '$[4]') AS attempts_max, json_extract(a.value, '$[5]') AS outcome,
  json_extract(a.value, '$[6]') AS status, json_extract(a.value, '$[7]') AS opened, json_extract(a.value, '$[8]') AS started,
  json_extract(a.value, '$[9]') AS ended, json_extract(a.value, '$[10].output.digest') AS output,
  json_extract(a.value, '$[10].error') AS error, json_extract(a.value, '$[10].claim.digest') AS claim,
  json_extract(a.value, '$[10].evidence.digest') AS evidence, json_extract(a.value, '$[10].actor') AS actor,
  json_extract(a.value, '$[10].group') AS of_group, json_extract(a.value, '$[10].key') AS key
  FROM events e, json_each(${LIST}) a WHERE e.ended IS NOT NULL
  UNION ALL SELECT e.run, e.attempts, e.seq, ${plain(1)}, ${stepOf(plain(1))}, ${plain(2)}, ${plain(3)}, ${plain(4)}, ${plain(5)}, 0,
  e.at - ${plain(7)}, e.at - ${plain(8)}, ${PLAIN_AT}, ${plain(11)}, NULL, NULL, NULL, NULL, NULL, NULL
  FROM events e WHERE e.checkpoint = '';

CREATE VIEW run_states AS SELECT r.*, e.at AS at, ${unlessPlain(PLAIN_STATE, 'e.checkpoint')} AS state,
  d.name AS workflow, d.hash AS version, d.text AS definition_text
  FROM runs r JOIN definitions d ON d.id = r.definition
  JOIN events e ON e.place = (SELECT max(place) FROM events WHERE ${ofRun('place', 'r.key')});

CREATE VIEW live_members AS SELECT m.run, m.path, ${unpackSql('m.text')} AS live FROM members m
  UNION ALL SELECT o.run, json_extract(v.value, '$.activation.path'), json_extract(v.value, '$.activation')
  FROM openings o JOIN events e ON e.run = o.run AND e.seq = o.seq AND ${ofRun('e.place', 'o.run')}, json_each(${unpackSql('e.body')}) v
  WHERE substr(o.live, v.key + 1, 1) = '1';

CREATE VIEW run_events AS SELECT r.id AS run_id, e.seq, ${time('e.at')} AS at, lower(hex(e.hash)) AS hash, ${unlessPlain(PLAIN_EVENTS, 'e.body')} AS events
  FROM events e JOIN runs r ON r.key = e.run;
`;

/** A number among the run's data; what else may stand under its name is none. */
const fact = (key: string): string => `(SELECT json_extract(coalesce(d.text, c.text), '$') FROM data d
    LEFT JOIN contents c ON c.digest = d.digest
    WHERE d.run = r.key AND d.key = '${key}' AND json_type(coalesce(d.text, c.text)) = 'integer')`;

const WORKFLOW_RUNS = `
CREATE VIEW workflow_runs AS SELECT
  r.id AS run_id,
  r.workflow AS workflow_name,
  r.version AS workflow_version,
  json_extract(r.origin, '$.event') AS trigger_event,
  json_extract(r.origin, '$.deliveryId') AS trigger_delivery_id,
  coalesce(json_extract(r.origin, '$.issue'), ${fact('issue_number')}) AS issue_number,
  coalesce(${fact('pr_number')}, json_extract(r.origin, '$.pr')) AS pr_number,
  ${RUN_STATUS} AS status,
  ${CURRENT_STEP} AS current_stage_id,
  coalesce(${indexOf('r.definition_text', CURRENT_STEP)}, 0) AS current_stage_index,
  coalesce((SELECT sum(value) FROM json_each(r.state, '$.counts')), 0) AS iteration_count,
  coalesce((SELECT json_group_object(k.key, json(k.text)) FROM (
    SELECT d.key, coalesce(d.text, c.text) AS text FROM data d LEFT JOIN contents c ON c.digest = d.digest
    WHERE d.run = r.key AND d.key NOT LIKE '$%'
    UNION ALL SELECT 'params', c.text FROM contents c WHERE c.digest = r.params) k), '{}') AS context,
  coalesce((SELECT json_group_object(a.step, json(c.text)) FROM attempts a LEFT JOIN contents c ON c.digest = a.output
    WHERE a.run = r.key AND a.id IN (SELECT max(id) FROM attempts WHERE run = r.key AND status = 0 GROUP BY step)), '{}') AS outputs,
  ${time('r.created')} AS created_at,
  ${time('r.created')} AS started_at,
  CASE WHEN r.status >= 3 THEN ${time('r.at')} END AS completed_at,
  CASE WHEN r.status NOT IN (3, 8) THEN coalesce(json_extract(r.state, '$.halt.message'), (SELECT json_extract(a.error, '$.message') ${LAST_FAILED})) END AS error_message,
  CASE WHEN r.status NOT IN (3, 8) THEN coalesce(json_extract(r.state, '$.halt.step'), (SELECT a.step ${LAST_FAILED})) END AS error_stage,
  json_object('workflowRunId', r.id, 'workflowType', r.workflow, 'currentStep', ${CURRENT_STEP},
    'completedSteps', ${COMPLETED_STEPS},
    'iterationCounts', json(coalesce(json_extract(r.state, '$.counts'), '{}')),
    'pendingRetry', json(${PENDING_RETRY}),
    'parallelResults', json(${PARALLEL_RESULTS}),
    'gateDecision', json(json_extract(r.state, '$.decision'))) AS checkpoint_json,
  ${CURRENT_STEP} AS current_step,
  coalesce(json_extract(r.state, '$.counts'), '{}') AS iteration_counts,
  coalesce(json_extract(r.state, '$.overridden'), 0) AS overridden
  FROM run_states r;
`;

const liveStage = (live: string): string => `
  NULL, r.id, json_extract(${live}, '$.step'),
  coalesce(${indexOf('r.definition_text', `coalesce(${stepOf(`json_extract(${live}, '$.group')`)}, json_extract(${live}, '$.step'))`)}, 0),
  CASE json_extract(${live}, '$.state') WHEN 'queued' THEN 'pending' ELSE 'running' END,
  NULL, json_extract(${live}, '$.key'), ${stepOf(`json_extract(${live}, '$.group')`)}, '{}', json_extract(${live}, '$.feedback'),
  ${time(`json_extract(${live}, '$.startedAt')`)}, NULL, NULL, json_extract(${live}, '$.attempt'), NULL`;

const WORKFLOW_STAGE_RUNS = `
CREATE VIEW workflow_stage_runs AS SELECT
  ${stageId('a.run', 'a.id')} AS id,
  r.id AS run_id,
  a.step AS stage_id,
  coalesce(${indexOf('d.text', `coalesce(${stepOf('a.of_group')}, a.step)`)}, 0) AS stage_index,
  CASE a.status WHEN 0 THEN 'completed' WHEN 1 THEN 'failed' WHEN 2 THEN 'skipped' ELSE 'cancelled' END AS status,
  a.actor AS agent_id,
  a.key AS branch_id,
  ${stepOf('a.of_group')} AS parent_stage_id,
  coalesce(c.text, '{}') AS outputs,
  json_extract(a.error, '$.message') AS error_message,
  ${time('coalesce(a.started, a.opened)')} AS started_at,
  ${time('a.ended')} AS completed_at,
  (a.ended - coalesce(a.started, a.opened)) / 1000.0 AS duration_seconds,
  a.attempt AS attempt_number,
  a.attempts_max AS max_attempts
  FROM attempts a JOIN runs r ON r.key = a.run JOIN definitions d ON d.id = r.definition LEFT JOIN contents c ON c.digest = a.output
UNION ALL SELECT ${liveStage('l.value')} FROM run_states r, json_each(r.state, '$.live') l
UNION ALL SELECT ${liveStage('m.live')} FROM live_members m JOIN run_states r ON r.key = m.run;
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

const NAMES = ['attempts', 'run_states', 'live_members', 'run_events', 'workflow_runs', 'workflow_stage_runs', 'workflow_gate_checks'];

/** The words that the views unpack texts with. */
export const PHRASES = 'CREATE TABLE phrases (n INTEGER PRIMARY KEY, code TEXT NOT NULL, phrase TEXT NOT NULL)';

/** The views as they were before plain rows go, for those of now. */
export const DROP_VIEWS = NAMES.map((name) => `DROP VIEW IF EXISTS ${name};`).join('\n');

/** The views. */
export const VIEWS = RUN_STATES + WORKFLOW_RUNS + WORKFLOW_STAGE_RUNS + WORKFLOW_GATE_CHECKS;
