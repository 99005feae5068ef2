// A skill as a run: the engine counts iterations and rounds, chooses the way, decides the gates and checks the contracts.

import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { defineWorkflow, type Engine } from '../../src/index.ts';
import { arg, branchRouting, defineSkill, linearRouting, type Skill, skillWorkflow, terminalRouting } from '../../src/skills/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const workflowOf = (skill: Skill) => defineWorkflow({ ...skillWorkflow(skill), name: 'skill' });
const write = (path: string, text: string): void => {
  mkdirSync(dirname(rig.path(path)), { recursive: true });
  writeFileSync(rig.path(path), text);
};

/** A run of a skill, and the agent that carries it out. */
async function begin(skill: Skill, params: Record<string, unknown> = {}) {
  const engine = await rig.open();
  const run = await engine.start(workflowOf(skill), params as never, { facts: { $attended: true } });
  await run.wait('idle');
  return agentOf(engine, run.id);
}

function agentOf(engine: Engine, id: string) {
  const run = engine.run(id);
  const open = async () => (await run.openSteps()).map(({ step, prompt, parts, token }) => ({ step, prompt, parts, token }));
  return {
    id,
    run,
    open,
    /** The instructions of the only open step. */
    told: async (): Promise<string> => (await open()).map(({ prompt }) => prompt).join('\n'),
    /** Reports the only open step; returns why that was not accepted, and the steps that are open then. */
    async report(result: Json = {}): Promise<readonly string[]> {
      const [only] = await open();
      const { accepted, message = '' } = await run.report({ token: only?.token ?? '', result });
      await run.wait('idle');
      return accepted ? (await open()).map(({ step }) => step) : [message];
    },
    outcomes: async () => (await run.get()).steps.map(({ path, outcome }) => `${path} ${outcome}`),
  };
}

const step = (id: string, more: object = {}) => ({ id, title: id, actions: [`Do ${id}.`], ...more });
const skillOf = (steps: readonly object[], params = {}): Skill =>
  defineSkill({ name: 'skill', description: 'Does it. Use it now.', params, steps: steps as Skill['steps'] });

describe('a step that iterates', () => {
  const skill = skillOf([
    {
      ...step('look'),
      iterates: true,
      actions: ({ iteration, confidence }: { iteration: number; confidence: string }) => [`Visit ${iteration} after ${confidence}.`],
    },
    step('end'),
  ]);

  test('a step that iterates comes again until its agent is sure, and each time is told its iteration', async () => {
    const agent = await begin(skill);
    expect(await agent.told()).toContain('Iteration 1 of at most 5.');
    expect(await agent.report({ confidence: 'low' })).toEqual(['look']);
    const again = await agent.told();
    expect(again).toContain('Visit 2 after low.');
    expect(again).toContain('Iteration 2 of at most 5.');
    expect(await agent.report({ confidence: 'certain' })).toEqual(['end']);
    expect(await agent.outcomes()).toEqual(['look#1 iterate', 'look#2 ok', 'end#1 undefined']);
  });

  test('a step that iterates leads on after five visits, and the run shows that it was capped', async () => {
    const agent = await begin(skill);
    for (const _ of [1, 2, 3, 4]) expect(await agent.report({ confidence: 'medium' })).toEqual(['look']);
    expect(await agent.report({ confidence: 'medium' })).toEqual(['end']);
    expect((await agent.run.get()).steps.find(({ path }) => path === 'look#5')).toMatchObject({
      outcome: 'ok',
      output: { confidence: 'capped' },
    });
  });

  test('a step that iterates does not end without a word on how sure its agent is, nor because the agent names an iteration', async () => {
    const agent = await begin(skill);
    await expect(agent.report({})).rejects.toThrow('"confidence" is missing');
    expect(await agent.report({ confidence: 'low', iteration: 5, outcome: 'ok' })).toEqual(['look']);
  });
});

