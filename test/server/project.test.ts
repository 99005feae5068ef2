import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openServer } from '../../src/server/app-server.ts';
import type { HealthReport, InboxPage, UsageReport, WorkflowDetail, WorkflowList } from '../../src/server/contract.ts';
import { embeddedProject } from '../../src/server/embedded-project.ts';
import { tempFolder } from '../temp-folder.ts';
import { openRig } from './server-rig.ts';
import { FAILING, mend, PARKED, REVIEW } from './workflows.ts';

test('the inbox has what waits for people, oldest first, with what is needed to decide there', async () => {
  mend(false);
  const rig = await openRig([REVIEW, FAILING, PARKED]);
  const review = await rig.engine.start(REVIEW, { text: 'news' });
  await review.wait('idle');
  const failed = await rig.engine.start(FAILING);
  await failed.wait();
  await (await rig.engine.start(PARKED)).wait('idle');
  const { body } = await rig.get<InboxPage>('/api/v1/inbox');
  expect(body.items.map(({ kind, run }) => [kind, run])).toEqual([
    ['approval', review.id],
    ['stuck', failed.id],
  ]);
  expect(body.items[0]).toMatchObject({
    ...{ workflow: 'review', path: 'ask#1', prompt: 'Publish?', shown: { text: 'news' }, approvals: [], mine: true },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    options: [{ label: 'yes', next: 'publish' }, { label: 'no' }, { label: 'rework', next: 'draft', requiresInput: true }],
  });
  expect(body.items[1]?.prompt).toContain('the disk is full');
  const watcher = await rig.get<InboxPage>('/api/v1/inbox', { as: 'bob', scopes: ['view'] });
  expect(watcher.body.items.map(({ mine }) => mine)).toEqual([false, false]);
});

test('an item of the inbox has the fields of its kind only', async () => {
  mend(false);
  const rig = await openRig([FAILING]);
  const run = await rig.engine.start(FAILING);
  await run.wait();
  const { items } = (await rig.get<InboxPage>('/api/v1/inbox')).body;
  expect(items).toEqual([
    {
      ...{ kind: 'stuck', run: run.id, workflow: 'failing', path: 'work#1', step: 'work', mine: true, command: `pawl resume ${run.id}` },
      prompt: expect.stringContaining('the disk is full'),
      since: expect.any(String),
    },
  ]);
});

test('workflows are listed with their graph and a form for their parameters', async () => {
  const rig = await openRig([REVIEW]);
  const { body: list } = await rig.get<WorkflowList>('/api/v1/workflows');
  expect(list.workflows).toMatchObject([{ name: 'review', title: 'Review a text', params: ['text', 'round'], trusted: true }]);
  const { body } = await rig.get<WorkflowDetail>('/api/v1/workflows/review');
  expect(body.params).toMatchObject({
    type: 'object',
    properties: { text: { type: 'string', default: 'hello' }, round: { type: 'integer' } },
    required: [],
  });
  expect(body.graph?.edges).toContainEqual({ from: 'draft', to: 'ask', outcome: 'ok' });
  expect((await rig.get('/api/v1/workflows/reviw')).body).toMatchObject({
    code: 'WORKFLOW_UNKNOWN',
    detail: expect.stringContaining('"review"'),
  });
});

test('usage counts runs over time; health says who drives what', async () => {
  const rig = await openRig([PARKED, REVIEW]);
  await (await rig.engine.start(PARKED)).wait('idle');
  const { body: usage } = await rig.get<UsageReport>('/api/v1/usage?bucket=hour');
  expect(usage.buckets).toMatchObject([{ workflow: 'parked', role: null, runs: 1, refusals: 0 }]);
  const { body: health } = await rig.get<HealthReport>('/api/v1/health');
  expect(health).toMatchObject({ ok: true, checks: [], owners: [], queue: [], accounts: [] });
  expect((await rig.get('/api/v1/settings')).body).toEqual({ schemaVersion: 1, settings: {} });
});

test('every route of the API is described in OpenAPI 3.1, with its shapes', async () => {
  const rig = await openRig([]);
  const api = (await (await rig.raw('/api/v1/openapi.json', { as: '' })).json()) as {
    readonly openapi: string;
    readonly paths: Record<
      string,
      Record<string, { operationId: string; requestBody?: unknown; responses: Record<string, { content: object }> }>
    >;
  };
  expect(api.openapi).toBe('3.1.0');
  const operations = Object.entries(api.paths).flatMap(([path, of]) =>
    Object.entries(of).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const declared = rig.server.services.routes.filter(({ path }) => path.startsWith('/api/'));
  expect(operations.length).toBe(declared.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const start = api.paths['/api/v1/runs']?.post;
  expect(start?.requestBody).toMatchObject({ content: { 'application/json': { schema: { type: 'object', required: ['workflow'] } } } });
  expect(Object.keys(start?.responses ?? {})).toEqual(['201', 'default']);
  expect(api.paths['/api/v1/runs/{id}/steps/{path}/log']?.get).toMatchObject({
    parameters: expect.arrayContaining([expect.objectContaining({ name: 'after', in: 'query' })]),
  });
});

test('the built files of the dashboard are served by their names, and every other path is a page of the app', async () => {
  const pages = tempFolder();
  mkdirSync(join(pages, 'assets'));
  writeFileSync(join(pages, 'index.html'), '<!doctype html><title>app</title>');
  writeFileSync(join(pages, 'assets/main-Ab12Cd34.js'), 'export {};');
  writeFileSync(join(pages, '..', `${pages.split('/').at(-1)}-secret.txt`), 'secret');
  const rig = await openRig([], { server: { pages } });
  const get = async (path: string, as = 'ann'): Promise<readonly unknown[]> => {
    const { status, headers } = await rig.raw(path, { as });
    return [status, headers.get('content-type')?.split(';')[0], headers.get('cache-control')];
  };
  expect(await get('/assets/main-Ab12Cd34.js', '')).toEqual([200, 'text/javascript', 'public, max-age=31536000, immutable']);
  for (const path of ['/', '/runs/abc', '/index.html']) expect(await get(path)).toEqual([200, 'text/html', 'no-cache']);
  expect((await get('/', ''))[0]).toBe(401);
  for (const path of ['/api/v1/nothing', '/assets/none.js', '/hooks/x/y']) expect((await get(path))[0]).toBe(404);
  expect((await get('/hooks/x'))[0]).toBe(405);
  expect((await get('/..%2f..%2fetc%2fpasswd'))[1]).toBe('text/html');
  expect((await get('/assets/..%2f..%2fsecret.txt', ''))[0]).toBe(404);
  expect(await (await rig.raw('/readyz', { as: '' })).json()).toEqual({ schemaVersion: 1, status: 'ok' });
});

test('an unknown option of a server is an error, and so is one without effect', async () => {
  const { engine } = await openRig([]);
  const failure = (options: object): string => {
    try {
      openServer(engine, options);
      return 'ok';
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(failure({ publicURL: 'https://x' })).toMatch(/^createServer: .*publicURL.*it accepts workflows, project/);
  expect(failure({ events: { hook: {} } })).toMatch(/^createServer, events: .*hook.*it accepts hooks/);
  expect(failure({ workflows: [], project: embeddedProject([]) })).toBe('createServer: pass either "workflows" or "project", not both');
  await expect(openServer(engine).listen({ prot: 1 } as object)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});
