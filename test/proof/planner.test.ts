// The planner and its executor as runs: a scripted agent plans a small change and carries it out, with its sub-agents. The
// engine checks every step, decides every gate, and refuses what is not done.

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenWork, readAttendedRun, sourceOfEngine } from '../../src/attended/attended-run.ts';
import { submit, workIn } from '../../src/attended/submission.ts';
import type { Json } from '../../src/base/json.ts';
import { defineWorkflow, type Engine } from '../../src/index.ts';
import developer from '../../src/skills/catalogue/dev-fill-diffs/skill.ts';
import planner from '../../src/skills/catalogue/planner/skill.ts';
import executor from '../../src/skills/catalogue/planner-executor/skill.ts';
import planCode from '../../src/skills/catalogue/qr-plan-code/skill.ts';
import completeness from '../../src/skills/catalogue/qr-plan-completeness/skill.ts';
import planDocs from '../../src/skills/catalogue/qr-plan-docs/skill.ts';
import implementation from '../../src/skills/catalogue/qr-post-impl-code/skill.ts';
import documentation from '../../src/skills/catalogue/qr-post-impl-docs/skill.ts';
import scrub from '../../src/skills/catalogue/tw-plan-scrub/skill.ts';
import writer from '../../src/skills/catalogue/tw-post-impl/skill.ts';
import { skillWorkflow } from '../../src/skills/index.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { executorSteps } from '../skills/executor-script.ts';
import { plannerSteps } from '../skills/planner-script.ts';
import { createProject } from '../skills/scripted-project.ts';
import { act, type ScriptedSteps } from '../skills/scripted-steps.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
  createProject(rig.directory);
});
afterEach(() => rig.close());

const SKILLS = [planner, executor, developer, scrub, writer, completeness, planCode, planDocs, implementation, documentation];
const workflows = SKILLS.map((skill) => defineWorkflow({ ...skillWorkflow(skill), name: skill.name }));

/** Reports work on a run; returns why it is not accepted, or nothing. */
const reporter =
  (engine: Engine, root: string) =>
  async ({ run, token }: OpenWork, result: Json): Promise<string> => {
    try {
      const { receipt } = await submit(engine, { run, root, submission: { kind: 'result', token, result } });
      return receipt?.kind === 'accepted' ? '' : JSON.stringify(receipt);
    } catch (error) {
      return String(error);
    }
  };

/** A skill that was carried out: `SKILL/STEP` in the order in which the steps were accepted, and what the agent was told. */
interface CarriedOut {
  readonly order: readonly string[];
  readonly told: ReadonlyMap<string, string>;
}

async function carryOut(name: string, script: (round: number) => ScriptedSteps, params: Record<string, unknown> = {}): Promise<CarriedOut> {
  const engine = await rig.open({ workflows });
  const workflow = workflows.find((one) => one.name === name) as (typeof workflows)[number];
  const { id } = await engine.start(workflow, params as never, { facts: { $attended: true } });
  await engine.run(id).wait('idle');
  const report = reporter(engine, id);
  const visits = new Map<string, number>();
  const order: string[] = [];
  const told = new Map<string, string>();
  const openWork = async (): Promise<OpenWork | undefined> => workIn(await readAttendedRun(sourceOfEngine(engine), id))[0];
  for (let work = await openWork(); work !== undefined && order.length < 60; work = await openWork()) {
    const step = `${(await engine.run(work.run).get()).workflow}/${work.step}`;
    const round = (visits.get(step) ?? 0) + 1;
    visits.set(step, round);
    told.set(`${step} ${round}`, work.prompt);
    // The items of a review are frozen: in a later round there is nothing to write.
    const isFrozen = work.step === 'decompose' && round > 1;
    if (!isFrozen) expect(await report(work, {}), `${step} without any work`).not.toBe('');
    const scripted = script(round)[step]?.();
    if (scripted === undefined) throw new Error(`the script has no step "${step}"`);
    act(rig.directory, scripted);
    const open = isFrozen ? work : await openWork();
    expect(await report(open as OpenWork, (scripted.result ?? {}) as Json), `${step}, round ${round}`).toBe('');
    order.push(step);
  }
  expect((await engine.run(id).get()).status).toBe('completed');
  return { order, told };
}

const of = (skill: string, ...steps: string[]): string[] => steps.map((step) => `${skill}/${step}`);
const reviewed = (skill: string): string[] => of(skill, 'decompose', 'verify', 'challenge', 'verdict');

test('a plan is made, reviewed and carried out; every step is refused before its work is done', async () => {
  const planned = await carryOut('planner', plannerSteps);
  expect(planned.order).toEqual([
    ...of('planner', 'context', 'approaches', 'decisions'),
    ...[...of('planner', 'write-plan'), ...reviewed('qr-plan-completeness')],
    ...[...of('planner', 'write-plan'), ...reviewed('qr-plan-completeness')],
    ...[...of('dev-fill-diffs', 'read', 'write', 'try', 'report'), ...reviewed('qr-plan-code')],
    ...[...of('tw-plan-scrub', 'collect', 'rewrite', 'report'), ...reviewed('qr-plan-docs')],
    ...of('planner', 'hand-over'),
  ]);
  // What no item asked for joined the items: the fresh reviewer of the next round is told.
  expect(planned.told.get('qr-plan-completeness/verify 1')).not.toContain('late-1-1');
  expect(planned.told.get('qr-plan-completeness/verify 2')).toContain('late-1-1: What happens to rows without a day?');
  const done = await carryOut('planner-executor', executorSteps, { test: 'node src/export.test.js' });
  expect(done.order).toEqual([
    ...of('planner-executor', 'intake', 'baseline', 'implement'),
    ...reviewed('qr-post-impl-code'),
    ...of('tw-post-impl', 'survey', 'write', 'prove', 'report'),
    ...reviewed('qr-post-impl-docs'),
    ...of('planner-executor', 'report'),
  ]);
  expect(readFileSync(rig.path('src/export.js'), 'utf8')).toContain('day < to');
});