describe('a routing function', () => {
  const params = { mode: arg({ choices: ['full', 'quick', 'none'], default: 'full' }) };
  const skill = skillOf(
    [
      step('plan', {
        routing: ({ params: { mode } }: { params: { mode: string } }) =>
          mode === 'quick' ? linearRouting({ to: 3 }) : mode === 'none' ? terminalRouting() : linearRouting(),
      }),
      step('design'),
      step('synthesis'),
    ],
    params,
  );

  test.each([
    ['full', ['design']],
    ['quick', ['synthesis']],
    ['none', []],
  ])('a routing function is evaluated by the engine: mode %s', async (mode, open) => {
    expect(await (await begin(skill, { mode })).report({ mode: 'quick' })).toEqual(open);
  });

  test('a routing function has all its targets in the definition', () => {
    const { next } = workflowOf(skill).compiled.definition.steps[0] as { next: Record<string, { to: unknown }> };
    expect(Object.fromEntries(Object.entries(next).map(([outcome, { to }]) => [outcome, to]))).toEqual({
      ok: { step: 'design' },
      'to-synthesis': { step: 'synthesis' },
      ends: { end: 'complete' },
    });
  });
});

test('a branch follows the verdict', async () => {
  const skill = skillOf([step('check', { routing: branchRouting({ ifPass: 3, ifFail: 2 }) }), step('mend'), step('end')]);
  expect(await (await begin(skill)).report({ verdict: 'approve' })).toEqual(['end']);
  expect(await (await begin(skill)).report({ verdict: 'reject' })).toEqual(['mend']);
});

