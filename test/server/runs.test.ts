import { expect, test } from 'vitest';
import { createScriptedDriver, defineWorkflow } from '../../src/index.ts';
import type { RunGraph, RunHistory, RunReport, RunsPage, StepDetail, Timeline } from '../../src/server/contract.ts';
import { tempFolder } from '../temp-folder.ts';
import { openRig } from './server-rig.ts';
import { FAILING, PARKED, REVIEW } from './workflows.ts';

test('a run is started, listed, shown and decided', async () => {
  const rig = await openRig([REVIEW]);
  const started = await rig.post<RunReport>('/api/v1/runs', { workflow: 'review', params: { text: 'news' }, tags: ['nightly'] });
  expect(started.status).toBe(201);
  const { id } = started.body.run;
  expect(started.body.run.origin).toMatchObject({ actor: 'ann', tags: ['nightly'] });
  await rig.engine.run(id).wait('idle');
  const { body: list } = await rig.get<RunsPage>('/api/v1/runs?status=waiting&workflow=review');
  expect(list).toMatchObject({ schemaVersion: 1, runs: [{ id, status: 'waiting', currentStep: 'ask' }], next: null });
  const { body: shown } = await rig.get<RunReport>(`/api/v1/runs/${id}`);
  const [wait] = shown.waits;
  expect(wait).toMatchObject({ kind: 'human', prompt: 'Publish?', shown: { text: 'news' } });
  const decided = await rig.post<RunReport>(`/api/v1/runs/${id}/decide`, { option: 'yes', digest: wait?.kind === 'human' && wait.digest });
  expect(decided.status).toBe(200);
  await rig.engine.run(id).wait();
  const { body: ended } = await rig.get<RunReport>(`/api/v1/runs/${id}`);
  expect(ended.run).toMatchObject({ status: 'completed', output: { published: true } });
  expect(ended.decisions).toMatchObject([{ option: 'yes', actor: 'ann' }]);
});

test('a review that rejects the work is described with who rejected it and why', async () => {
  let round = 0;
  const scripted = createScriptedDriver(({ step }) => {
    if (step === 'fix') round += 1;
    return [
      { do: 'answer', output: step === 'fix' ? { done: true } : { status: round === 0 ? 'fail' : 'pass', evidence: 'it is broken' } },
    ];
  });
  const items = [{ id: 'tests', severity: 'MUST' as const, question: 'Do the tests pass?' }];
  const ship = defineWorkflow({
    name: 'ship',
    steps: { quality: { review: { subject: 'the work', reviewer: 'dev', fixer: 'dev', items }, next: null } },
  });
  const rig = await openRig([ship], { engine: { roles: { dev: { driver: 'scripted' } }, drivers: { scripted }, cwd: tempFolder() } });
  const run = await rig.engine.start(ship);
  expect((await run.wait()).status).toBe('completed');
  const [review] = (await rig.get<RunReport>(`/api/v1/runs/${run.id}`)).body.run.children;
  const { groups, steps } = (await rig.get<RunReport>(`/api/v1/runs/${review?.id}`)).body;
  expect(groups[0]).toMatchObject({ total: 1, ok: 0, failed: 0, rejected: 1, failures: ['tests'] });
  expect(steps.find(({ key }) => key === 'tests')).toMatchObject({ outcome: 'ok', rejection: 'it is broken' });
});

test('pages of a list neither repeat nor miss a run when others are added in the meantime', async () => {
  const rig = await openRig([PARKED]);
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.unshift((await rig.engine.start(PARKED)).id);
  const first = await rig.get<RunsPage>('/api/v1/runs?limit=3');
  await rig.engine.start(PARKED);
  const second = await rig.get<RunsPage>(`/api/v1/runs?limit=3&cursor=${first.body.next}`);
  await rig.engine.start(PARKED);
  const third = await rig.get<RunsPage>(`/api/v1/runs?limit=3&cursor=${second.body.next}`);
  expect([first, second, third].flatMap(({ body }) => body.runs.map(({ id }) => id))).toEqual(ids);
  expect(third.body.next).toBeNull();
  expect((await rig.get('/api/v1/runs?cursor=nonsense')).body).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
});

