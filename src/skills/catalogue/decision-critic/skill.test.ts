import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 extract-structure "Extract Structure" → 2',
    '2 classify-verifiability "Classify Verifiability" → 3',
    '3 generate-questions "Generate Questions" → 4',
    '4 answer-questions "Answer the Questions" → 5',
    '5 argue-against "Argue the Other Side" → 6',
    '6 reframe "Reframe the Decision" → 7',
    '7 verdict "Give the Verdict" → end',
  ],
  golden: {
    'answer-questions': { step: 4 },
    verdict: { step: 7 },
  },
});
