// `on_all_reject` is reached when every branch rejected, whatever the join and whatever the order.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { draftYaml } from '../../src/authoring/yaml/compile/compile.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read/read.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createLatch, createRig, type Latch, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

function reviews(join: string, more: string): CompiledWorkflow {
  const { document } = readYamlWorkflow(
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: reviews }
stages:
  - id: review
    type: parallel
    join: ${join}
    branches:
      - { id: a, agent: reviewer, action: a }
      - { id: b, agent: reviewer, action: b }
      - { id: c, agent: reviewer, action: c }
    on_any_reject: { goto: some }
    ${more}
    on_complete: complete
  - { id: some, type: command, run: "true", on_complete: complete }
  - { id: every, type: command, run: "true", on_complete: complete }
`,
    'reviews.yaml',
    { compilers: REGISTRY },
  );
  const { finish, problems } = draftYaml(document as NonNullable<typeof document>, REGISTRY);
  if (finish === undefined) throw new Error(JSON.stringify(problems));
  return finish();
}

/** Where a review leads whose branches answer in this order, one after the other: `a-` rejects, `a+` approves. */
async function leadsTo(order: string, join: string, more = 'on_all_reject: { goto: every }'): Promise<string | undefined> {
  const answers = order.split(' ');
  const turns = new Map<string, Latch>(['a', 'b', 'c'].map((id) => [id, createLatch()]));
  const engine = await rig.open({
    roles: { reviewer: { driver: 'scripted' } },
    drivers: {
      scripted: createScriptedDriver(async ({ step: id }) => {
        await turns.get(id)?.promise;
        return [{ do: 'answer', verdict: answers.includes(`${id}-`) ? 'reject' : 'approve', output: { by: id } }];
      }),
    },
  });
  const run = await engine.start(reviews(join, more));
  const settled = engine.run(run.id).log();
  for (const answer of answers) {
    const id = answer.charAt(0);
    turns.get(id)?.open();
    for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => settled.next() }) })
      if (event.type === 'run.changed' || (event.type === 'step.settled' && event.path === `review#1/${id}`)) break;
  }
  const { steps } = await run.wait();
  return steps.find(({ step }) => step === 'some' || step === 'every')?.step;
}

test.each(['a- b- c-', 'c- a- b-'])('2-of-3 with %s leads to on_all_reject', async (order) => {
  expect(await leadsTo(order, '2-of-3')).toBe('every');
});

test.each(['a- b- c+', 'c+ a- b-', 'a- c+ b-'])('2-of-3 with %s leads to on_any_reject', async (order) => {
  expect(await leadsTo(order, '2-of-3')).toBe('some');
});

test('any with all rejected leads to on_all_reject', async () => {
  expect(await leadsTo('a- b- c-', 'any')).toBe('every');
});

test('without on_all_reject, two rejections of three are enough', async () => {
  expect(await leadsTo('a- b-', '2-of-3', 'on_fail: { goto: every }')).toBe('some');
});
