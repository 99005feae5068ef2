// Gates and actions of a workflow file on a real local forge: approvals are waited for, and what was approved is merged.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkYaml } from '../../src/authoring/yaml/check.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../../src/proof/forge-local-stage.ts';
import { openSample, valueIn } from '../../src/proof/forge-stage.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let stage: LocalForgeStage;
beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

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

function land(): CompiledWorkflow {
  const { compiled, errors } = checkYaml('land.yaml', LAND);
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

async function waitingForApproval() {
  const definition = land();
  const { number } = await openSample(stage, 'feature');
  const engine = await rig.open({ workflows: [definition], forge: stage.forge, groups: { maintainers: ['ann'] } });
  const run = await engine.start(definition, {}, { facts: { pr_number: number } });
  const view = await run.wait('idle');
  expect(view.waits.map(({ kind }) => kind)).toEqual(['forge']);
  return { number, run };
}

test('a gate waits for an approval, is woken by it, and the approved head is merged and told', async () => {
  const { number, run } = await waitingForApproval();
  await stage.review(number, 'ann', 'approved');
  const view = await run.wait();
  expect([view.status, ...view.steps.map(({ path, outcome }) => `${path} ${outcome}`)]).toEqual([
    'completed',
    'approval#1 ok',
    'merge#1 ok',
    'end#1 ok',
    'on_complete.1#1 ok',
  ]);
  expect(valueIn(await stage.forge.pullRequest(number)).state).toBe('merged');
  expect(stage.forge.control.notifications()).toMatchObject([{ target: 'maintainers', people: ['ann'], message: `merged #${number}` }]);
});

test('a merge that conflicts takes the way for conflicts', async () => {
  const { number, run } = await waitingForApproval();
  stage.forge.control.conflictNextMerge();
  await stage.review(number, 'ann', 'approved');
  expect((await run.wait()).steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
    'approval#1 ok',
    'merge#1 conflict',
    'mend#1 ok',
    'on_complete.1#1 ok',
  ]);
});