describe('a contract', () => {
  const NOTES = `## Scope\nThe parser reads one file at a time and keeps no state between the files that it reads.\n\n## Risks\n- R-1 a file may be cut off in the middle\n- R-2 names may clash\n`;
  const documents = [
    { path: '{folder}/notes.md', sections: ['Scope', { title: 'Risks', minItems: 2 }], ids: { pattern: 'R-\\d+', min: 2 } },
  ];
  const skill = skillOf([step('notes', { contract: { documents } }), step('more', { contract: { documents: [{ path: 'more.md' }] } })], {
    folder: arg({ type: 'string', default: 'out' }),
  });

  test('a contract keeps a step open until its document is there, and says what is missing', async () => {
    write(
      'out/notes.md',
      'An old text that was there before the step began, with more than twenty words in it, so that only its age is wrong here.',
    );
    const agent = await begin(skill);
    expect(await agent.told()).toContain('- out/notes.md: sections "Scope", "Risks" (2+ items); 20+ words; 2+ names like R-1');
    expect(await agent.report()).toEqual([expect.stringContaining('out/notes.md: it is as it was before this step')]);
    expect(await agent.told()).toContain('out/notes.md: it is as it was before this step');
    write('out/notes.md', NOTES);
    expect(await agent.report()).toEqual(['more']);
  });

  test('a contract refuses a copy of the document of another step', async () => {
    const agent = await begin(skill);
    write('out/notes.md', NOTES);
    await agent.report();
    write('more.md', readFileSync(rig.path('out/notes.md'), 'utf8').toUpperCase());
    expect(await agent.report()).toEqual([expect.stringContaining('more.md: it is a copy of out/notes.md')]);
  });

  test('a contract takes no link to a document as a source, and no path that cannot be read', async () => {
    const agent = await begin(skillOf([step('look', { contract: { documents: [{ path: 'look.md', quotes: 1 }] } })]));
    symlinkSync('look.md', rig.path('source.md'));
    symlinkSync('loop.md', rig.path('loop.md'));
    const quoting = (path: string): void => write('look.md', `${NOTES}\n\n> ${NOTES.split('\n')[1]}\n> — ${path}:1`);
    quoting('source.md');
    expect(await agent.report()).toEqual([expect.stringContaining('source.md is a document of this work, not a source')]);
    quoting(`loop.md:1\n\n> ${NOTES.split('\n')[1]}\n> — ${'a'.repeat(5000)}`);
    const [message] = await agent.report();
    expect(message).toContain('loop.md, which is not a text file of the project');
    expect(message).toContain('aaa, which is not a text file of the project');
  });

  test('a contract takes nothing as a source that the step itself created', async () => {
    const line = 'The parser reads one file at a time and keeps no state.';
    write('old.md', line);
    const agent = await begin(skillOf([step('look', { contract: { documents: [{ path: 'look.md', quotes: 1 }] } })]));
    const begun = Date.now();
    // The clock of files is coarser than ours.
    do {
      rmSync(rig.path('new.md'), { force: true });
      write('new.md', line);
    } while (statSync(rig.path('new.md')).birthtimeMs <= begun);
    write('look.md', `${NOTES}\n\n> ${line}\n> — new.md:1`);
    expect(await agent.report()).toEqual([expect.stringContaining('new.md was created in this step, so it cannot be quoted as a source')]);
    write('look.md', `${NOTES}\n\n> ${line}\n> — old.md:1`);
    expect(await agent.report()).toEqual([]);
  });

  test('a contract counts for each visit of a step: what an earlier visit wrote is not the work of this one', async () => {
    const agent = await begin(skillOf([step('look', { iterates: true, contract: { documents: [{ path: 'look.md' }] } })]));
    write('look.md', NOTES);
    expect(await agent.report({ confidence: 'low' })).toEqual(['look']);
    expect(await agent.report({ confidence: 'high' })).toEqual([expect.stringContaining('look.md: it is as it was before this step')]);
    write('look.md', `${NOTES}\nAnother look found nothing that contradicts it.`);
    expect(await agent.report({ confidence: 'high' })).toEqual([]);
  });

  test('a contract runs the command that the person gave, and shows how it ended', async () => {
    const agent = await begin(
      skillOf([step('build', { contract: { command: '{test}' } })], { test: arg({ type: 'string', default: 'test -f built.txt' }) }),
    );
    expect(await agent.report()).toEqual([expect.stringContaining('the command `test -f built.txt` must exit with 0')]);
    write('built.txt', 'x');
    expect(await agent.report()).toEqual([]);
  });

  test('a contract does not count when the step rewrote what its command runs', async () => {
    write('check.sh', 'test -f built.txt\n');
    const skill = skillOf([step('build', { contract: { command: 'sh {script}' } }), step('end')], {
      script: arg({ type: 'string', default: 'check.sh' }),
    });
    const honest = await begin(skill);
    expect(await honest.report()).toEqual([expect.stringContaining('the command `sh check.sh` must exit with 0')]);
    write('built.txt', 'x');
    expect(await honest.report()).toEqual(['end']);
    const agent = await begin(skill);
    write('check.sh', 'exit 0\n');
    expect(await agent.report()).toEqual([expect.stringContaining('check.sh (changed)')]);
  });

  test('a contract requires a change among the files of the project', async () => {
    write('src/a.ts', 'export {};\n');
    const agent = await begin(skillOf([step('build', { contract: { changes: ['src/**'] } })]));
    write('src/a.ts', '\n\nexport {};  \n\u200b\n');
    write('src/empty.ts', ' \n');
    expect(await agent.report()).toEqual([expect.stringContaining('no file that matches src/** changed in this step')]);
    write('src/b.ts', 'export const b = 1;\n');
    expect(await agent.report()).toEqual([]);
  });
});

const gate = {
  id: 'gate',
  title: 'Gate',
  gate: {
    qrName: 'Plan Review',
    workStep: 1,
    passStep: 4,
    passMessage: 'ok',
    selfFix: true,
    items: 'qr/items.json',
    verdicts: 'qr/verdicts.json',
  },
};
const reviewedSkill = () =>
  skillOf([
    { ...step('work'), actions: ({ qr }: { qr: { failed: boolean } }) => [qr.failed ? 'Fix the findings.' : 'Write the plan.'] },
    step('review', { fresh: true }),
    gate,
    step('end'),
  ]);
