// Pattern 5: most steps are a title and a constant text, a few are functions of the parameters. One function returns the
// text of any step; the workflow takes its instructions from the same two tables.

import { arg, defineWorkflow } from '../../src/index.ts';

const MAX_ITERATIONS = 5;
const STEPS = [1, 2, 9, 13];
const CONTEXT_CLARIFICATION_INSTRUCTIONS = 'Restate the question. List what is given and what is not.';
const ABSTRACTION_INSTRUCTIONS = 'Name the general problem behind this one.';
const REFINEMENT_INSTRUCTIONS = 'Refine the answer: round {iteration} of at most {maxIter}.';

type Said = readonly [title: string, instructions: string];
interface Params {
  readonly mode: string;
  readonly confidence: string;
  readonly iteration: number;
}

function buildDispatchBody(): string {
  return 'Send one agent per perspective; give each the restated question.';
}

const STATIC_STEPS: Readonly<Record<number, Said>> = {
  1: ['Context Clarification', CONTEXT_CLARIFICATION_INSTRUCTIONS],
  2: ['Abstraction', ABSTRACTION_INSTRUCTIONS],
};

function formatStep9(): Said {
  return ['Dispatch', buildDispatchBody()];
}

function formatStep13({ confidence, iteration }: Params): Said {
  const suffix = confidence === 'certain' ? ' -> Complete' : '';
  const title = `Iterative Refinement (Iteration ${iteration})${suffix}`;
  const body = REFINEMENT_INSTRUCTIONS.replace('{iteration}', String(iteration)).replace('{maxIter}', String(MAX_ITERATIONS));
  return [title, body];
}

const DYNAMIC_STEPS: Readonly<Record<number, (params: Params) => Said>> = {
  9: formatStep9,
  13: formatStep13,
};

function buildNextCommand(step: number, { mode, confidence, iteration }: Params): string | undefined {
  const repeats = step === 13 && confidence !== 'certain' && iteration < MAX_ITERATIONS;
  const next = repeats ? step : STEPS[STEPS.indexOf(step) + 1];
  if (next === undefined) return undefined;
  return `--step ${next} --mode ${mode} --confidence ${confidence} --iteration ${repeats ? iteration + 1 : iteration}`;
}

function formatStep(instructions: string, nextCommand: string, { title }: { readonly title: string }): string {
  return [title, '='.repeat(title.length), '', instructions, ...(nextCommand === '' ? [] : ['', `NEXT: ${nextCommand}`])].join('\n');
}

/** The text of a step: looked up if it is constant, otherwise built. */
export function formatOutput(step: number, params: Params): string {
  const said = STATIC_STEPS[step] ?? DYNAMIC_STEPS[step]?.(params);
  if (said === undefined) return `ERROR: Invalid step ${step}`;
  const [title, instructions] = said;
  return formatStep(instructions, buildNextCommand(step, params) ?? '', { title: `WORKFLOW - ${title}` });
}

const refinement = {
  confidence: arg({ choices: ['exploring', 'certain'], default: 'exploring' }),
  iteration: arg({ min: 1, max: 5, default: 1 }),
};

/** The same steps as a workflow: constant text is data, the rest is a function of the step's arguments. */
export const deepthink = defineWorkflow({
  name: 'deepthink',
  steps: {
    clarify: { title: 'Context Clarification', actions: [CONTEXT_CLARIFICATION_INSTRUCTIONS], next: 'abstract' },
    abstract: { title: 'Abstraction', actions: [ABSTRACTION_INSTRUCTIONS], next: 'dispatch' },
    dispatch: { title: 'Dispatch', actions: () => [buildDispatchBody()], next: 'refine' },
    refine: {
      args: refinement,
      actions: (params) => {
        const [title, body] = formatStep13(params as unknown as Params);
        return { title, actions: [body] };
      },
      handler: ({ checkpoint }) => {
        const iteration = Number(checkpoint.iteration ?? 1);
        return iteration < MAX_ITERATIONS ? ['iterate', { iteration: iteration + 1 }] : ['ok', { iteration }];
      },
      next: { ok: null, iterate: 'refine' },
    },
  },
});
