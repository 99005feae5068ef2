// The skill `solution-design`: a problem gets several designs by designers who do not see each other's work, and they are
// compared by criteria that were fixed before the first design existed.

import { arg, defineSkill } from '../../index.ts';
import { COMPARE_STEPS } from './compare.ts';
import { PREPARE_STEPS } from './prepare.ts';

/** Designs a solution in 9 steps. */
export default defineSkill({
  name: 'solution-design',
  description:
    'Designs the solution to a problem: states the need and its constraints, fixes criteria, has independent designers work in parallel from different perspectives, scores their designs, and recommends one. Use it when there are several ways to build something and the choice is costly to change later. Not for changes that have one obvious solution. Invoke it immediately, before you explore.',
  params: {
    problem: arg({ type: 'string', default: 'the one that the person described', description: 'what has to be solved' }),
    folder: arg({ type: 'string', default: 'notes/solution-design', description: 'where its documents are written' }),
  },
  steps: [...PREPARE_STEPS, ...COMPARE_STEPS],
});