test('runs are found by parameter, tag, text and time', async () => {
  const rig = await openRig([PARKED]);
  const { id } = await rig.engine.start(PARKED, { label: 'Blue' }, { origin: { tags: ['x y'] } });
  await rig.engine.start(PARKED, { label: 'red' });
  const find = async (query: string): Promise<readonly string[]> =>
    (await rig.get<RunsPage>(`/api/v1/runs?${query}`)).body.runs.map((run) => run.id);
  expect(await find('param.label=Blue')).toEqual([id]);
  expect(await find('tag=x%20y')).toEqual([id]);
  expect(await find('text=blue')).toEqual([id]);
  expect(await find('since=2999-01-01T00:00:00Z')).toEqual([]);
  expect((await find('until=2999-01-01T00:00:00Z')).length).toBe(2);
  expect((await rig.get('/api/v1/runs?since=yesterday')).body).toMatchObject({ code: 'REQUEST_INVALID' });
  expect((await rig.get('/api/v1/runs?status=sleeping')).body).toMatchObject({ code: 'REQUEST_INVALID' });
});

test('the graph of a run has its state and its path; the timeline has a bar per attempt', async () => {
  const rig = await openRig([REVIEW]);
  const { id } = await rig.engine.start(REVIEW);
  await rig.engine.run(id).wait('idle');
  const { body: graph } = await rig.get<RunGraph>(`/api/v1/runs/${id}/graph`);
  expect(graph.nodes.map(({ id: node }) => node)).toEqual(['draft', 'ask', 'publish']);
  expect(graph.state).toMatchObject({
    draft: { status: 'completed', outcome: 'ok', visits: 1 },
    ask: { status: 'waiting' },
    publish: { status: 'pending' },
  });
  expect(graph.taken).toEqual([{ from: 'draft', to: 'ask', outcome: 'ok', times: 1 }]);
  const { body: timeline } = await rig.get<Timeline>(`/api/v1/runs/${id}/timeline`);
  expect(timeline.to).toBeNull();
  expect(timeline.bars.at(-1)).toMatchObject({ path: 'ask#1', kind: 'wait', to: null, outcome: null });
  expect(timeline.bars.filter(({ path }) => path === 'draft#1').at(-1)).toMatchObject({ kind: 'work', outcome: 'ok' });
});

test('a step has its attempts with bounded values, which can be downloaded in full from their run', async () => {
  const rig = await openRig([REVIEW]);
  const text = 'x'.repeat(100_000);
  const { id } = await rig.engine.start(REVIEW, { text });
  await rig.engine.run(id).wait('idle');
  const { body: step } = await rig.get<StepDetail>(`/api/v1/runs/${id}/steps/${encodeURIComponent('draft#1')}`);
  const [attempt] = step.attempts;
  expect(attempt).toMatchObject({ path: 'draft#1', outcome: 'ok', output: { truncated: true, bytes: 100_011 }, hasLog: false });
  expect(attempt?.output?.text.length).toBe(65_536);
  const [artifact] = step.links.artifacts;
  const whole = await rig.raw(`/api/v1/runs/${id}/artifacts/${artifact?.digest}`);
  expect(whole.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
  expect(await whole.json()).toEqual({ text });
  const other = await rig.engine.start(REVIEW);
  expect(await rig.get(`/api/v1/runs/${other.id}/artifacts/${artifact?.digest}`).catch((error: Error) => error.message)).toMatchObject({
    body: { status: 404, code: 'RESOURCE_UNKNOWN' },
  });
  expect((await rig.get(`/api/v1/runs/${id}/steps/drafts`)).body).toMatchObject({ status: 404, code: 'STEP_UNKNOWN' });
});

test('the history is the log as it is stored, in pages', async () => {
  const rig = await openRig([REVIEW]);
  const { id } = await rig.engine.start(REVIEW);
  await rig.engine.run(id).wait('idle');
  const all = await rig.engine.store.events(id, 0);
  const first = await rig.get<RunHistory>(`/api/v1/runs/${id}/history?limit=1`);
  expect(first.body).toMatchObject({ rows: [{ seq: 1, events: [{ type: 'run.started' }, {}], hash: all[0]?.hash }], next: 1 });
  const rest = await rig.get<RunHistory>(`/api/v1/runs/${id}/history?after=1`);
  expect(rest.body).toMatchObject({ rows: all.slice(1).map(({ seq }) => ({ seq })), next: null });
});

test('an unknown run is a problem with a code from the catalogue', async () => {
  const rig = await openRig([FAILING]);
  for (const path of ['', '/graph', '/timeline', '/steps/x', '/steps/x/log', '/history']) {
    const { status, headers, body } = await rig.get(`/api/v1/runs/none${path}`);
    expect([status, headers.get('content-type'), body]).toEqual([
      404,
      'application/problem+json',
      expect.objectContaining({ code: 'RUN_NOT_FOUND' }),
    ]);
  }
});
