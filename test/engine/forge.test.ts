// Gates and actions of a workflow file on a real local forge: approvals are waited for, and what was approved is merged.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type ForgeRig, openForgeRig, told } from './forge-rig.ts';

let rig: ForgeRig;
beforeEach(async () => {
  rig = await openForgeRig();
});
afterEach(() => rig.close());

const LAND = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: land }
stages:
  - { id: approval, type: gate, conditions: [{ check: pr_approval, from: maintainers, count: 1 }] }
  - { id: merge, type: action, action: merge_pr, method: squash, delete_branch: true, on_conflict: mend }
  - { id: end, type: command, run: "true", on_complete: complete }
  - { id: mend, type: command, run: "true" }
on_complete:
  - notify: { target: maintainers, message: "merged #{{ context.pr_number }}" }
`;

async function waitingForApproval() {
  const { number, run } = await rig.start(LAND, { forge: rig.stage.forge, groups: { maintainers: ['ann'] } });
  const view = await run.wait('idle');
  expect(view.waits.map(({ kind }) => kind)).toEqual(['checks']);
  return { number, run };
}

test('a gate waits for an approval and is woken by it, and the approved head is merged and reported', async () => {
  const { number, run } = await waitingForApproval();
  await rig.stage.review(number, 'ann', 'approved');
  const view = await run.wait();
  expect([view.status, ...told(view)]).toEqual(['completed', 'approval#1 ok', 'merge#1 ok', 'end#1 ok', 'on_complete.1#1 ok']);
  expect(valueIn(await rig.stage.forge.pullRequest(number)).state).toBe('merged');
  expect(rig.stage.forge.control.notifications()).toMatchObject([{ target: 'maintainers', people: ['ann'], message: `merged #${number}` }]);
});

test('a merge that conflicts takes the transition for conflicts', async () => {
  const { number, run } = await waitingForApproval();
  rig.stage.forge.control.conflictNextMerge();
  await rig.stage.review(number, 'ann', 'approved');
  expect(told(await run.wait())).toEqual(['approval#1 ok', 'merge#1 conflict', 'mend#1 ok', 'on_complete.1#1 ok']);
});

test.each([
  ['an action', '{ id: ask, type: action, action: label, add: [seen] }', 'completed'],
  ['a gate', '{ id: ask, type: gate, conditions: [{ check: ci_status }], on_fail: fail }', 'failed'],
  ['a template', '{ id: ask, type: command, run: "true", env: { HEAD: "{{ github.pr.head_sha }}" } }', 'completed'],
])('a rate limit of the forge is a wait until its time for %s', async (_what, stage, end) => {
  const text = `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n  - ${stage}\n`;
  const { control } = rig.stage.forge;
  const { run } = await rig.start(text, { forge: rig.stage.forge }, () => control.rateLimit(Date.now() + 60_000));
  const view = await run.wait('idle');
  const [wait] = view.waits;
  expect([view.status, wait?.kind, Math.round(((wait?.due ?? 0) - Date.now()) / 10_000)]).toEqual(['waiting', 'capacity', 6]);
  control.rateLimit(0);
  await rig.stage.check('feature', { name: 'ci', status: 'completed', conclusion: 'failure' });
  await run.resume({ actor: 'ann' });
  expect((await run.wait()).status).toBe(end);
});
