import { describeSkill } from '../pinned.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 decompose "Decompose into Items" → 2',
    '2 verify "Verify Each Item" → 3',
    '3 challenge "Challenge the Verdicts" → 4',
    '4 verdict "Return the Verdict" → end',
  ],
  golden: { challenge: { step: 3, params: { round: '2' } } },
});
