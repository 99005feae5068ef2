import { expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { BulkAnswer, CancelPlan, ForkPlan, RunReport } from '../../src/server/contract.ts';
import { openRig, type ServerRig } from './server-rig.ts';
import { FAILING, mend, PARKED, REVIEW } from './workflows.ts';

const waiting = async (rig: ServerRig, params = {}): Promise<{ id: string; digest: string }> => {
  const { id } = await rig.engine.start(REVIEW, params, { origin: { actor: 'ann' } });
  await rig.engine.run(id).wait('idle');
  const [approval] = await rig.engine.run(id).approvals();
  return { id, digest: approval?.digest as string };
};
const problem = (status: number, code: string): object => ({ status, body: expect.objectContaining({ status, code }) });

test('a decision names the content that was seen; one on other content is rejected, and a second one names who was first', async () => {
  const rig = await openRig([REVIEW]);
  const { id, digest } = await waiting(rig);
  const decide = (body: object, as = 'ann'): Promise<unknown> => rig.post(`/api/v1/runs/${id}/decide`, body, { as });
  expect(await decide({ option: 'yes' })).toMatchObject(problem(400, 'REQUEST_INVALID'));
  expect(await decide({ option: 'yes', digest: 'a'.repeat(64) })).toMatchObject(problem(409, 'CONTENT_CHANGED'));
  expect(await decide({ option: 'perhaps', digest })).toMatchObject(problem(422, 'OPTION_INVALID'));
  expect(await decide({ option: 'rework', digest })).toMatchObject(problem(422, 'INPUT_REQUIRED'));
  expect(await decide({ option: 'yes', digest: digest.slice(0, 12) }, 'bob')).toMatchObject({ status: 200 });
  const late = await decide({ option: 'no', digest });
  expect(late).toMatchObject(problem(409, 'ALREADY_DECIDED'));
  expect(late).toMatchObject({ body: { detail: expect.stringContaining('"yes" by bob') } });
});

test('a decision and a choice need the scope "decide", and so does controlling the run of another person', async () => {
  const rig = await openRig([REVIEW]);
  const { id, digest } = await waiting(rig);
  const operator = { as: 'bob', scopes: ['view', 'operate'] as const };
  expect(await rig.post(`/api/v1/runs/${id}/decide`, { option: 'yes', digest }, operator)).toMatchObject(problem(403, 'NOT_ALLOWED'));
  for (const [verb, body] of [
    ['cancel', {}],
    ['pause', {}],
    ['signal', { name: 'go' }],
    ['resume', { to: 'publish' }],
    ['retry', {}],
    ['fork', { from: 'ask', outputs: { draft: {} } }],
  ] as const)
    expect([verb, await rig.post(`/api/v1/runs/${id}/${verb}`, body, operator)]).toMatchObject([verb, problem(403, 'NOT_ALLOWED')]);
  expect((await rig.engine.run(id).get()).status).toBe('waiting');
  const own = { as: 'ann', scopes: ['operate'] as const };
  expect(await rig.post(`/api/v1/runs/${id}/cancel`, { reason: 'enough' }, own)).toMatchObject({
    status: 200,
    body: { run: { status: 'cancelled' } },
  });
});

test('the same request with the same key is carried out once, and a different request with that key is rejected', async () => {
  const rig = await openRig([PARKED]);
  const headers = { 'idempotency-key': 'first' };
  const start = (label: string, more: object = {}): Promise<{ status: number; body: RunReport }> =>
    rig.post<RunReport>('/api/v1/runs', { workflow: 'parked', params: { label } }, { headers, ...more });
  const [one, two] = await Promise.all([start('a'), start('a')]);
  const again = await start('a');
  expect(new Set([one, two, again].map(({ body }) => body.run.id)).size).toBe(1);
  expect([one.status, again.status, again.body]).toEqual([201, 201, one.body]);
  expect(await start('b')).toMatchObject(problem(422, 'REQUEST_REUSED'));
  const other = await start('a', { as: 'bob' });
  expect(other.body.run.id).not.toBe(one.body.run.id);
  const { id } = one.body.run;
  for (const _ of [1, 2]) await rig.post(`/api/v1/runs/${id}/signal`, { name: 'go' }, { headers });
  await rig.engine.run(id).wait();
  const signals = (await rig.engine.store.events(id, 0)).flatMap(({ events }) => events).filter(({ type }) => type === 'input.ignored');
  expect(signals).toEqual([]);
});

test('a start with a key starts one run, even if the server died before it could respond', async () => {
  const first = await openRig([PARKED]);
  const headers = { 'idempotency-key': 'k' };
  const { body } = await first.post<RunReport>('/api/v1/runs', { workflow: 'parked' }, { headers });
  first.server.services.database.run('DELETE FROM repeats');
  const again = await first.post<RunReport>('/api/v1/runs', { workflow: 'parked' }, { headers });
  expect(again.body.run.id).toBe(body.run.id);
});

test('a decision with a key is one decision with one response, even if the server died before it could respond', async () => {
  const rig = await openRig([REVIEW]);
  const { id, digest } = await waiting(rig);
  const decide = (option: string, more: object = {}): Promise<{ status: number; body: RunReport }> =>
    rig.post<RunReport>(`/api/v1/runs/${id}/decide`, { option, digest }, { headers: { 'idempotency-key': 'd' }, ...more });
  const [one, two] = await Promise.all([decide('yes'), decide('yes')]);
  expect([one.status, two.status, two.body]).toEqual([200, 200, one.body]);
  expect(await decide('no')).toMatchObject(problem(422, 'REQUEST_REUSED'));
  await rig.engine.run(id).wait();
  rig.server.services.database.run('DELETE FROM repeats');
  expect(await decide('no')).toMatchObject(problem(409, 'ALREADY_DECIDED'));
  expect(await decide('yes', { as: 'bob' })).toMatchObject(problem(409, 'ALREADY_DECIDED'));
  expect(await decide('yes', { headers: {} })).toMatchObject(problem(409, 'ALREADY_DECIDED'));
  expect(await decide('yes')).toMatchObject({
    status: 200,
    body: { run: { status: 'completed' }, decisions: [{ option: 'yes', actor: 'ann' }] },
  });
});

test('a signal with a key is one signal, even if the server died before it could respond', async () => {
  const twice = defineWorkflow({
    name: 'twice',
    steps: [
      { id: 'first', signal: 'go', next: 'second' },
      { id: 'second', signal: 'go', next: null },
    ],
  });
  const rig = await openRig([twice]);
  const { id } = await rig.engine.start(twice);
  await rig.engine.run(id).wait('idle');
  const signal = (key: string): Promise<{ status: number; body: RunReport }> =>
    rig.post<RunReport>(`/api/v1/runs/${id}/signal`, { name: 'go' }, { headers: { 'idempotency-key': key } });
  const currentStep = async (): Promise<unknown> => {
    await rig.engine.run(id).wait('idle');
    return (await rig.get<RunReport>(`/api/v1/runs/${id}`)).body.run;
  };
  const first = await signal('s');
  expect((await signal('s')).body).toEqual(first.body);
  rig.server.services.database.run('DELETE FROM repeats');
  expect((await signal('s')).status).toBe(200);
  expect(await currentStep()).toMatchObject({ status: 'waiting', currentStep: 'second' });
  expect((await signal('t')).status).toBe(200);
  expect(await currentStep()).toMatchObject({ status: 'completed' });
});

test('stopped runs are retried one by one, or many with one request', async () => {
  mend(false);
  const rig = await openRig([FAILING]);
  const ids = await Promise.all([1, 2].map(async () => (await rig.engine.start(FAILING, {}, { origin: { actor: 'ann' } })).id));
  for (const id of ids) await rig.engine.run(id).wait();
  const [first = '', second = ''] = ids;
  expect(await rig.post(`/api/v1/runs/${first}/retry`, { step: 'other' })).toMatchObject(problem(404, 'STEP_UNKNOWN'));
  expect(await rig.post(`/api/v1/runs/${first}/resume`, { retry: true, accept: true })).toMatchObject(problem(400, 'USAGE'));
  mend(true);
  const bulk = await rig.post<BulkAnswer>('/api/v1/runs/bulk', { action: 'retry', ids: [first, second, first, 'none'] });
  expect(bulk.body.results).toMatchObject([
    { id: first, ok: true },
    { id: second, ok: true },
    { id: 'none', ok: false, error: { code: 'RUN_NOT_FOUND' } },
  ]);
  for (const id of ids) expect((await rig.engine.run(id).wait()).status).toBe('completed');
});

test('a run is paused, resumed and forked; a dry run of a fork changes nothing', async () => {
  const rig = await openRig([REVIEW]);
  const { id } = await waiting(rig);
  const paused = await rig.post<RunReport>(`/api/v1/runs/${id}/pause`, {});
  expect(paused.body.waits.map(({ kind }) => kind)).toContain('pause');
  const resumed = await rig.post<RunReport>(`/api/v1/runs/${id}/resume`, {});
  expect(resumed.body.waits.map(({ kind }) => kind)).not.toContain('pause');
  const dry = await rig.post<ForkPlan>(`/api/v1/runs/${id}/fork`, { from: 'ask', dryRun: true });
  expect(dry.body.plan).toMatchObject({
    run: id,
    from: 'ask',
    askedAgain: ['ask'],
    steps: [
      { path: 'draft#1', inFork: 'reused' },
      { path: 'ask#1', inFork: 'again' },
    ],
  });
  expect((await rig.engine.list()).length).toBe(1);
  const forked = await rig.post<RunReport>(`/api/v1/runs/${id}/fork`, { from: 'ask' });
  expect(forked.body.run.forkOf).toEqual({ run: id, step: 'ask' });
});

test('bodies must be JSON with known fields and a bounded size', async () => {
  const rig = await openRig([PARKED]);
  const send = async (body: string, type = 'application/json'): Promise<unknown> => {
    const response = await rig.raw('/api/v1/runs', { method: 'POST', body, headers: { 'content-type': type } });
    return { status: response.status, body: await response.json() };
  };
  expect(await send('{"workflow":')).toMatchObject(problem(400, 'REQUEST_INVALID'));
  expect(await send('{"workflow":"parked"}', 'text/plain')).toMatchObject(problem(400, 'REQUEST_INVALID'));
  expect(await send('{"workflow":"parked","perams":{}}')).toMatchObject(problem(400, 'REQUEST_INVALID'));
  expect(await send('{"workflow":"parkt"}')).toMatchObject(problem(404, 'WORKFLOW_UNKNOWN'));
  expect(await send('{"workflow":"parked","params":{"label":5}}')).toMatchObject(problem(422, 'PARAMS_INVALID'));
  expect(await send(JSON.stringify({ workflow: 'parked', params: { label: 'x'.repeat(10_000_000) } }))).toMatchObject(
    problem(413, 'VALUE_TOO_LARGE'),
  );
  expect(await rig.engine.list()).toEqual([]);
});

test('a body of unknown length is cut off as soon as it is too long', async () => {
  const rig = await openRig([PARKED]);
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(32));
    },
  });
  const headers = { 'content-type': 'application/json', 'x-as': 'ann', 'x-scopes': 'operate' };
  const request = new Request('http://127.0.0.1/api/v1/runs', { method: 'POST', body: endless, duplex: 'half', headers } as RequestInit);
  expect((await rig.server.fetch(request)).status).toBe(413);
  expect(sent).toBeLessThan(2_000_000);
});

