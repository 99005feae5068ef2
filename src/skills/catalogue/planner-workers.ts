// Owns the steps of planner and planner-executor that start a developer or a technical writer, and the sub-skills' first
// instructions: in later rounds they fix what the review found, and nothing else.

import type { Json } from '../../base/json.ts';
import {
  type AgentRole,
  arg,
  type DocumentContract,
  formatStateBanner,
  formatSubagentDispatch,
  type SkillWorkStep,
  type StepContract,
} from '../index.ts';
import { asTemplates, type ReviewNames, ROUND, reviewDocuments, valuesOf } from './review-skill.ts';

/** How many steps the sub-skills of workers have. */
const WORKER_STEPS: Readonly<Record<string, number>> = { 'dev-fill-diffs': 4, 'tw-plan-scrub': 3, 'tw-post-impl': 4 };

/** A step that a sub-agent does. */
interface WorkerStep {
  readonly id: string;
  readonly title: string;
  readonly agent: AgentRole;
  readonly skill: string;
  /** The review that follows; the same sub-skill fixes its findings. */
  readonly review: ReviewNames;
  /** What the sub-agent does, in a sentence. */
  readonly task: (folder: string) => string;
  readonly contract: StepContract;
}

/** The step of a parent skill that starts a worker, and does nothing else. */
export function workerStep({ id, title, agent, skill, review, task, contract }: WorkerStep): SkillWorkStep {
  const carried = ['folder', ...(review.carries ?? [])];
  return {
    id,
    title,
    dispatch: { agent, skill, params: { ...asTemplates(carried), round: '{round}' }, returns: 150 },
    contract,
    actions: ({ params, qr }) => [
      ...(qr.failed ? [formatStateBanner(id, { iteration: qr.iteration, mode: 'fix' })] : []),
      task(String(params.folder)),
      ...(qr.failed ? [`It fixes what ${verdictsOf(review, String(params.folder))} reports; add no findings of your own.`] : []),
      formatSubagentDispatch({
        agent,
        scriptPath: `pawl skill step ${skill}`,
        step: 1,
        totalSteps: WORKER_STEPS[skill] as number,
        params: { ...valuesOf(params, carried), round: qr.iteration },
      }),
      `<orchestrator_action>When the ${agent} returns, continue with the next step, the review. Do not edit, fix or judge its work yourself. If it returns a question instead, ask the person, then send a new ${agent} with the answer.</orchestrator_action>`,
    ],
  };
}

/** How a worker's instructions begin from the second round on: it fixes what the review found. */
export function inLaterRounds(checkpoint: string, round: Json | undefined, text: string): string[] {
  const iteration = Number(round);
  return iteration > 1 ? [formatStateBanner(checkpoint, { iteration, mode: 'fix' }), text] : [];
}

/** The parameters of a worker's sub-skill. */
export function workerParams(parent: string) {
  return {
    folder: arg({ type: 'string', default: `notes/${parent}`, description: 'where the documents of the plan are' }),
    round: ROUND,
  };
}

/** The parameters of the executor that its sub-skills have too. */
export const executorParams = {
  plan: arg({ type: 'string', default: 'notes/planner/plan.json', description: 'the plan; its diffs are in the folder diffs next to it' }),
  test: arg({ type: 'string', default: 'npm test', description: 'the command that runs the tests of the project' }),
  code: arg({ type: 'string', default: 'src/**', description: 'a pattern of the files that the plan changes' }),
};

/** The documents of workers. The step that sends them and their own steps have the same contract. */
export const WORKER_DOCUMENTS = {
  anchors: {
    path: '{folder}/04-anchors.md',
    sections: [{ title: 'Changes', minItems: 1 }, 'Contradictions'],
    ids: { pattern: '\\bC-\\d+\\b', min: 1 },
    references: [{ pattern: '\\bI-\\d+\\b', to: '{folder}/plan.json', all: true }],
    quotes: 1,
  },
  trial: {
    path: '{folder}/05-trial.md',
    sections: [{ title: 'Milestones', minItems: 1 }, 'Whole Test Run'],
    references: [{ pattern: '\\bM-\\d+\\b', to: '{folder}/plan.json', all: true }],
  },
  texts: {
    path: '{folder}/06-texts.md',
    sections: [
      { title: 'Texts', minItems: 1 },
      { title: 'Reasons', minItems: 1 },
    ],
    ids: { pattern: '\\bT-\\d+\\b', min: 1 },
    references: [{ pattern: '\\bD-\\d+\\b', to: '{folder}/plan.json', all: true }],
  },
  rewrites: {
    path: '{folder}/06-rewrites.md',
    sections: [{ title: 'Texts', minItems: 1 }, 'Reasons Kept'],
    references: [
      { pattern: '\\bT-\\d+\\b', to: '{folder}/06-texts.md', all: true },
      { pattern: '\\bD-\\d+\\b', to: '{folder}/plan.json', all: true },
    ],
  },
  survey: {
    path: '{folder}/04-survey.md',
    sections: [
      { title: 'What Changed', minItems: 1 },
      { title: 'Documents', minItems: 1 },
      { title: 'Reasons', minItems: 1 },
    ],
    ids: { pattern: '\\bU-\\d+\\b', min: 1 },
    references: [{ pattern: '\\bD-\\d+\\b', to: '{plan}', all: true }],
    quotes: 1,
  },
  statements: {
    path: '{folder}/05-statements.md',
    sections: [{ title: 'Statements', minWords: 40 }],
    references: [{ pattern: '\\bU-\\d+\\b', to: '{folder}/04-survey.md', all: true }],
    quotes: 2,
  },
} as const satisfies Readonly<Record<string, DocumentContract>>;

/** Holds if all diffs of a plan apply, each after those before it. One input, since git looks at several files each by itself. */
export const DIFFS_APPLY = 'cat {folder}/diffs/*.diff | git apply --check';

/** Where a reviewer wrote its verdicts. */
export function verdictsOf(review: ReviewNames, folder: string): string {
  return reviewDocuments(review).verdicts.replace('{folder}', folder);
}
