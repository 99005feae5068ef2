import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 read "Read the Plan and the Code" → 2',
    '2 write "Write the Diffs" → 3',
    '3 try "Try the Diffs" → 4',
    '4 report "Report" → end',
  ],
  golden: { write: { step: 2 }, 'read-again': { step: 1, params: { round: '2' } } },
});
