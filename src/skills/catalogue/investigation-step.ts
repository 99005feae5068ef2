// Builds the step that investigates a question in several visits. The instructions of a visit depend on the confidence that
// the agent reported: continue, try to refute the result, or check it once more.

import type { DocumentContract, SkillWorkStep } from '../index.ts';
import { document } from './document.ts';

const VISITS_MAX = 5;

/** The instructions of the first visit, of a visit of an agent that is sure, and of other visits: a task by confidence, then `tasks`. */
type VisitTexts = Readonly<Record<'first' | 'sure' | 'tasks' | 'sections', readonly string[]>> &
  Readonly<Record<'noRepetition' | 'medium' | 'low' | 'last', string>>;

/** The step `investigate` of a skill. Its visits write one document in the folder of the skill. */
export function investigationStep(
  file: string,
  { texts, ...contract }: Omit<DocumentContract, 'path'> & { readonly texts: (folder: unknown) => VisitTexts },
): SkillWorkStep {
  return {
    id: 'investigate',
    title: 'Investigate',
    iterates: true,
    actions: ({ params: { folder }, iteration, confidence }) => {
      const { first, sure, sections, ...later } = texts(folder);
      const again = [
        `Read ${folder}/${file}. ${later.noRepetition} In this visit:`,
        ...[confidence === 'medium' ? later.medium : later.low, ...later.tasks],
        ...(iteration < VISITS_MAX ? [] : [`This is the last visit. ${later.last}`]),
      ];
      const isSure = confidence === 'high' || confidence === 'certain';
      const [verb, title, visit] = iteration === 1 ? ['Write', '', first] : ['Update', ` (Iteration ${iteration})`, isSure ? sure : again];
      return {
        title: `Investigate${title}`,
        actions: [...visit, '', `${verb} ${folder}/${file} with these sections:`, ...sections],
      };
    },
    contract: document(`{folder}/${file}`, contract),
  };
}