const ITEMS = {
  items: [
    { id: 'a', severity: 'MUST', question: 'Is it true?' },
    { id: 'b', severity: 'COULD', question: 'Is it short?' },
  ],
};
const verdicts = (a: string, b: string, findings: readonly object[] = []) =>
  write(
    'qr/verdicts.json',
    JSON.stringify({
      verdicts: [
        { id: 'a', status: a, evidence: 'line 3' },
        { id: 'b', status: b, evidence: 'line 9' },
      ],
      findings,
    }),
  );

describe('a review loop', () => {
  const skill = reviewedSkill();

  test('a review loop is decided by the engine from the documents of the review, round by round', async () => {
    const agent = await begin(skill);
    expect(await agent.report()).toEqual(['review']);
    expect(await agent.told()).toContain('Round 1 of the review "Plan Review"; it fails on findings with MUST, SHOULD, COULD.');
    expect(await agent.report({ verdict: 'approve' })).toEqual([expect.stringContaining('qr/items.json: it is missing')]);
    write('qr/items.json', JSON.stringify(ITEMS));
    verdicts('fail', 'pass');
    // What the reviewer reports does not decide the round.
    expect(await agent.report({ verdict: 'approve' })).toEqual(['work']);
    const fix = await agent.told();
    expect(fix).toContain('Fix the findings.');
    expect(fix).toContain('Round 2 of the review');
    expect(fix).toContain('MUST a: Is it true? Seen: line 3');
    await agent.report();
    const again = await agent.told();
    expect(again).not.toContain('line 3');
    verdicts('pass', 'pass');
    expect(await agent.report({ verdict: 'reject' })).toEqual(['end']);
    expect(await agent.outcomes()).toEqual([
      'work#1 ok',
      'review#1 undefined',
      'review#1 ok',
      'gate#1 again',
      'work#2 ok',
      'review#2 reject',
      'gate#2 ok',
      'end#1 undefined',
    ]);
  });

  test('a review loop refuses items that were changed after round 1, and verdicts without evidence', async () => {
    const agent = await begin(skill);
    await agent.report();
    write('qr/items.json', JSON.stringify(ITEMS));
    verdicts('fail', 'fail');
    await agent.report();
    await agent.report();
    write('qr/items.json', JSON.stringify({ items: ITEMS.items.slice(1) }));
    expect(await agent.report()).toEqual([expect.stringContaining('the items of a review are frozen after round 1')]);
    write('qr/items.json', JSON.stringify(ITEMS));
    write('qr/verdicts.json', JSON.stringify({ verdicts: [{ id: 'a', status: 'pass', evidence: '' }] }));
    expect(await agent.report()).toEqual([expect.stringContaining('the item "b" has no verdict')]);
  });

  test('a review loop is not decided by verdicts that were changed after they were reported', async () => {
    // The command stands for whatever writes the file between the report and the gate.
    const rewrites = "sed -i.bak 's/fail/pass/' qr/verdicts.json";
    const [work, , third, end] = skill.steps;
    const agent = await begin(skillOf([work, step('review', { fresh: true, contract: { command: rewrites } }), third, end] as never));
    await agent.report();
    write('qr/items.json', JSON.stringify(ITEMS));
    verdicts('fail', 'pass');
    await agent.report();
    expect((await agent.outcomes()).some((line) => line.startsWith('end'))).toBe(false);
    expect((await agent.run.get()).error).toContain('qr/verdicts.json was changed after its reviewer reported it');
  });

  test('a review loop asks a person when its rounds are used up, who may allow more', async () => {
    const agent = await begin(skill);
    write('qr/items.json', JSON.stringify(ITEMS));
    for (let round = 1; round <= 8; round += 1) {
      await agent.report();
      verdicts('fail', 'fail');
      await agent.report();
    }
    const [wait] = (await agent.run.get()).waits;
    expect(wait).toMatchObject({ kind: 'human', step: 'gate.person' });
    const [approvalOf] = await agent.run.approvals();
    expect(approvalOf?.question.prompt).toContain('- MUST a: Is it true?');
    await agent.run.decide({ option: 'allow more rounds', actor: 'ada', digest: approvalOf?.digest ?? '' });
    await agent.run.wait('idle');
    expect(await agent.told()).toContain('Round 9 of the review');
    for (const _ of [9, 10]) {
      await agent.report();
      verdicts('fail', 'fail');
      await agent.report();
    }
    const [last] = await agent.run.approvals();
    await agent.run.decide({ option: 'accept as it is', actor: 'ada', digest: last?.digest ?? '' });
    await agent.run.wait('idle');
    expect((await agent.open()).map((one) => one.step)).toEqual(['end']);
  });

  test('a review loop without documents goes by the findings of the report, and fewer stop it later', async () => {
    const plain = skillOf([
      step('work'),
      step('review'),
      { ...gate, gate: { ...gate.gate, items: undefined, verdicts: undefined } },
      step('end'),
    ]);
    const agent = await begin(plain);
    await agent.report();
    expect(await agent.report({ verdict: 'reject' })).toEqual([expect.stringContaining('a review that rejects reports what it found')]);
    const findings = [{ severity: 'COULD', text: 'It is long.' }];
    expect(await agent.report({ verdict: 'reject', findings })).toEqual(['work']);
    await agent.report();
    expect(await agent.report({ verdict: 'reject', findings })).toEqual(['work']);
    await agent.report();
    expect(await agent.report({ verdict: 'reject', findings })).toEqual(['end']);
    expect((await agent.run.get()).steps.findLast(({ step: id }) => id === 'gate')).toMatchObject({
      outcome: 'ok',
      output: { followUps: ['COULD: It is long.'] },
    });
  });
});

