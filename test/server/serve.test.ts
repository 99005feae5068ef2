import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { REVIEW, RUN, writeWorkflow } from '../cli/decision-runs.ts';
import { CliRig } from '../cli/rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test('serve answers on a free port, shows nothing without a login, and ends on SIGTERM', async () => {
  const serving = rig.start(['serve', '--port', '0', '--json']);
  const [, url = ''] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ schemaVersion: 1, status: 'ok' });
  const runs = await fetch(`${url}/api/v1/runs`);
  expect([runs.status, ((await runs.json()) as { code: string }).code]).toEqual([401, 'LOGIN_REQUIRED']);
  serving.process.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});

const WORK = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'work',
  steps: [
    { id: 'wait', command: 'touch begun; while ! test -e go && test -d "$PWD"; do sleep 0.05; done', recovery: 'rerun', next: 'mark' },
    { id: 'mark', command: 'echo done >> marks', next: null },
  ],
});
`;

test('a server takes over the run of a process that dies while the server is open', async () => {
  writeWorkflow(rig, WORK, 'work');
  const begun = (): boolean => existsSync(join(rig.project, 'begun'));
  const serving = rig.start(['serve', '--port', '0']);
  await serving.until('Serving on http://localhost:');
  const running = rig.start(['run', 'work', '--id', 'aaaaaaaaaaaaaaa1']);
  await expect.poll(begun).toBe(true);
  running.process.kill('SIGKILL');
  await running.ended;
  rmSync(join(rig.project, 'begun'));
  await expect.poll(begun).toBe(true);
  writeFileSync(join(rig.project, 'go'), '');
  await expect.poll(() => existsSync(join(rig.project, 'marks'))).toBe(true);
  await expect.poll(async () => (await rig.json<{ run: { status: string } }>(['show', 'aaaaaaaaaaaaaaa1'])).run.status).toBe('completed');
  serving.process.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});

test('a server does not drive a run whose code is no longer trusted, and says so', async () => {
  // A run without code continues with its stored definition.
  writeWorkflow(rig, WORK.replace("command: 'echo done >> marks'", 'handler: () => ({})'), 'work');
  const running = rig.start(['run', 'work', '--id', 'aaaaaaaaaaaaaaa1']);
  await expect.poll(() => existsSync(join(rig.project, 'begun'))).toBe(true);
  running.process.kill('SIGKILL');
  await running.ended;
  rmSync(join(rig.project, 'begun'));
  writeFileSync(join(rig.state, 'trust.json'), JSON.stringify({ folders: {}, files: {} }));
  const serving = rig.start(['serve', '--port', '0']);
  expect(await serving.until('is not trusted')).toContain('work.ts');
  serving.process.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
  expect(existsSync(join(rig.project, 'begun'))).toBe(false);
});

test('a fork over HTTP starts the workflow of its run only while that is trusted, also on a server that has not loaded it', async () => {
  writeWorkflow(rig, REVIEW);
  await rig.run(['run', 'review', '--id', RUN]);
  const terminal = rig.terminal(['access', 'token', 'create', 'ci', '--scope', 'operate'], { columns: 300 });
  await terminal.ended;
  const [token] = /pawlt_[\w-]{43}/.exec(terminal.text()) ?? [];
  const serving = rig.start(['serve', '--port', '0', '--json']);
  const [, url = ''] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  const fork = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ from: 'draft' });
    const answer = await fetch(`${url}/api/v1/runs/${RUN}/fork`, { method: 'POST', headers, body });
    const said = (await answer.json()) as { code?: string; run?: { forkOf: { run: string } } };
    return said.code ?? `a fork of ${said.run?.forkOf.run}`;
  };
  expect(await fork()).toBe(`a fork of ${RUN}`);
  writeFileSync(join(rig.state, 'trust.json'), JSON.stringify({ folders: {}, files: {} }));
  expect(await fork()).toBe('NOT_TRUSTED');
  serving.process.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});

test('the settings that HTTP shows contain no secret, no program and no folder', async () => {
  const settings = `limits: { global: 3 }
groups: { maintainers: [ann] }
commands: { review: [node, tools/review.mjs] }
secrets: { SHOP_HOOK: { command: [cat, hook-secret.txt] } }
hooks: { order: { secret: SHOP_HOOK, start: hi } }
`;
  rig.write('.pawl/config.yaml', settings);
  await rig.run(['trust', '--yes']);
  const terminal = rig.terminal(['access', 'token', 'create', 'ci', '--scope', 'view'], { columns: 300 });
  await terminal.ended;
  const [token] = /pawlt_[\w-]{43}/.exec(terminal.text()) ?? [];
  const serving = rig.start(['serve', '--port', '0', '--json']);
  const [, url = ''] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  const answer = await fetch(`${url}/api/v1/settings`, { headers: { authorization: `Bearer ${token}` } });
  expect(await answer.json()).toEqual({ schemaVersion: 1, settings: { limits: { global: 3 }, groups: { maintainers: ['ann'] } } });
  serving.process.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});
