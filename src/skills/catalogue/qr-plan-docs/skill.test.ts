import { describeSkill, REVIEW_STEPS } from '../../../../test/skills/describe-skill.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: REVIEW_STEPS,
  golden: { challenge: { step: 3, params: { round: '2' } } },
});