test('a dry run of a cancel shows what would be undone and what would remain; cancelling without undo needs the right to override', async () => {
  const undone: string[] = [];
  const SHIP = defineWorkflow({
    name: 'ship',
    steps: [
      { id: 'pack', handler: () => ({ ok: true }), undo: () => void undone.push('pack'), next: 'weigh' },
      { id: 'weigh', handler: () => ({ ok: true }), next: 'wait' },
      { id: 'wait', signal: 'go', next: null },
    ],
  });
  const rig = await openRig([SHIP]);
  const { id } = await rig.engine.start(SHIP, {}, { origin: { actor: 'bob' } });
  await rig.engine.run(id).wait('idle');
  const own = { as: 'bob', scopes: ['operate'] as const };
  const dry = await rig.post<CancelPlan>(`/api/v1/runs/${id}/cancel`, { dryRun: true }, own);
  expect(dry.body.plan).toMatchObject({ run: id, items: [{ path: 'pack#1', by: 'a function' }], stays: [{ path: 'weigh#1' }] });
  expect(await rig.post(`/api/v1/runs/${id}/cancel`, { undo: false }, own)).toMatchObject(problem(403, 'NOT_ALLOWED'));
  expect((await rig.engine.run(id).get()).status).toBe('waiting');
  await rig.post(`/api/v1/runs/${id}/cancel`, {}, own);
  expect((await rig.engine.run(id).wait()).status).toBe('cancelled');
  expect(undone).toEqual(['pack']);
});
