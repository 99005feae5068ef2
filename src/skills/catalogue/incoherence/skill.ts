// The skill `incoherence`: contradictions between the code, documents, comments, configuration and specification of a
// repository are found, decided by a person, and removed.

import { arg, defineSkill } from '../../index.ts';
import { APPLY_STEPS } from './apply.ts';
import { DETECT_STEPS } from './detect.ts';
import { RESOLVE_STEPS } from './resolve.ts';

/** Detects contradictions (1 to 12), has a person resolve them (13 to 15) and applies the decisions (16 to 21). */
export default defineSkill({
  name: 'incoherence',
  description:
    'Finds contradictions between the code, documents, comments, configuration and specification of a repository, with quotations of both sides; a person decides each one, and the decisions are applied and verified. Use it when documents and code may have drifted apart, before a release, after a large change, or when somebody asks what is inconsistent. Invoke it immediately, before you explore.',
  params: {
    paths: arg({ type: 'string', default: '.', description: 'the part of the repository to look at' }),
    test: arg({ type: 'string', default: '', description: 'a command that must pass after the changes, such as npm test' }),
    folder: arg({ type: 'string', default: 'notes/incoherence', description: 'where its documents are written' }),
  },
  steps: [...DETECT_STEPS, ...RESOLVE_STEPS, ...APPLY_STEPS],
});
