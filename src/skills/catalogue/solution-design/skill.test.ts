import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep, type SkillWorkStep } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 problem "Problem" → 2',
    '2 criteria "Criteria" → 3',
    '3 perspectives "Perspectives" → 4',
    '4 designs "Design in Parallel" → 5',
    '5 facts "Check the Facts" → 6',
    '6 scores "Score" → 7',
    '7 stress "Stress Test" → 8',
    '8 design "Choose or Combine" → 9',
    '9 recommendation "Recommendation" → end',
  ],
  golden: { criteria: { step: 2 }, 'design-in-parallel': { step: 4, params: { folder: 'designs/queue' } } },
});

const work = skill.steps as readonly SkillWorkStep[];
const stepOf = (id: string): number => work.findIndex((step) => step.id === id) + 1;

test('the criteria are fixed before a design exists, and do not change', () => {
  const [criteria] = work[stepOf('criteria') - 1]?.contract?.documents ?? [];
  expect(criteria).toMatchObject({ path: '{folder}/02-criteria.md', frozen: true });
  expect(stepOf('criteria')).toBeLessThan(stepOf('designs'));
});

test('a designer is told neither the criteria nor what other designers do', async () => {
  const { default: designer } = await import('../solution-design-designer/skill.ts');
  const said = designer.steps.map((_, index) => renderStep(designer, { step: index + 1, params: { brief: 'P-1' } }, { script: 'x' }));
  expect(said.join('\n')).not.toMatch(/criteri|02-|K-n|points|weight|other designers/i);
});

test('every design is checked, scored and listed; the agent that scores wrote none of them', () => {
  const complete = work.filter((step) =>
    step.contract?.documents?.some(({ references = [] }) => references.some((one) => one.all && one.to.includes('03-'))),
  );
  expect(complete.map(({ id }) => id)).toEqual(['designs', 'facts', 'scores', 'design']);
  expect(work.filter(({ fresh }) => fresh === true).map(({ id }) => id)).toEqual(['scores']);
});
