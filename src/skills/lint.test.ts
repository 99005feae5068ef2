import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  arg,
  branchRouting,
  defineSkill,
  formatQrBanner,
  formatSubagentDispatch,
  gateConfig,
  lintSkill,
  type SkillContext,
  type SkillStep,
} from './index.ts';
import { SKILL_FINDINGS } from './lint.ts';
import { lintSkillFile } from './skill-file.ts';

const step = (id: string, actions: unknown, more: object = {}): SkillStep =>
  ({ id, title: id, actions, advisory: 'this test is about other rules', ...more }) as SkillStep;
const found = (steps: readonly SkillStep[]): string[] =>
  lintSkill(defineSkill({ name: 'one', description: 'One.', params: { mode: arg({ choices: ['a', 'b'] }) }, steps })).map(
    ({ code, step: at }) => `${code} ${at}`,
  );
const gate: SkillStep = {
  id: 'gate',
  title: 'Gate',
  gate: gateConfig({ qrName: 'Plan Review', workStep: 1, passStep: null, passMessage: 'ok', selfFix: true }),
};
const banner = ({ qr }: SkillContext): string[] => [formatQrBanner({ qr, qrName: 'Plan Review' }), 'Review it.'];

test('a loop with a banner, a gate and different text in later rounds has no findings', () => {
  expect(found([step('work', ['Work.']), step('review', banner), gate])).toEqual([]);
});

test('lint reports a loop that does not state its round, and one with the same text in every round', () => {
  expect(found([step('work', ['Work.']), step('review', ['Review it.']), gate])).toEqual(['SKILL_LOOP_BANNER 3', 'SKILL_LOOP_REVERIFY 3']);
  expect(found([step('work', ['Work.']), step('review', ['PLAN REVIEW: look.']), gate])).toEqual(['SKILL_LOOP_REVERIFY 3']);
  expect(found([step('work', ({ qr }: SkillContext) => [`Round ${qr.iteration}.`]), step('review', ['Look.']), gate])).toEqual([
    'SKILL_LOOP_BANNER 3',
  ]);
});

test('lint reports a loop without a gate', () => {
  const judge = step('judge', ['Judge.'], { routing: branchRouting({ ifPass: 3, ifFail: 1 }) });
  expect(found([step('work', ['Work.']), judge, step('end', ['End.'])])).toEqual(['SKILL_LOOP_STOP 2']);
});

test('lint reports a review by a sub-agent that does not say what happens when it returns', () => {
  const dispatch = formatSubagentDispatch({ agent: 'quality-reviewer', scriptPath: 'review.js', step: 1, totalSteps: 1 });
  const review = (more: string) => step('review', (context: SkillContext) => [...banner(context), dispatch, more]);
  expect(found([step('work', ['Work.']), review(''), gate])).toEqual(['SKILL_DISPATCH_ACTION 2']);
  expect(found([step('work', ['Work.']), review('<orchestrator_action>Run the gate.</orchestrator_action>'), gate])).toEqual([]);
});

test('lint reports a step without text, even if it is empty for only one value of a parameter', () => {
  expect(found([step('a', ['', ' '])])).toEqual(['SKILL_STEP_EMPTY 1']);
  expect(found([step('a', ({ params }: SkillContext) => (params.mode === 'b' ? [] : ['Do it.']))])).toEqual(['SKILL_STEP_EMPTY 1']);
});

test('a required text parameter is rendered as itself, and does not hide a block', () => {
  const skill = defineSkill({
    name: 'one',
    description: 'One.',
    params: { topic: arg({ type: 'string', required: true }) },
    steps: [
      step('work', ['Work.']),
      step('review', ({ params, qr }: SkillContext) => [`<state_banner>${params.topic} ${qr.iteration}</state_banner>`, 'Review it.']),
      gate,
    ],
  });
  expect(lintSkill(skill)).toEqual([]);
});

test('lint reports a step that is empty only at its last visit', () => {
  expect(found([step('a', ({ iteration }: SkillContext) => (iteration === 5 ? [] : ['Look.']), { iterates: true })])).toEqual([
    'SKILL_STEP_EMPTY 1',
  ]);
});

