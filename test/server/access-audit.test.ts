import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunReport } from '../../src/server/contract.ts';
import { AccessRig } from './access-rig.ts';
import { FAILING, mend, PARKED, REVIEW } from './workflows.ts';

let rig: AccessRig;
let token: string;
beforeEach(async () => {
  rig = await AccessRig.open({ workflows: [REVIEW, PARKED, FAILING] });
  rig.person('ann', { manages: true });
  token = rig.token('ann');
});
afterEach(() => rig.close());

interface Line {
  readonly action: string;
  readonly run: string | null;
  readonly step: string | null;
  readonly choice: string | null;
  readonly about: string;
  readonly outcome: string;
}

const post = async (path: string, body: object): Promise<string> => rig.code('POST', `/api/v1/runs${path}`, { token, body });

async function begin(workflow: string): Promise<string> {
  const { id } = (await rig.send('POST', '/api/v1/runs', { token, body: { workflow } })).json<RunReport>().run;
  await rig.engine.run(id).wait('idle');
  return id;
}

/** The lines of the audit about runs, oldest first. */
async function linesOf(): Promise<readonly (readonly (string | null)[])[]> {
  const { entries } = (await rig.send('GET', '/api/v1/audit', { token })).json<{ readonly entries: readonly Line[] }>();
  return entries.toReversed().map(({ action, run, step, choice, outcome }) => [action, run, step, choice, outcome]);
}

test('a line of the audit names the run, the step or question, and what was chosen', async () => {
  const id = await begin('review');
  const { digest = '' } = (await rig.engine.run(id).approvals())[0] ?? {};
  await post(`/${id}/decide`, { option: 'yes', digest: 'a'.repeat(64) });
  await post(`/${id}/decide`, { option: 'yes', digest });
  await rig.engine.run(id).wait();
  await post(`/${id}/fork`, { from: 'publish', dryRun: true });
  const forked = (await rig.send('POST', `/api/v1/runs/${id}/fork`, { token, body: { from: 'publish' } })).json<RunReport>().run.id;
  expect(await linesOf()).toEqual([
    ['start', id, null, 'review', 'ok'],
    ['decide', id, null, 'yes', 'CONTENT_CHANGED'],
    ['decide', id, 'ask#1', 'yes', 'ok'],
    ['fork', id, 'publish', 'dry run', 'ok'],
    ['fork', id, 'publish', forked, 'ok'],
  ]);
});

test('a change to a run is recorded with its choice', async () => {
  mend(false);
  const failed = await begin('failing');
  const parked = await begin('parked');
  await post(`/${failed}/resume`, { to: 'nowhere' });
  mend(true);
  await post(`/${failed}/retry`, {});
  await post(`/${parked}/pause`, {});
  await post(`/${parked}/resume`, {});
  await post(`/${parked}/signal`, { name: 'other' });
  await post(`/${parked}/cancel`, { reason: 'not needed' });
  expect((await linesOf()).slice(2)).toEqual([
    ['resume', failed, 'work#1', 'go to nowhere', 'STEP_UNKNOWN'],
    ['retry', failed, 'work#1', null, 'ok'],
    ['pause', parked, null, null, 'ok'],
    ['resume', parked, null, null, 'ok'],
    ['signal', parked, null, 'other', 'ok'],
    ['cancel', parked, null, 'not needed', 'ok'],
  ]);
});

test('an action on many runs is a line for each of them, with its result', async () => {
  const id = await begin('parked');
  await post('/bulk', { action: 'cancel', ids: [id, 'none'] });
  expect((await linesOf()).slice(1)).toEqual([
    ['cancel', id, null, null, 'ok'],
    ['cancel', 'none', null, null, 'RUN_NOT_FOUND'],
  ]);
});

test('a failed start names the workflow, and other changes are named by their path', async () => {
  await post('', { workflow: 'nowhere' });
  await rig.code('POST', '/api/v1/people', { token, body: {} });
  expect(await linesOf()).toEqual([
    ['start', null, null, 'nowhere', 'WORKFLOW_UNKNOWN'],
    ['POST', null, null, null, 'REQUEST_INVALID'],
  ]);
});
