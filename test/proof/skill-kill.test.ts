// A process that carries out a skill is killed in the middle of a loop: another one goes on with the same step, the same
// iteration and what was accepted so far.

import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/index.ts';
import { defineSkill, skillWorkflow } from '../../src/skills/index.ts';
import { createRig, type Rig } from '../engine/rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const SKILLS = new URL('../../src/skills/index.ts', import.meta.url).href;
const SPEC = `({
  name: 'look', description: 'Looks. Use it now.',
  steps: [
    { id: 'look', title: 'Look', iterates: true, actions: ({ iteration }) => ['Look, visit ' + iteration + '.'], contract: { documents: [{ path: 'look.md', minWords: 3 }] } },
    { id: 'end', title: 'End', actions: ['End it.'], advisory: 'a test' },
  ],
})`;
// The same text in both processes, or the run would stop because its code changed.
const skill = defineSkill(new Function(`return ${SPEC}`)() as Parameters<typeof defineSkill>[0]);

test('a skill continues after kill -9 in the middle of a confidence loop', async () => {
  const other = rig.other(`
    const { defineSkill, skillWorkflow } = await import('${SKILLS}');
    const engine = await createEngine({ db, cwd: ${JSON.stringify(rig.directory)} });
    const made = pawl.defineWorkflow({ ...skillWorkflow(defineSkill(${SPEC})), name: 'look' });
    const run = await engine.start(made, {}, { facts: { $attended: true } });
    await run.wait('idle');
    writeFileSync(${JSON.stringify(rig.path('look.md'))}, 'The first look found one thing.');
    await run.report({ token: (await run.openSteps())[0].token, result: { confidence: 'low' } });
    await run.wait('idle');
    say(run.id);
    await hear();`);
  const id = await other.said();
  await other.kill();
  const engine = await rig.open({ workflows: [defineWorkflow({ ...skillWorkflow(skill), name: 'look' })] });
  const run = engine.run(id);
  await run.wait('idle');
  const [again] = await run.openSteps();
  expect([again?.step, again?.prompt]).toEqual(['look', expect.stringContaining('Look, visit 2.')]);
  const report = async () => run.report({ token: (await run.openSteps())[0]?.token ?? '', result: { confidence: 'high' } });
  expect((await report()).message).toContain('look.md: it is unchanged since before this step');
  await run.wait('idle');
  writeFileSync(rig.path('look.md'), 'The second look found another thing as well.');
  expect((await report()).accepted).toBe(true);
  await run.wait('idle');
  expect((await run.openSteps()).map(({ step }) => step)).toEqual(['end']);
});
