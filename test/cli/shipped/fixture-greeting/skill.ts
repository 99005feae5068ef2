// A skill that only the tests ship: short, and with everything that the catalogue can say about one.

import { arg, defineSkill, formatForbidden } from '../../../../src/skills/index.ts';

/** Another name, as an older version of a skill may have had. */
export const aliases = ['fixture-hello'];

export default defineSkill({
  name: 'fixture-greeting',
  description: 'Greets a person. Use it when somebody asks for a greeting. Invoke it immediately.',
  params: { mode: arg({ choices: ['short', 'long'], default: 'short' }) },
  steps: [
    { id: 'ask', title: 'Ask for the name', actions: ['Ask whom to greet.'], advisory: 'a test' },
    {
      id: 'greet',
      title: 'Greet',
      actions: ({ params }) => [`Write greeting.txt, ${params.mode}.`, formatForbidden(['Do not greet anybody else.'])],
      advisory: 'a test',
    },
  ],
});
