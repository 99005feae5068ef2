// HTTP responses must not reveal paths of the machine: neither failures nor results.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EngineError } from '../../src/base/error.ts';
import { embeddedProject } from '../../src/server/embedded-project.ts';
import { MachinePaths } from '../../src/server/machine-paths.ts';
import { tempFolder } from '../temp-folder.ts';
import { openRig } from './server-rig.ts';
import { PARKED, REVIEW } from './workflows.ts';

test('no failure names the database of the server, and each still says what to do', async () => {
  const rig = await openRig([PARKED]);
  const { id } = await rig.engine.start(PARKED);
  const missing = ['', '/graph', '/timeline', '/history', '/diff', '/steps/wait', '/steps/wait/log', '/artifacts/abc', '/events'];
  const acts = ['decide', 'answer', 'signal', 'cancel', 'pause', 'resume', 'retry', 'fork'];
  const body = { option: 'yes', digest: 'a'.repeat(64), name: 'go', from: 'wait' };
  const answers = [
    ...(await Promise.all(missing.map((part) => rig.raw(`/api/v1/runs/none${part}`)))),
    ...(await Promise.all(
      acts.map((act) =>
        rig.raw(`/api/v1/runs/none/${act}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      ),
    )),
    await rig.raw('/api/v1/runs', {
      method: 'POST',
      body: JSON.stringify({ workflow: 'parked', params: {}, id }),
      headers: { 'content-type': 'application/json' },
    }),
    await rig.raw('/api/v1/runs/bulk', {
      method: 'POST',
      body: JSON.stringify({ action: 'cancel', ids: ['none'] }),
      headers: { 'content-type': 'application/json' },
    }),
  ];
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(texts.filter((text) => text.includes(rig.db) || text.includes(join(rig.db, '..')))).toEqual([]);
  expect(JSON.parse(texts[0] as string)).toMatchObject({
    code: 'RUN_NOT_FOUND',
    detail: 'no run "none" in runs.db; "pawl runs" shows those that exist',
  });
  expect(texts.at(-1)).toContain('no run \\"none\\" in runs.db');
});

test('failures of a project, its workflows and its checks name files relative to its folder', async () => {
  const root = tempFolder();
  const file = join(root, '.pawl/workflows/bad.ts');
  const project = {
    ...embeddedProject([PARKED]),
    root,
    workflow: async () => {
      throw new EngineError('MODULE_FAILED', `${file} could not be loaded: no file://${file}, and /usr/share/x/secret.txt is gone`, {
        position: { file, line: 1, column: 1 },
        details: { file, state: '/usr/share/x/state' },
      });
    },
    checks: async () => [{ id: 'node', status: 'ok' as const, what: `Node, /usr/bin/node, in ${root}`, hint: '' }],
  };
  const rig = await openRig([], { server: { project, workflows: undefined as never } });
  expect((await rig.get('/api/v1/workflows/bad')).body).toMatchObject({
    detail: '.pawl/workflows/bad.ts could not be loaded: no .pawl/workflows/bad.ts, and …/secret.txt is gone',
    position: { file: '.pawl/workflows/bad.ts', line: 1, column: 1 },
    details: { file: '.pawl/workflows/bad.ts', state: '…/state' },
  });
  expect((await rig.get<{ checks: { what: string }[] }>('/api/v1/health')).body.checks[0]?.what).not.toMatch(/\/usr|\/tmp/);
});

test('runs name the file of their workflow relative to the folder of the project, and their data is unchanged', async () => {
  const root = tempFolder();
  const rig = await openRig([REVIEW], { server: { project: { ...embeddedProject([REVIEW]), root }, workflows: undefined as never } });
  const run = await rig.engine.start(REVIEW, { text: `look into ${root}/a` }, { origin: { file: join(root, '.pawl/review.ts') } });
  await run.wait('idle');
  const { body } = await rig.get(`/api/v1/runs/${run.id}`);
  expect(body).toMatchObject({ run: { origin: { file: '.pawl/review.ts' }, params: { text: `look into ${root}/a` } } });
  expect((await rig.get('/api/v1/runs')).body).toMatchObject({ runs: [{ origin: { file: '.pawl/review.ts' } }] });
});

test('addresses of the server and words with a slash are not changed as files', () => {
  const paths = new MachinePaths({ project: '/srv/shop', db: undefined });
  for (const text of [
    'GET /api/v1/runs lists them',
    'say /pawl approve',
    'application/json',
    'and/or',
    'src/a.ts',
    'http://localhost:7411/usr/x',
  ])
    expect(paths.message(text)).toBe(text);
});
