import { describeSkill, REVIEW_STEPS } from '../../../../test/skills/describe-skill.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: REVIEW_STEPS,
  golden: { decompose: { step: 1 }, verdict: { step: 4, params: { folder: 'my notes' } } },
});