describe('a lost context', () => {
  /** The same run in a new engine, as a new session has it. */
  async function taken(skill: Skill, agent: Awaited<ReturnType<typeof begin>>, close: () => Promise<void>) {
    const before = await agent.told();
    await close();
    const again = agentOf(await rig.open({ workflows: [workflowOf(skill)] }), agent.id);
    expect(await again.told()).toBe(before);
    return again;
  }

  test('a lost context in the middle of a confidence loop goes on with the same iteration', async () => {
    const skill = skillOf([step('look', { iterates: true }), step('end')]);
    const engine = await rig.open();
    const run = await engine.start(workflowOf(skill), {}, { facts: { $attended: true } });
    await run.wait('idle');
    const first = agentOf(engine, run.id);
    await first.report({ confidence: 'low' });
    await first.report({ confidence: 'low' });
    const again = await taken(skill, first, () => engine.close());
    expect(await again.told()).toContain('Iteration 3 of at most 5.');
    expect(await again.report({ confidence: 'high' })).toEqual(['end']);
  });

  test('a lost context in round 2 of a review goes on with the same findings and the frozen items', async () => {
    const skill = reviewedSkill();
    const engine = await rig.open();
    const run = await engine.start(workflowOf(skill), {}, { facts: { $attended: true } });
    await run.wait('idle');
    const first = agentOf(engine, run.id);
    await first.report();
    write('qr/items.json', JSON.stringify(ITEMS));
    verdicts('fail', 'pass');
    await first.report();
    const again = await taken(skill, first, () => engine.close());
    expect(await again.told()).toContain('MUST a: Is it true?');
    expect(await again.report()).toEqual(['review']);
    write('qr/items.json', '{"items": []}');
    expect(await again.report()).toEqual([expect.stringContaining('qr/items.json')]);
    write('qr/items.json', JSON.stringify(ITEMS));
    verdicts('pass', 'pass');
    expect(await again.report()).toEqual(['end']);
  });
});
