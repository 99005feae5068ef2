// A skill that another one sends its sub-agents to.

import { defineSkill } from '../../../../src/skills/index.ts';

/** The skill that this one belongs to. */
export const partOf = 'fixture-greeting';

export default defineSkill({
  name: 'fixture-greeting-part',
  description: 'Checks a greeting. The skill fixture-greeting sends a sub-agent to it.',
  steps: [{ id: 'check', title: 'Check', actions: ['Read greeting.txt and say whether it is polite.'], advisory: 'a test' }],
});
