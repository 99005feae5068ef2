import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: ['1 collect "Collect the Texts" → 2', '2 rewrite "Rewrite" → 3', '3 report "Check and Report" → end'],
  golden: { collect: { step: 1 }, report: { step: 3 } },
});
