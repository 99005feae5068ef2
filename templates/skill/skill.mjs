import { defineSkill, formatExpectedOutput, formatForbidden, runSkill } from 'pawl/skills';

const skill = defineSkill({
  name: 'NAME',
  description:
    'Says what is done and when. Use it when the person asks for NAME. Invoke it immediately, before reading or exploring anything.',
  steps: [
    {
      id: 'look',
      title: 'Look',
      actions: ['Read what the person asked for, and the files that it is about.', formatForbidden(['Do not change any file yet.'])],
      advisory: 'it only reads; say here why, or give the step a contract',
    },
    {
      id: 'work',
      title: 'Work',
      actions: ['Make the smallest change that does it.', formatExpectedOutput(['The change, and the command that shows that it works.'])],
      contract: { changes: ['**'] },
    },
  ],
});

export default skill;

if (import.meta.main) runSkill(skill, process.argv.slice(2));
