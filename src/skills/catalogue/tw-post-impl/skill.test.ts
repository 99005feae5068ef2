import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: ['1 survey "Survey" → 2', '2 write "Write" → 3', '3 prove "Prove Each Statement" → 4', '4 report "Report" → end'],
  golden: { survey: { step: 1, params: { round: '2' } }, prove: { step: 3 } },
});