test('lint reports a step whose function throws', () => {
  const broken = (): string[] => {
    throw new Error('no data');
  };
  expect(found([step('a', broken)])).toEqual(['SKILL_STEP_FAILED 1']);
});

const skill = defineSkill({ name: 'one', description: 'One.', steps: [step('a', ['Do it.'])] });
const file = (front: string, body = 'Run pawl skill step one --step 1 --total-steps 1'): string => `---\n${front}\n---\n\n${body}\n`;
const FRONT = 'name: one\ndescription: One.';

test('a SKILL.md that matches the skill has no findings', () => {
  expect(lintSkillFile(file(FRONT), 'one', skill)).toEqual([]);
  expect(lintSkillFile(file(FRONT).replaceAll('\n', '\r\n'), 'one', skill)).toEqual([]);
});

test.each([
  ['# no front matter', 'one', 'SKILL_FILE_INVALID', 'it has no front matter'],
  [file('name: [one'), 'one', 'SKILL_FILE_INVALID', 'cannot be parsed'],
  [file('name: one'), 'one', 'SKILL_FILE_INVALID', 'must have a name and a description'],
  [file('name: one\ndescription: 5'), 'one', 'SKILL_FILE_INVALID', 'both strings'],
  [file(FRONT), 'two', 'SKILL_FILE_DIFFERS', 'its folder is "two"'],
  [file('name: one\ndescription: Two.'), 'one', 'SKILL_FILE_DIFFERS', "its description differs from the skill's"],
  [file(FRONT, '--total-steps 3'), 'one', 'SKILL_FILE_DIFFERS', 'the skill has 1 steps'],
  [file(FRONT, 'x\n'.repeat(500)), 'one', 'SKILL_FILE_LONG', 'it must have fewer than 500'],
])('lint reports a SKILL.md that breaks a rule: %#', (...[text, folder, code, message]) => {
  const [first, ...rest] = lintSkillFile(text, folder, skill);
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ code, message: expect.stringContaining(message) });
});

test('the guide explains every finding', () => {
  const guide = readFileSync(new URL('../../docs/guides/skills.md', import.meta.url), 'utf8');
  expect(SKILL_FINDINGS.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
});

test('lint reports a step without a contract and without a reason for that', () => {
  const plain = { advisory: undefined };
  expect(found([step('a', ['Do it.'], plain)])).toEqual(['SKILL_STEP_UNCHECKED 1']);
  expect(found([step('a', ['Do it.'], { ...plain, contract: { changes: ['src/**'] } })])).toEqual([]);
});

test('a pattern of entries for sub-agents is checked like a pattern of names', () => {
  const dispatch = { skill: 'deepthink', each: { document: 'a.md', ids: '(?<=x)F-\\d+' } };
  expect(found([step('a', ['Send them.'], { advisory: undefined, dispatch })])).toEqual(['SKILL_CONTRACT_INVALID 1']);
});

test.each([
  ['an unknown parameter', { documents: [{ path: '{folder}/a.md' }] }, '{folder} is not a parameter of the skill'],
  ['a path that leads outside', { documents: [{ path: '../a.md' }] }, 'the path "../a.md" is invalid: it leads out of the workspace'],
  [
    'an invalid pattern',
    { documents: [{ path: 'a.md', ids: { pattern: '(', min: 1 } }] },
    'the pattern ( of names cannot be used: the pattern has a ( without a )',
  ],
  ['a pattern that takes long on some texts', { documents: [{ path: 'a.md', ids: { pattern: '(?=a)b', min: 1 } }] }, 'has a special group'],
  [
    'a document that nobody writes',
    { documents: [{ path: 'a.md', references: [{ pattern: 'F-\\d+', to: 'b.md' }] }] },
    'it refers to b.md, which no step writes',
  ],
  ['a schema that cannot be checked', { report: { pattern: 'x' } }, 'the schema has "pattern", which is not supported'],
])('lint reports a contract with %s', (_, contract, message) => {
  const steps = [step('a', ['Do it.'], { contract, advisory: undefined })];
  const [finding, ...more] = lintSkill(defineSkill({ name: 'one', description: 'One.', steps }));
  expect([finding?.code, finding?.message, more]).toEqual(['SKILL_CONTRACT_INVALID', expect.stringContaining(message), []]);
});
