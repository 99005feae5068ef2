import { describeSkill, REVIEW_STEPS } from '../../../../test/skills/describe-skill.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: REVIEW_STEPS,
  golden: { verify: { step: 2 } },
});
